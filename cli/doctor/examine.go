package doctor

import (
	"context"
	"sync"
	"time"

	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/version"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
)

// otherParts is how many parts of an examination are not an agent.
const otherParts = 4

// part is some sections of the report that are looked at on their own. look must touch
// nothing but the examination that it is given: parts run at the same time.
type part struct {
	name string
	look func(*examination)
}

// examine runs every check. The parts run at the same time, because most of them wait
// for another process: an agent that tells its version, or a hook that waits for an
// answer. The report has them in the order in which a call meets them.
//
// quick leaves out what only informs and takes time. progress may be nil. Each part
// fills an examination of its own, and they are joined when all are done.
func examine(ctx context.Context, o options, quick bool, progress *terminal.Progress) *examination {
	parts := []part{
		{"console", func(e *examination) {
			e.console(ctx, o)
			e.service(o.socket)
			e.settings(o)
		}},
		{"database", func(e *examination) { e.database(ctx, o) }},
		{"agents", func(e *examination) { e.agents(checkAgents(ctx, o, quick, progress)) }},
		{"drill", func(e *examination) {
			if !o.noDrill {
				e.drill(ctx, gatesOf(checkAgents(ctx, o, true, nil)))
			}
		}},
		{"rules", func(e *examination) { e.rules(ctx, o) }},
	}
	done := make([]examination, len(parts))
	var all sync.WaitGroup
	for i, p := range parts {
		all.Go(func() {
			if p.name != "agents" { // each of them is a step of its own
				defer progress.Step(p.name)()
			}
			done[i].section(p.name)
			p.look(&done[i])
		})
	}
	all.Wait()
	e := &examination{Version: version.Read(), Project: o.project, Checks: []check{}}
	for i := range done {
		e.join(&done[i])
	}
	return e
}

// checkAgents looks at every agent that aoctl knows, in its settings and in this
// project. With quick no agent is started to ask for its version. It only reads, apart
// from starting agents to ask for their versions.
func checkAgents(ctx context.Context, o options, quick bool, progress *terminal.Progress) []agentcheck.Report {
	program := ownProgram()
	program.Console.Socket = o.socket
	return agentcheck.All(ctx, agentcheck.Options{
		Project: o.project, Settings: o.settings, Program: program, Now: time.Now(), Quick: quick, Step: progress.Step,
	})
}

// agents adds a section for each agent, in the order of the reports.
func (e *examination) agents(reports []agentcheck.Report) {
	for _, r := range reports {
		e.section(r.Agent)
		for _, f := range r.Findings {
			e.addFinding(f)
		}
	}
}

// gatesOf are the hooks that decide, for the drill. The drill asks no agent for its
// version, so it need not wait until the slowest one has told it.
func gatesOf(reports []agentcheck.Report) []agentcheck.GateHook {
	var gates []agentcheck.GateHook
	for _, r := range reports {
		gates = append(gates, r.Gates...)
	}
	return gates
}
