// Package fleet is the level of machines above the sessions: which machines there are, how far each can
// be reached, and how that is drawn and said.
//
// In come machines as the broker tells them (Reset, Take). Out go the line of a machine in the pane of
// sessions (Line), what stands above the card of a call whose machine is late or out of reach (Told),
// why nothing can be allowed there (Machine.Refuses), and the counts for the first row.
//
// At a broker's own console there is no machine, and with exactly one the level is folded away: no line
// and no name in front of sessions, only a word in the first row while the machine is not live.
//
// The board has the one Fleet of a console. Nothing here knows a session or a call beyond the numbers
// that it is given, asks the broker, or decides: the machines themselves refuse what they do not take.
// Names of machines are foreign text; a Label is safe to draw.
package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// Fleet is the machines that a console knows. The zero value has none.
type Fleet struct {
	list   []*Machine // by label
	byID   map[string]*Machine
	folded map[string]bool // by id: its sessions are not listed
	rev    int
}

// Machine is a machine as it is drawn. A nil one is this console's own broker.
type Machine struct {
	broker.Machine
	Label string // what it is called, safe to draw; no two have the same
}

// mostLabel is how much of a machine's name is drawn, cells.
const mostLabel = 24

// Reset replaces all machines. What is folded stays so.
func (f *Fleet) Reset(list []broker.Machine) {
	f.list, f.byID = nil, make(map[string]*Machine, len(list))
	for _, m := range list {
		if !m.Gone && f.byID[m.ID] == nil {
			n := &Machine{Machine: m}
			f.byID[m.ID] = n
			f.list = append(f.list, n)
		}
	}
	f.name()
}

// Change is what another value of a machine means for what is drawn.
type Change struct {
	Named   bool // machines came, left, or have other names: so have their sessions
	Settled bool // it can be reached, and no order waits for it any more
	Moved   bool // rows of the screen stand elsewhere now
	Reach   bool // it can be reached otherwise than before
}

// Differs is what Take would mean, without taking it in.
func (f *Fleet) Differs(m broker.Machine) (c Change) {
	old := f.byID[m.ID]
	if old == nil || m.Gone {
		return Change{Named: (old == nil) != m.Gone, Moved: true, Reach: true}
	}
	return Change{
		Named:   old.Name != m.Name,
		Settled: (&Machine{Machine: m}).Settled() && !old.Settled(),
		Moved:   (old.Problem == "") != (m.Problem == ""),
		Reach:   old.Reach != m.Reach,
	}
}

// Take takes in the whole new value of a machine.
func (f *Fleet) Take(m broker.Machine) Change {
	c := f.Differs(m)
	switch old := f.byID[m.ID]; {
	case m.Gone && old != nil:
		delete(f.byID, m.ID)
		delete(f.folded, m.ID)
		f.list = slices.DeleteFunc(f.list, func(o *Machine) bool { return o == old })
	case m.Gone:
	case old == nil:
		if f.byID == nil {
			f.byID = map[string]*Machine{}
		}
		f.byID[m.ID] = &Machine{Machine: m}
		f.list = append(f.list, f.byID[m.ID])
	default:
		if old.more() != (&Machine{Machine: m}).more() {
			f.rev++ // its line has another height
		}
		old.Machine = m
	}
	if c.Named {
		f.name()
	}
	return c
}

// name sorts the machines by name, and gives each a label of its own.
func (f *Fleet) name() {
	f.rev++
	slices.SortFunc(f.list, func(x, y *Machine) int { return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID)) })
	taken := map[string]bool{}
	for _, m := range f.list {
		m.Label = safe.Head(m.Name, mostLabel)
		if m.Label == "" || taken[m.Label] {
			m.Label = safe.Head(m.Name, mostLabel-idShown) + "-" + lastOf(m.ID)
		}
		for taken[m.Label] { // made to look like another one's
			m.Label = safe.Line(m.ID) + "-" + m.Label
		}
		taken[m.Label] = true
	}
}

// idShown is how many of the last characters of an id tell machines of one name apart.
const idShown = 4

func lastOf(id string) string { return safe.Line(id[max(0, len(id)-idShown):]) }

// Many reports whether there are machines to tell apart.
func (f *Fleet) Many() bool { return len(f.list) > 1 }

// All are the machines, by name.
func (f *Fleet) All() []*Machine { return f.list }

// Of is the machine that s is on; nil for this console's own broker, or when that is not known.
func (f *Fleet) Of(s *broker.Session) *Machine {
	if s == nil {
		return nil
	}
	return f.byID[s.Machine]
}

// By is the machine of that id, nil when there is none.
func (f *Fleet) By(id string) *Machine { return f.byID[id] }

// Lead stands before the name of a session of the machine of that id, where there are several.
func (f *Fleet) Lead(id string) string {
	if m := f.byID[id]; m != nil && f.Many() {
		return m.Label + ":"
	}
	return ""
}

// Bare is a session's name without the Lead, for a place below its machine's line.
func (f *Fleet) Bare(s *broker.Session, label string) string {
	return strings.TrimPrefix(label, f.Lead(s.Machine))
}

// Fold folds the sessions of a machine, or unfolds them.
func (f *Fleet) Fold(id string) {
	if f.folded == nil {
		f.folded = map[string]bool{}
	}
	f.folded[id] = !f.folded[id]
	f.rev++
}

// Folded reports whether the sessions of a machine are not listed.
func (f *Fleet) Folded(id string) bool { return f.folded[id] }

// Rev differs whenever what is listed of the machines may have changed.
func (f *Fleet) Rev() int { return f.rev }

// Out is how many machines are out of reach.
func (f *Fleet) Out() (n int) {
	for _, m := range f.list {
		if m.Out() {
			n++
		}
	}
	return n
}

// Away reports whether one of the machines of these names is out of reach.
func (f *Fleet) Away(names []string) bool {
	return slices.ContainsFunc(f.list, func(m *Machine) bool { return m.Out() && slices.Contains(names, m.Name) })
}

// Counts are the machines for the first row, the longest text first; loud says that one of them cannot
// be reached. There is nothing to say of a single one that answers.
func (f *Fleet) Counts(now time.Time) (texts []string, loud bool) {
	out := f.Out()
	switch {
	case f.Many():
		return manyCounts(len(f.list), out), out > 0
	case len(f.list) == 1 && f.list[0].Reach != broker.ReachLive:
		m := f.list[0]
		for _, text := range m.reach(now) {
			texts = append(texts, m.Label+" "+text)
		}
		return append(texts, m.reach(now)...), out > 0
	}
	return nil, false
}

// Problem is the worst that is wrong with a machine, as a sentence; "" when all is well. One that
// answers comes first: it still takes orders.
func (f *Fleet) Problem() string {
	var worst *Machine
	n := 0
	for _, m := range f.list {
		if m.Problem == "" {
			continue
		}
		n++
		if worst == nil || m.nearness() < worst.nearness() {
			worst = m
		}
	}
	if worst == nil {
		return ""
	}
	return problemOf(worst, n-1)
}

// On names all machines in a sentence: " on all 3 machines"; "" where there are not several.
func (f *Fleet) On() string {
	if !f.Many() {
		return ""
	}
	return " on all " + machines(len(f.list))
}

// WhenBack says behind On how many of the machines do something later: ", 2 when they are back"; "" for
// none.
func (f *Fleet) WhenBack() string {
	switch n := f.Out(); n {
	case 0:
		return ""
	case 1:
		return ", 1 when it is back"
	default:
		return ", " + figures.Count(n) + " when they are back"
	}
}
