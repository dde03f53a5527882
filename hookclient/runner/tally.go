package runner

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker/wire"
)

// tally is what the turns of one process have used so far. It counts one process; the console
// adds the earlier ones.
type tally struct {
	cost  float64 // US dollars
	usage wire.RunUsage
}

// add counts a result. What was used since the result before is told by model, sub-agents
// and all. The totals of a result are no good for that: the usage is the turn's alone and
// leaves out sub-agents, and the cost goes on from an earlier process where the agent
// remembers one. An agent that does not tell what is new leaves nothing else.
func (t *tally) add(m message) {
	var models map[string]modelUsage
	if json.Unmarshal(m.Since, &models) != nil || models == nil {
		t.count(m.Usage)
		t.cost = bounded(max(t.cost, m.Cost), mostCost)
		return
	}
	for _, u := range models {
		t.count(tokenUsage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
		t.cost = bounded(t.cost+bounded(u.Cost, mostCost), mostCost)
	}
}

// count adds tokens. Numbers are the agent's output and may be anything, so each is bounded
// before it is added.
func (t *tally) count(u tokenUsage) {
	for sum, n := range map[*int64]int64{
		&t.usage.Input: u.Input, &t.usage.Output: u.Output, &t.usage.CacheRead: u.CacheRead, &t.usage.CacheWrite: u.CacheWrite,
	} {
		*sum = bounded(*sum+bounded(n, mostTokens), mostTokens)
	}
}

// The most that is counted; the console does not take what makes no sense.
const (
	mostTokens = 1 << 50
	mostCost   = 999_999_999
)

// bounded is v, and at least 0, at most most.
func bounded[N int64 | float64](v, most N) N { return min(max(v, 0), most) }
