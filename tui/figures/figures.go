// Package figures writes numbers for people: spans of time, counts and sizes.
//
// It is a room of its own so that one number looks the same wherever it is shown. A
// call that is "3m" old in the list and "3 minutes" old on its card would look like
// two calls.
//
// There are several ways to write a span, because places differ in what they need: Ago
// takes the fewest cells and rounds down, Clock runs second by second, and Left rounds
// up, so that a clock shows 0:00 only when there is no time left. Brief is for how
// long something took.
//
// All functions are pure, and none of them reads the clock.
package figures

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Ago is a span in as few cells as possible: 12s, 3m, 2h, 5d. A negative one is 0s.
func Ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d/time.Hour))
	}
	return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
}

// When is a moment in at most six cells: the time of day, or the date when that is another day than now.
// Both are to be in the zone of the screen's clock.
func When(t, now time.Time) string {
	if SameDay(t, now) {
		return t.Format("15:04")
	}
	return t.Format("2 Jan")
}

// SameDay reports whether two moments of one zone are on one day.
func SameDay(a, b time.Time) bool { return a.Year() == b.Year() && a.YearDay() == b.YearDay() }

// Clock is a span as minutes and seconds, in at most six cells: 9:48, 61:05, 23h59m.
func Clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s >= 100*60*60:
		return Ago(d)
	case s >= 100*60:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Left is the time until a deadline, rounded up so that 0:00 means over.
func Left(d time.Duration) string { return Clock(d + time.Second - time.Nanosecond) }

// Brief is how long something took: 40ms, 3.2s, 4:07. "" for a negative span, which
// nobody measured.
func Brief(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	}
	return Clock(d)
}

// Each is how long a slot of figures over time is: an hour, a day, a week.
func Each(d time.Duration) string {
	switch {
	case d <= time.Hour:
		return "an hour"
	case d <= 24*time.Hour:
		return "a day"
	}
	return "a week"
}

// Fine is Brief for what takes some milliseconds, or less than one: 0.4ms, 2.1ms, 40ms.
func Fine(d time.Duration) string {
	if d < 0 || d >= 10*time.Millisecond {
		return Brief(d)
	}
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}

// Plural is "1 call" or "5 calls", "1 process" or "5 processes".
func Plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"):
		return Count(n) + " " + one + "es"
	}
	return Count(n) + " " + one + "s"
}

// Count writes n with a comma after the thousands.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Size is a number of bytes for people, in steps of a thousand.
func Size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 100_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// Money is an amount of dollars. Little ones have the digits that tell them from nothing.
func Money(dollars float64) string {
	if dollars > 0 && dollars < 0.1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// Tokens is a number of tokens in few cells: 812, 12.3k, 1.2M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 99_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Spent is what an agent used. Where it names no price there is none; "" when it named nothing.
func Spent(dollars float64, in, out int64) string {
	var parts []string
	if dollars > 0 {
		parts = append(parts, Money(dollars))
	}
	if in+out > 0 {
		parts = append(parts, Tokens(in)+" tokens in, "+Tokens(out)+" out")
	}
	return strings.Join(parts, " · ")
}
