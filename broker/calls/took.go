package calls

import (
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// mostTook is how many of the last calls Took is about.
const mostTook = 4096

// Took is the broker's own part of the calls that a rule decided at once, from the read question
// to the recorded answer: what it added to each of them. How long the hook took to start, and
// the way to it and back, is not in it: nobody here can see that.
type Took struct {
	Calls    int           // the last ones, since this broker began
	P50, P95 time.Duration // 50 and 95 of 100 took no longer
}

// RuleTimes keeps how long the last calls took that a rule decided.
type RuleTimes struct {
	told func(r broker.Request, took time.Duration) // of each new call; nil when nobody wants to know

	mu   sync.Mutex
	last []time.Duration
	next int // place in last of the oldest, once it is full
}

// OnNew has told hear of each new call that was just put on record, and how long that took from the
// read question on, whoever decides it. OnNew comes before the first call, and told must not wait.
func (t *RuleTimes) OnNew(told func(r broker.Request, took time.Duration)) { t.told = told }

// note keeps how long the new call r took, if a rule decided it at once.
func (t *RuleTimes) note(r broker.Request, d time.Duration) {
	if t.told != nil {
		t.told(r, d)
	}
	// A rule that was made while the call waited did not decide it at once: its time is a
	// person's.
	if r.Outcome == nil || r.Outcome.By.Kind != broker.ByRule || r.Outcome.At.After(r.CreatedAt) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.last) < mostTook {
		t.last = append(t.last, d)
		return
	}
	t.last[t.next] = d
	t.next = (t.next + 1) % mostTook
}

// RuleTook says how long the last calls took that a rule decided at once.
func (t *RuleTimes) RuleTook() Took {
	t.mu.Lock()
	// It is sorted outside of the lock, so that asking for the figures holds up no call.
	sorted := slices.Clone(t.last)
	t.mu.Unlock()
	n := len(sorted)
	if n == 0 {
		return Took{}
	}
	slices.Sort(sorted)
	of := func(p int) time.Duration { return sorted[(n*p+99)/100-1] }
	return Took{n, of(50), of(95)}
}
