// Package spend notices when agents have spent more than their operator said: in one session, or
// in all of them in a day.
//
// What goes in is what each session has spent so far, which its agent tells (package story reads
// it from runners and transcripts), again and again. What comes out are alerts: one when a limit is
// reached, another at twice the limit, and so on, so that whoever goes on after the first is told again
// and not at every look. What to do about an alert is the caller's business: tell it, freeze.
//
// A Meter keeps nothing beyond its own life. What a session had spent when the meter first saw it, long
// after the session began, counts as told, and does not count for the day: nobody is called at the start
// of a console for what was spent yesterday.
//
// The package is pure. It knows no prices: an agent that names none has tokens only, and a
// limit in dollars never speaks for it.
package spend

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Amount is money, or tokens, as an agent says. As a limit one of the two is set; the zero Amount
// is no limit.
type Amount struct {
	Dollars float64
	Tokens  int64
}

// Parse reads a limit: "$5", "$0.50", "2000000", "500k", "2M". Errors say what to write.
func Parse(text string) (Amount, error) {
	wrong := fmt.Errorf(`%+q is no amount; write money as "$5" or tokens as "500k" or "2M"`, text)
	if money, ok := strings.CutPrefix(text, "$"); ok {
		n, err := strconv.ParseFloat(money, 64)
		if err != nil || !(n >= 0.01 && n <= 1e6) {
			return Amount{}, wrong
		}
		return Amount{Dollars: n}, nil
	}
	number, unit := text, int64(1)
	for end, n := range map[string]int64{"k": 1e3, "M": 1e6} {
		if head, ok := strings.CutSuffix(text, end); ok {
			number, unit = head, n
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > 1e12/unit {
		return Amount{}, wrong
	}
	return Amount{Tokens: n * unit}, nil
}

// String is how Parse reads it; "" for no limit.
func (a Amount) String() string {
	switch {
	case a.Dollars > 0:
		return "$" + strconv.FormatFloat(a.Dollars, 'f', -1, 64)
	case a.Tokens > 0 && a.Tokens%1e6 == 0:
		return strconv.FormatInt(a.Tokens/1e6, 10) + "M"
	case a.Tokens > 0 && a.Tokens%1e3 == 0:
		return strconv.FormatInt(a.Tokens/1e3, 10) + "k"
	case a.Tokens > 0:
		return strconv.FormatInt(a.Tokens, 10)
	}
	return ""
}

// reached is how often limit a is in what was spent.
func (a Amount) reached(spent Amount) int64 {
	switch {
	case a.Dollars > 0:
		return int64(min(spent.Dollars/a.Dollars, mostTimes))
	case a.Tokens > 0:
		return spent.Tokens / a.Tokens
	}
	return 0
}

// Limits of what an agent is believed to have spent. Its transcript may say anything.
const (
	mostTimes   = 1e15
	mostDollars = 1e9
	mostTokens  = 1e15
)

// plausible is an amount within these limits.
func plausible(a Amount) Amount {
	if !(a.Dollars > 0) { // nor a number that is none
		a.Dollars = 0
	}
	return Amount{min(a.Dollars, mostDollars), min(max(a.Tokens, 0), mostTokens)}
}

// said is what was spent, in the unit of a limit.
func (a Amount) said(spent Amount) string {
	if a.Dollars > 0 {
		return fmt.Sprintf("$%.2f", spent.Dollars)
	}
	return fmt.Sprintf("%.1fM tokens", float64(spent.Tokens)/1e6)
}

// Alert is a limit that was reached.
type Alert struct {
	SessionID string // "" for the limit of a day
	Words     string // "spent $5.20; the limit of a session is $5"
}

// Meter compares what is spent with limits. It belongs to one goroutine.
type Meter struct {
	session, day Amount
	since        time.Time

	seen  map[string]Amount // by session, at the last look
	told  map[string]int64  // by session; "" for the day
	today Amount
	date  string
}

// NewMeter is a meter that begins now.
func NewMeter(session, day Amount, now time.Time) *Meter {
	return &Meter{session: session, day: day, since: now, seen: map[string]Amount{}, told: map[string]int64{}}
}

// On reports whether there is a limit at all.
func (m *Meter) On() bool { return m.session != Amount{} || m.day != Amount{} }

// Look takes in what a session has spent in all its time, and returns what is to be told of it.
func (m *Meter) Look(now time.Time, id string, started time.Time, spent Amount) (alerts []Alert) {
	spent = plausible(spent)
	if date := now.Format(time.DateOnly); date != m.date {
		m.date, m.today, m.told[""] = date, Amount{}, 0
	}
	before, known := m.seen[id]
	if !known && started.Before(m.since) {
		before, m.told[id] = spent, m.session.reached(spent)
	}
	// An agent that counts anew, as after a restart, is not counted twice.
	m.seen[id] = Amount{max(before.Dollars, spent.Dollars), max(before.Tokens, spent.Tokens)}
	m.today.Dollars += max(0, spent.Dollars-before.Dollars)
	m.today.Tokens += max(0, spent.Tokens-before.Tokens)
	if n := m.session.reached(spent); n > m.told[id] {
		m.told[id] = n
		alerts = append(alerts, Alert{id, "spent " + m.session.said(spent) + "; the limit of a session is " + m.session.String()})
	}
	if n := m.day.reached(m.today); n > m.told[""] {
		m.told[""] = n
		alerts = append(alerts, Alert{"", "all sessions spent " + m.day.said(m.today) + " today; the limit of a day is " + m.day.String()})
	}
	return alerts
}
