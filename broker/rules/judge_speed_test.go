package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A line of many dangerous commands is explained in a moment: an agent must not keep the console busy with
// the reasons of a call that it is going to ask about anyway.
func TestManyDangersAreExplainedSoon(t *testing.T) {
	var line strings.Builder
	for i := range 1900 {
		fmt.Fprintf(&line, "sudo x%d; ", i)
	}
	c := Prepare(newWorld(t).bash(t, line.String()))
	best := time.Hour
	for range 5 { // the machine may have been busy elsewhere
		begun := time.Now()
		judge(t, set(t), c)
		best = min(best, time.Since(begun))
	}
	if best > 250*time.Millisecond {
		t.Errorf("it takes %v", best)
	}
}
