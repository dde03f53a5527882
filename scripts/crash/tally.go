package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// longestRestart is what the start of a broker may take until it listens. A machine that
// is busy with something else may hold up one start in a hundred.
const longestRestart = time.Second

// tally is what a trial has seen, over all its state folders.
type tally struct {
	kills     int
	decisions int // acknowledged to who decided
	answers   int // told to who asked
	calls     int // accepted
	events    int // read back from the logs
	restarts  []time.Duration
	found     findings // the trial ends at the first
}

// report prints the tally. It is an error when nothing was tried, or when a restart took
// too long.
func (t *tally) report(took time.Duration) error {
	if t.decisions == 0 || t.answers == 0 || len(t.restarts) == 0 {
		return errors.New("nothing was decided, so nothing was tried")
	}
	slices.Sort(t.restarts)
	median, longest := t.restarts[len(t.restarts)/2], t.restarts[len(t.restarts)-1]
	fmt.Printf("%d calls accepted, %d answers told to agents, %d events read back; %s in all\n",
		t.calls, t.answers, t.events, took.Round(time.Second))
	fmt.Printf("%d kills, %d decisions acknowledged, %d lost, %d changed, %d doubled; integrity clean; restart median %d ms, max %d ms\n",
		t.kills, t.decisions, t.found.lost, t.found.changed, t.found.doubled, median.Milliseconds(), longest.Milliseconds())
	if longest > longestRestart {
		return fmt.Errorf("a restart took %s, more than %s", longest, longestRestart)
	}
	return nil
}
