package main

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// tally counts what a trial did, so that one that tried little does not pass for proof.
type tally struct {
	hooks, hookKills, open      atomic.Int64 // hook processes
	kills, terms, pauses, locks atomic.Int64

	mu        sync.Mutex
	sessions  int
	ops       int
	asks      int
	decisions int // acknowledged
	late      int // answers that came after another one
	grants    int
	expiries  int
	cancels   int
	answers   int // settled elsewhere
	conflicts int
	stops     int
	lifts     int
	lost      int // outcomes that are not known
	unsaved   int // records that failed
	undecided int
	starts    []time.Duration
	realLives int
	latencies []time.Duration // from a decision's start to its asker's answer
}

func (t *tally) started(took time.Duration, real bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starts = append(t.starts, took)
	if real {
		t.realLives++
	}
}

// count adds the operations of one session that is over.
func (t *tally) count(ops []*op, undecided int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions++
	t.ops += len(ops)
	t.undecided += undecided
	for _, o := range ops {
		switch o.Out {
		case unknown:
			t.lost++
		case failed:
			t.unsaved++
		case already:
			t.late++
		case granted:
			t.grants++
		case conflict:
			t.conflicts++
		case done, missing, forbid, none, offered:
		}
		switch {
		case o.Kind == "ask":
			t.asks++
		case o.Kind == "decide" && o.Out == done:
			t.decisions++
			t.latency(o, ops)
		case o.Kind == "stop" && o.Out == done:
			t.stops++
		case o.Kind == "lift" && o.Out == offered:
			t.lifts++
		case o.Kind == "see" && o.Road == "last":
			t.ended(o.Seen)
		}
	}
}

func (t *tally) ended(st status) {
	switch st {
	case expired:
		t.expiries++
	case cancelled:
		t.cancels++
	case answered:
		t.answers++
	case absent, pending, allowed, denied, refused, unrecorded:
	}
}

// latency notes when the asker who waited during decision d had its answer.
func (t *tally) latency(d *op, ops []*op) {
	for _, o := range ops {
		if o.Kind == "see" && o.Road == "told" && o.Call == d.Call && o.Slot == d.Slot && o.Inv < d.Inv && o.Ret > d.Inv && o.Ret != never && o.Seen.terminal() {
			t.latencies = append(t.latencies, time.Duration(o.Ret-d.Inv))
			return
		}
	}
}

// least is what one minute must have tried at least.
var least = []struct {
	what string
	n    int
	of   func(*tally) int
}{
	{"questions", 600, func(t *tally) int { return t.asks }},
	{"hook processes", 60, func(t *tally) int { return int(t.hooks.Load()) }},
	{"decisions", 200, func(t *tally) int { return t.decisions }},
	{"answers after another", 30, func(t *tally) int { return t.late }},
	{"expiries", 30, func(t *tally) int { return t.expiries }},
	{"cancelled calls", 10, func(t *tally) int { return t.cancels }},
	{"conflicts", 20, func(t *tally) int { return t.conflicts }},
	{"stops", 20, func(t *tally) int { return t.stops }},
	{"prompts after a stop", 10, func(t *tally) int { return t.lifts }},
	{"killed hooks", 10, func(t *tally) int { return int(t.hookKills.Load()) }},
	{"kills of the broker", 6, func(t *tally) int { return int(t.kills.Load()) }},
	{"pauses of the broker", 2, func(t *tally) int { return int(t.pauses.Load()) }},
	{"restarts", 8, func(t *tally) int { return max(len(t.starts)-1, 0) }},
}

// tooLittle says what a trial of that length tried too rarely to prove anything.
func (t *tally) tooLittle(length time.Duration) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, l := range least {
		if need, got := int(float64(l.n)*length.Minutes()), l.of(t); got < need {
			list = append(list, fmt.Sprintf("%d %s, at least %d are needed", got, l.what, need))
		}
	}
	if t.undecided > 0 {
		list = append(list, fmt.Sprintf("%d histories could not be searched in time", t.undecided))
	}
	return list
}

func (t *tally) print(out io.Writer, length time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(out, "sessions    %d checked in %s, %d operations\n", t.sessions, length.Round(time.Second), t.ops)
	fmt.Fprintf(out, "asked       %d times, %d hook processes ran to their end, %d were killed, %d OPEN\n", t.asks, t.hooks.Load(), t.hookKills.Load(), t.open.Load())
	fmt.Fprintf(out, "decided     %d acknowledged, %d came second, %d left a grant\n", t.decisions, t.late, t.grants)
	fmt.Fprintf(out, "ended else  %d expired, %d cancelled, %d settled elsewhere\n", t.expiries, t.cancels, t.answers)
	fmt.Fprintf(out, "refused     %d conflicts, %d records that failed\n", t.conflicts, t.unsaved)
	fmt.Fprintf(out, "stopped     %d times, prompted after it %d times\n", t.stops, t.lifts)
	fmt.Fprintf(out, "unknown     %d outcomes lost with a connection\n", t.lost)
	fmt.Fprintf(out, "broker      %d kill -9, %d SIGTERM, %d pauses, %d times another program held the database\n", t.kills.Load(), t.terms.Load(), t.pauses.Load(), t.locks.Load())
	fmt.Fprintf(out, "starts      %d, %d of them of the real program; median %s, longest %s\n", len(t.starts), t.realLives, at(t.starts, 0.5), at(t.starts, 1))
	fmt.Fprintf(out, "verdict     median %s, p99 %s from the decision to who waits, kills and pauses included\n", at(t.latencies, 0.5), at(t.latencies, 0.99))
}

// at is the value below which a share of list lies.
func at(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(share*float64(len(list))), len(list)-1)].Round(100 * time.Microsecond)
}
