package fleet

import (
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

func machines(n int) string { return figures.Plural(n, "machine") }

// manyCounts are n machines, of which so many are out of reach, the longest text first.
func manyCounts(n, out int) []string {
	if out == 0 {
		return []string{machines(n)}
	}
	far := figures.Count(out) + " out of reach"
	return []string{machines(n) + ", " + far, far, figures.Count(out) + " out"}
}

// mostProblem is how much of a problem the first rows cite, cells.
const mostProblem = 200

func problemOf(m *Machine, others int) string {
	text := m.Label + ": " + safe.Head(m.Problem, mostProblem)
	if others > 0 {
		text += " · and " + figures.Plural(others, "more machine")
	}
	return text
}

// Out reports whether nothing is heard of the machine. A reach that is not known counts as none.
func (m *Machine) Out() bool {
	return m != nil && m.Reach != broker.ReachLive && m.Reach != broker.ReachLate
}

// Late reports whether what is drawn of the machine may be old.
func (m *Machine) Late() bool { return m != nil && m.Reach == broker.ReachLate }

// Settled reports whether the machine can be reached and no order waits for it.
func (m *Machine) Settled() bool { return m == nil || !m.Out() && m.Waiting == 0 }

// nearness sorts machines by what they can still be told.
func (m *Machine) nearness() int {
	switch {
	case m.Out():
		return 2
	case m.Late():
		return 1
	}
	return 0
}

// since is the moment at which the machine was heard last, "" when it never was.
func (m *Machine) since(now time.Time) string {
	if m.Heard.IsZero() {
		return ""
	}
	return figures.When(m.Heard.In(now.Location()), now)
}

// age is for how long nothing was heard of the machine.
func (m *Machine) age(now time.Time) string { return figures.Ago(now.Sub(m.Heard)) }

// reach is how far the machine can be reached, the longest text first.
func (m *Machine) reach(now time.Time) []string {
	switch {
	case m.Out() && m.Heard.IsZero():
		return []string{"not heard of yet", "out"}
	case m.Out():
		return []string{"out of reach for " + m.age(now), "out for " + m.age(now), "out " + m.age(now), "out"}
	case m.Late():
		return []string{m.age(now) + " ago", m.age(now)}
	}
	return []string{"live"}
}

// Standing is the same for the edge of a call's card, before its clock; "" for a machine that answers.
func (m *Machine) Standing(now time.Time) string {
	switch {
	case m.Out() && m.Heard.IsZero():
		return m.Label + " was not heard of yet"
	case m.Out():
		return m.Label + " is out of reach since " + m.since(now)
	case m.Late():
		return "as of " + m.age(now) + " ago"
	}
	return ""
}

// Briefly is Standing in fewer cells.
func (m *Machine) Briefly(now time.Time) string {
	if m.Out() && !m.Heard.IsZero() {
		return m.Label + " out since " + m.since(now)
	}
	return m.Standing(now)
}

// Refuses says why nothing can be allowed on the machine now, the longest text first; nil when it can.
// deny is the key that denies.
func (m *Machine) Refuses(now time.Time, deny string) []string {
	if !m.Out() {
		return nil
	}
	lead := m.Standing(now)
	denies := deny + " denies it when it is back"
	return []string{
		lead + ": nothing can be allowed there; " + denies,
		lead + ": nothing can be allowed; " + denies,
		lead + ": " + denies,
		m.Label + " is out of reach: " + denies,
		m.Label + " is out of reach: " + deny + " denies it",
		"out of reach: " + deny + " denies it",
	}
}

// Waits says that a call is denied when its machine is back, the longest text first.
func (m *Machine) Waits() []string {
	if m == nil || !m.Out() {
		return []string{"its denial is on the way to its machine", "its denial is on the way"}
	}
	return []string{
		"denied as soon as " + m.Label + " is back; until then it is as it was",
		"denied as soon as " + m.Label + " is back",
		"denied once it is back",
	}
}

// Told is what stands above the card of a call of the machine, the longest text first; nil when it
// answers. denied says that the call was told to be denied.
func (m *Machine) Told(now time.Time, deny string, denied bool) (i draw.Ink, texts []string) {
	switch {
	case m != nil && denied:
		return draw.Warn, m.Waits()
	case m.Out():
		return draw.Warn, m.Refuses(now, deny)
	case m.Late():
		return draw.Muted, []string{
			m.Label + " was heard " + m.age(now) + " ago: what is drawn of it may be out of date",
			m.Label + " was heard " + m.age(now) + " ago: this may be old",
			"heard " + m.age(now) + " ago: this may be old",
		}
	}
	return draw.Muted, nil
}
