package fleet

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func of(list ...broker.Machine) *Fleet {
	f := new(Fleet)
	f.Reset(list)
	return f
}

func labels(f *Fleet) (all []string) {
	for _, m := range f.All() {
		all = append(all, m.Label)
	}
	return all
}

// Machines are sorted by name, and no two have one label, whatever they are called.
func TestLabels(t *testing.T) {
	long := strings.Repeat("n", 60)
	for name, c := range map[string]struct {
		machines []broker.Machine
		want     []string
	}{
		"by name":        {[]broker.Machine{{ID: "2222", Name: "b"}, {ID: "1111", Name: "a"}}, []string{"a", "b"}},
		"one name":       {[]broker.Machine{{ID: "xx2222", Name: "a"}, {ID: "xx1111", Name: "a"}}, []string{"a", "a-2222"}},
		"no name":        {[]broker.Machine{{ID: "xx2222"}}, []string{"-2222"}},
		"long names":     {[]broker.Machine{{ID: "2222", Name: long + "2"}, {ID: "1111", Name: long + "1"}}, []string{long[:mostLabel] + "…", long[:mostLabel-idShown] + "…-2222"}},
		"made to look":   {[]broker.Machine{{ID: "1111", Name: "a"}, {ID: "2222", Name: "a"}, {ID: "3333", Name: "a-2222"}}, []string{"a", "a-2222", "a-2222-3333"}},
		"told twice":     {[]broker.Machine{{ID: "1111", Name: "a"}, {ID: "1111", Name: "b"}}, []string{"a"}},
		"gone":           {[]broker.Machine{{ID: "1111", Name: "a", Gone: true}, {ID: "2222", Name: "b"}}, []string{"b"}},
		"escapes a line": {[]broker.Machine{{ID: "1111", Name: "a\n\x1b[2J"}}, []string{`a␊\x1b[2J`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := labels(of(c.machines...))
			if name == "escapes a line" {
				if strings.ContainsAny(got[0], "\n\x1b") {
					t.Errorf("a label is %q", got[0])
				}
				return
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Take says what a change means, and only a change of what is listed asks for a new list.
func TestTake(t *testing.T) {
	a := broker.Machine{ID: "a", Name: "a", Reach: broker.ReachLive}
	b := broker.Machine{ID: "b", Name: "b", Reach: broker.ReachOut, Waiting: 2}
	with := func(m broker.Machine, change func(*broker.Machine)) broker.Machine { change(&m); return m }
	for name, c := range map[string]struct {
		now    broker.Machine
		want   Change
		listed bool
	}{
		"heard":             {with(a, func(m *broker.Machine) { m.Heard = time.Unix(9, 0) }), Change{}, false},
		"late":              {with(a, func(m *broker.Machine) { m.Reach = broker.ReachLate }), Change{Reach: true}, false},
		"renamed":           {with(a, func(m *broker.Machine) { m.Name = "c" }), Change{Named: true}, true},
		"a problem":         {with(a, func(m *broker.Machine) { m.Problem = "forged" }), Change{Moved: true}, true},
		"back, orders wait": {with(b, func(m *broker.Machine) { m.Reach = broker.ReachLive }), Change{Reach: true}, false},
		"back":              {with(b, func(m *broker.Machine) { m.Reach, m.Waiting = broker.ReachLive, 0 }), Change{Reach: true, Settled: true}, true},
		"taken, out":        {with(b, func(m *broker.Machine) { m.Waiting = 0 }), Change{}, true},
		"one more order":    {with(b, func(m *broker.Machine) { m.Waiting = 3 }), Change{}, false},
		"new":               {broker.Machine{ID: "c"}, Change{Named: true, Moved: true, Reach: true}, true},
		"gone":              {broker.Machine{ID: "b", Gone: true}, Change{Named: true, Moved: true, Reach: true}, true},
		"gone, never known": {broker.Machine{ID: "c", Gone: true}, Change{Moved: true, Reach: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := of(a, b)
			rev := f.Rev()
			if got := f.Take(c.now); got != c.want {
				t.Errorf("it means %+v, want %+v", got, c.want)
			}
			if listed := f.Rev() != rev; listed != c.listed {
				t.Errorf("the list is another one: %v", listed)
			}
			if m := f.By(c.now.ID); c.now.Gone != (m == nil) || m != nil && m.Machine != c.now {
				t.Errorf("it is kept as %+v", m)
			}
		})
	}
}

// Where there is one machine, sessions have no name of it before theirs.
func TestLead(t *testing.T) {
	f := of(broker.Machine{ID: "a", Name: "api"})
	s := &broker.Session{Machine: "a"}
	if got := f.Lead("a"); got != "" {
		t.Errorf("with one machine: %q", got)
	}
	f.Take(broker.Machine{ID: "b", Name: "build"})
	if got := f.Lead("a") + "docs"; got != "api:docs" || f.Bare(s, got) != "docs" {
		t.Errorf("with two: %q, below its machine %q", got, f.Bare(s, got))
	}
	if got := f.Lead("nobody"); got != "" {
		t.Errorf("of a machine that is not known: %q", got)
	}
}

// The first row says of one machine only that it is not live, and of several how many there are.
func TestCounts(t *testing.T) {
	now := time.Unix(1000, 0)
	live := broker.Machine{ID: "a", Name: "a", Reach: broker.ReachLive, Heard: now}
	out := broker.Machine{ID: "b", Name: "b", Reach: broker.ReachOut, Heard: now.Add(-4 * time.Minute)}
	late := broker.Machine{ID: "c", Name: "c", Reach: broker.ReachLate, Heard: now.Add(-12 * time.Second)}
	odd := broker.Machine{ID: "d", Name: "d", Reach: "sideways"}
	for name, c := range map[string]struct {
		f    *Fleet
		want string
		loud bool
	}{
		"none":             {of(), "", false},
		"one":              {of(live), "", false},
		"one late":         {of(late), "c 12s ago", false},
		"one out":          {of(out), "b out of reach for 4m", true},
		"one not heard of": {of(odd), "d not heard of yet", true},
		"two":              {of(live, late), "2 machines", false},
		"two, one out":     {of(live, out), "2 machines, 1 out of reach", true},
		"reach not known":  {of(live, odd), "2 machines, 1 out of reach", true},
	} {
		texts, loud := c.f.Counts(now)
		if got := strings.Join(texts[:min(1, len(texts))], ""); got != c.want || loud != c.loud {
			t.Errorf("%s: %q %v, want %q %v", name, got, loud, c.want, c.loud)
		}
	}
}

// The problem of a machine that still takes orders comes first.
func TestProblem(t *testing.T) {
	f := of(
		broker.Machine{ID: "a", Name: "a", Reach: broker.ReachOut, Problem: "its line is cut"},
		broker.Machine{ID: "b", Name: "b", Reach: broker.ReachLive, Problem: "it says what it did not sign"},
		broker.Machine{ID: "c", Name: "c", Reach: broker.ReachLive},
	)
	if got, want := f.Problem(), "b: it says what it did not sign · and 1 more machine"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := of(broker.Machine{ID: "c"}).Problem(); got != "" {
		t.Errorf("without one: %q", got)
	}
}

type partial struct{ done, later []string }

func (p partial) Error() string       { return "in part" }
func (p partial) Confirmed() []string { return p.done }
func (p partial) Later() []string     { return p.later }

// What came of an order to all counts every machine: one that neither confirmed nor does it later is
// said, too.
func TestOutcome(t *testing.T) {
	f := of(broker.Machine{ID: "1", Name: "api-1"}, broker.Machine{ID: "2", Name: "build-2"}, broker.Machine{ID: "3", Name: "dev-box"}, broker.Machine{ID: "4", Name: "ci-3"})
	for _, c := range []struct {
		p    partial
		want string
	}{
		{partial{[]string{"api-1", "build-2", "ci-3"}, []string{"dev-box"}}, "api-1, build-2 and ci-3 confirmed: done; dev-box stops when it is back"},
		{partial{[]string{"api-1", "build-2"}, []string{"dev-box", "ci-3"}}, "api-1 and build-2 confirmed: done; dev-box and ci-3 stop when they are back"},
		{partial{[]string{"api-1"}, []string{"dev-box"}}, "api-1 confirmed: done; dev-box stops when it is back; 2 machines did not"},
		{partial{nil, []string{"dev-box"}}, "no machine confirmed; dev-box stops when it is back; 3 machines did not"},
	} {
		err := fmt.Errorf("stop all: %w", c.p)
		p, ok := Waits(err)
		if !ok {
			t.Fatalf("%v does not wait", c.p)
		}
		texts := f.Outcome(p, "done", "stops", "stop")
		if texts[0] != c.want {
			t.Errorf("%q, want %q", texts[0], c.want)
		}
		for i := 1; i < len(texts); i++ {
			if draw.Cells(texts[i]) >= draw.Cells(texts[i-1]) {
				t.Errorf("%q is no shorter than %q", texts[i], texts[i-1])
			}
		}
	}
	for _, err := range []error{nil, errors.New("no"), partial{done: []string{"api-1"}}} {
		if _, ok := Waits(err); ok {
			t.Errorf("%v waits for a machine", err)
		}
	}
}

func TestNames(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a", 2: "a and b", 3: "a, b and c", 4: "a, b, c and d", 6: "a, b, c and 3 more"} {
		if got := Names(strings.Split("abcdef", "")[:n]); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// A line fits every width and says, in any that has room for it at all, that a machine is out of reach,
// how many sessions are folded and how many calls wait.
func TestLine(t *testing.T) {
	now := time.Unix(10_000, 0)
	st := tuitest.PlainStyles()
	for _, p := range append([]string{"dev-box", "the machine in the cellar"}, tuitest.Payloads...) {
		f := of(broker.Machine{ID: "a", Name: p, Reach: broker.ReachOut, Heard: now.Add(-time.Hour), Problem: p, Waiting: 3})
		for width := 1; width < 60; width++ {
			for _, folded := range []bool{false, true} {
				for _, open := range []bool{false, true} {
					m := f.All()[0]
					rows := m.Line(folded, open, Inside{12, 7, 1}, now, width, func() *draw.Row { return st.Row(width).Put(draw.Key, "▌") })
					if len(rows) != m.Rows(width, open) {
						t.Fatalf("%q in %d cells has %d rows, and says %d", p, width, len(rows), m.Rows(width, open))
					}
					for _, r := range rows {
						if safe.Width(r) != width {
							t.Fatalf("%q in %d cells has a row of %d: %q", p, width, safe.Width(r), r)
						}
					}
					for _, part := range []string{"out", "7", "!!"} {
						if width >= 20 && !strings.Contains(rows[0], part) {
							t.Errorf("%q in %d cells lacks %s: %q", p, width, part, rows[0])
						}
					}
					if width >= 26 && folded && !strings.Contains(rows[0], "12") {
						t.Errorf("%q in %d cells does not say how many are folded: %q", p, width, rows[0])
					}
				}
			}
		}
	}
}
