package callview

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
)

// InFiles is a with the call shown in the files that it would change, as they are now, and with
// the file of a plan. It reads and compares them before it returns; the console, which must not
// wait, does the same step by step.
func (a Around) InFiles(ctx context.Context, r broker.Request, read func(path string) ([]byte, error), now time.Time) Around {
	look := func(path string) change.File {
		data, err := read(path)
		return change.Result(data, err, now)
	}
	if tool, input := r.Call(); tool == agents.ExitPlanMode {
		if path, ok := PlanFile(change.ReadInput(input), r.CWD); ok {
			a.PlanFile = look(path)
		}
		return a
	}
	cs, ok := change.ChangesOf(r)
	if !ok {
		return a
	}
	files := map[string]change.File{}
	for _, path := range cs.Targets(r.CWD) {
		files[path] = look(path)
	}
	a.Sections, a.Rest = change.Dressed(ctx, cs.Compare(files, r.CWD, diff.OffScreen)), cs.Rest
	return a
}
