//go:build linux

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// ownConsole stands for a machine's own console where a person is named by their number.
const ownConsole = -1

// press is a key that somebody pressed about a call.
type press struct {
	who     int
	verdict broker.Verdict
	at      time.Time
	done    bool  // the machine confirmed it
	later   bool  // it waits until the machine is back
	err     error // else why not
}

// asked is a call, and what its asker was told.
type asked struct {
	machine  int
	kind     kind
	answer   ask.Answer
	answered time.Time
	err      error
}

// journal is what this program did and was told, to be compared with the logs.
type journal struct {
	mu      sync.Mutex
	presses map[string][]*press // by the call's id
	asked   []asked
}

func newJournal() *journal { return &journal{presses: map[string][]*press{}} }

// press notes a key before anything comes of it.
func (j *journal) press(id string, who int, v broker.Verdict) *press {
	p := &press{who: who, verdict: v, at: time.Now()}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.presses[id] = append(j.presses[id], p)
	return p
}

// change changes a press that others may look at.
func (j *journal) change(do func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	do()
}

func (j *journal) told(a asked) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked = append(j.asked, a)
}

// count is how many calls were answered.
func (j *journal) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.asked)
}

// releases are the times from the key of a console of the fleet to the asker's answer, of the calls
// that were answered from number on. Where several pressed nobody knows whose key it was.
func (j *journal) releases(from int) (took spread) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, a := range j.asked[from:] {
		if p := j.presses[a.answer.RequestID]; len(p) == 1 && p[0].done && p[0].who != ownConsole {
			took = append(took, a.answered.Sub(p[0].at))
		}
	}
	return took
}

// refusals are the keys that did nothing: how often, and why.
func (j *journal) refusals() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	why := map[string]int{}
	for _, list := range j.presses {
		for _, p := range list {
			if p.err == nil || p.later {
				continue
			}
			parts := strings.Split(p.err.Error(), ": ") // the machine or the call, and why
			why[strings.Join(parts[min(1, len(parts)-1):], ": ")]++
		}
	}
	var list []string
	for _, text := range slices.Sorted(maps.Keys(why)) {
		list = append(list, fmt.Sprintf("%d × %s", why[text], text))
	}
	return strings.Join(list, "; ")
}
