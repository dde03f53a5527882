package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	frozenAgents = 4
	frozenCalls  = 200 // of each agent: more than it makes before it is frozen
	frozenFor    = 3 * time.Second
)

// Four real agents make one call after the other, all of them allowed by a rule. Once they
// are frozen none of them makes another file, until they are let go on; a console that is
// opened anew in the middle changes nothing.
func TestE2EFreeze(t *testing.T) {
	p := findE2E(t)
	programs := findGuests(t, p)
	r := newRig(t, p, oneCall)
	var list []*visit
	for _, g := range guests {
		if program, ok := programs[g.name]; ok && len(list) < frozenAgents {
			list = append(list, r.welcomeTo(g, program, manyCalls(g)))
		}
	}
	console := r.console("console")
	for _, v := range list {
		v.start()
	}
	for _, v := range list {
		r.waiting(v.canary())
	}
	first := r.pending()[0]
	console.ruleFrom(first, "touch *")
	for _, v := range list {
		r.until(v.title+" makes files", func() bool { return r.files(v) > 1 })
	}

	console.until("f", "the freeze", func() bool { return strings.Contains(console.screen(), "FROZEN") })
	for _, v := range list {
		r.until("a held call of "+v.title, func() bool { return r.holds(v) })
	}
	before := r.counts(list)
	r.stayFrozen(list, before)

	r.signalConsole(syscall.SIGKILL)
	console = r.console("again")
	console.shows("FROZEN")
	console.shows("frozen · refused in")
	r.stayFrozen(list, before)

	console.until("f", "a question", func() bool { return strings.Contains(console.screen(), "let all agents go on?") })
	console.until("y", "the end of the freeze", func() bool { return !strings.Contains(console.screen(), "FROZEN") })
	for i, v := range list {
		r.until(v.title+" goes on", func() bool { return r.files(v) > before[i] })
	}
	r.run(r.aoctl, "stop", "--all")
	if r.alarmed() {
		t.Errorf("there was an alarm, and nothing ran otherwise than allowed%s", r.lastScreen())
	}
}

// manyCalls is a model that wants one file after the other.
func manyCalls(g guest) modelScript {
	var script modelScript
	for i := range frozenCalls {
		script = append(script, g.shell(fmt.Sprintf("touch canary-%s-%d", g.name, i)))
	}
	return append(script, modelStep{Text: "all done"})
}

// files counts the files that v's calls left.
func (r *rig) files(v *visit) int {
	found, err := filepath.Glob(filepath.Join(r.project, v.canary()+"-*"))
	if err != nil {
		r.t.Fatal(err)
	}
	return len(found)
}

func (r *rig) counts(list []*visit) []int {
	counts := make([]int, len(list))
	for i, v := range list {
		counts[i] = r.files(v)
	}
	return counts
}

// holds reports whether a call of v waits and is held.
func (r *rig) holds(v *visit) bool {
	for _, q := range r.pending() {
		if q.Agent == v.name && q.Held != "" {
			return true
		}
	}
	return false
}

// stayFrozen looks for a while that no agent makes another file.
func (r *rig) stayFrozen(list []*visit, before []int) {
	r.t.Helper()
	r.within(frozenFor, func() bool { return false })
	for i, now := range r.counts(list) {
		if now != before[i] {
			r.t.Errorf("%s made %d files, %d of them while it was frozen", list[i].title, now, now-before[i])
		}
		if !r.holds(list[i]) {
			r.t.Errorf("no call of %s is held any more%s", list[i].title, r.lastScreen())
		}
	}
}
