package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/tty"
)

// What the settings may be, and what holds without them. Times are spans, limits are
// numbers of calls; DefaultMaxRate is calls a second.
const (
	DefaultTimeout = 10 * time.Minute
	minTimeout     = time.Second
	maxTimeout     = 24 * time.Hour

	minKeep = time.Hour
	maxKeep = 100 * 365 * 24 * time.Hour

	DefaultSilence = time.Hour
	leastSilence   = time.Minute

	DefaultMaxPending        = 4096
	DefaultMaxPendingSession = 64
	DefaultMaxRate           = 20
	MostPending              = 20000 // what commands and the screen still handle well
	MostRate                 = 10000
)

// The variables that say something of a setting. They win over the file and lose to a flag.
const (
	TimeoutEnv = "AGENT_ORCHESTRATOR_APPROVAL_TIMEOUT" // seconds
	NoBellEnv  = "AOCTL_NO_BELL"                       // anything but empty and 0
	NotifyEnv  = "AOCTL_NOTIFY"                        // what --notify takes
)

// CheckTimeout refuses a time to answer that nobody means; name is what it is called where
// it was given. Both ends of the range may be given. The error is a usage.Error.
func CheckTimeout(name string, t time.Duration) error {
	if t >= minTimeout && t <= maxTimeout {
		return nil
	}
	return usage.Error{
		Text: fmt.Sprintf("a time to answer of %v is out of range", t),
		Hint: fmt.Sprintf("give %s between 1s and 24h, such as 10m", name),
	}
}

// CheckSilence refuses a time of silence in which a program that works is just between two
// steps; 0 is for sessions that never end by it.
func CheckSilence(name string, t time.Duration) error {
	if t == 0 || t >= leastSilence {
		return nil
	}
	return usage.Error{
		Text: "a session is not over after so short a silence",
		Hint: fmt.Sprintf("give %s a time of 1m or more, such as 1h, or 0 for never", name),
	}
}

// CheckLate refuses what is no end for a call that nobody answers in time. Allowing is
// none: what nobody has seen must not run. A file may not say "ask": that is who decides.
func CheckLate(name, what string) error {
	switch broker.Verdict(what) {
	case broker.Deny, broker.Defer:
		return nil
	case broker.Ask:
		if name == "--on-timeout" {
			return nil
		}
		return usage.Error{Text: "on-timeout = \"ask\" is not taken from a file: others would decide", Hint: "type: aoctl --on-timeout ask"}
	case broker.Allow:
	}
	return usage.Error{
		Text: fmt.Sprintf("%s %q is none of deny, defer and ask", name, what),
		Hint: "defer keeps a call for later, ask leaves it to the agent's own prompt, where its agent can do that; both deny any other",
	}
}

// Themes are the sets of colours that the console has, the default first. "auto" asks the
// terminal for its background.
var Themes = []string{"auto", "dark", "light", "high-contrast"}

// CheckTheme refuses what is no theme; name is what it is called where it was given.
func CheckTheme(name, theme string) error {
	if slices.Contains(Themes, theme) {
		return nil
	}
	return usage.Error{Text: fmt.Sprintf("%s %q is not a theme", name, theme), Hint: "give one of " + strings.Join(Themes, ", ")}
}

// TimeoutFromEnv reads a number of seconds; 0 when the variable is empty. A fraction is
// taken. What is no number ends the console instead of being skipped: whoever set it counts
// on it.
func TimeoutFromEnv(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	// A comparison with NaN is always false, so it would pass both ends.
	if err != nil || math.IsNaN(seconds) || seconds < minTimeout.Seconds() || seconds > maxTimeout.Seconds() {
		return 0, usage.Error{
			Text: fmt.Sprintf("%s is %q, which is no number of seconds from 1 to 86400", TimeoutEnv, text),
			Hint: "set it to 600 for ten minutes, or unset it",
		}
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// CheckLimit refuses a limit outside of least and most, which whose explains; such is a
// better one. whose goes behind most in the hint and begins with a comma, or is "".
func CheckLimit(name string, value, least, most int, whose string, such int) error {
	if value >= least && value <= most {
		return nil
	}
	return usage.Error{
		Text: fmt.Sprintf("%s %d is out of range", name, value),
		Hint: fmt.Sprintf("give a number from %d to %d%s, such as %d", least, most, whose, such),
	}
}

// ParseKeep reads how long the log is kept: 90d, 12w, 48h. name is what that is called
// where it was given. There are no fractions and no months, whose length would be a guess.
func ParseKeep(name, text string) (time.Duration, error) {
	bad := usage.Error{
		Text: fmt.Sprintf("%s %q does not say how long to keep the log", name, text),
		Hint: fmt.Sprintf("give days, weeks or hours, such as 90d, 12w or 48h; without %s everything is kept", name),
	}
	if len(text) < 2 {
		return 0, bad
	}
	unit, known := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[text[len(text)-1:]]
	n, err := strconv.ParseUint(strings.TrimPrefix(text[:len(text)-1], "+"), 10, 31)
	if !known || err != nil {
		return 0, bad
	}
	// Dividing first keeps the product from running over.
	if n > uint64(maxKeep/unit) || time.Duration(n)*unit < minKeep { //nolint:gosec // both are small
		bad.Text = fmt.Sprintf("%s %s is out of range", name, text)
		bad.Hint = "give at least 1h and at most 36500d; calls that agents may still ask about must stay"
		return 0, bad
	}
	return time.Duration(n) * unit, nil
}

// NotifyHint says what --notify takes. The terminal's room has the ways; this is made from
// them.
var NotifyHint = "give one of " + strings.Join(tty.NotifyWays, ", ") + ", or several of the four in the middle, with commas between them"
