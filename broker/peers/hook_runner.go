package peers

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// startGrain is how coarse the start times of processes are.
const startGrain = 10 * time.Millisecond

// NotFromRunner says why the process pid is no hook that agent ran after that moment.
//
// Under a stop the agent starts nothing but hooks, so a direct child that is younger than the
// stop is one. Everything else that could send a prompt is older, or stands further below.
func NotFromRunner(pid int, agent broker.Process, after time.Time) string {
	chain, err := SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	i := slices.IndexFunc(chain, func(k Ancestor) bool { return k.PID == agent.PID && (agent.Start == 0 || agent.Start == k.Start) })
	switch {
	case i < 0:
		return "it does not come from the session's agent"
	case i == 0:
		return "" // the agent itself
	case i > 2 || i == 2 && !isShell(commandOf(chain[1].PID)):
		return "another process of the agent stands between"
	}
	age, known := AgeOf(chain[i-1].Process)
	if !known || after.IsZero() {
		return "when it started cannot be told"
	}
	if age > time.Since(after)+startGrain {
		return "it started before the stop"
	}
	return ""
}
