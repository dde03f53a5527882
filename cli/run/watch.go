package run

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/show"
)

const (
	nameTime  = time.Second // for the session's name; the agent's output waits for it
	watchPoll = time.Second // how often it is asked what waits
)

// watch asks the console about the session that runs here, for the person at the terminal.
// It decides nothing, and a console that does not answer only leaves its words out.
type watch struct {
	console *client.Client
	session string
	p       *printer
}

// name is what the console calls the session, "" when it does not say.
func (w watch) name() string {
	ctx, cancel := context.WithTimeout(context.Background(), nameTime)
	defer cancel()
	all, err := w.console.Sessions(ctx)
	if err != nil {
		return ""
	}
	return show.SessionNames(client.Plain(all))[w.session]
}

// follow says of each call once that it waits, until ctx ends.
func (w watch) follow(ctx context.Context) {
	told := map[string]bool{}
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		}
		waiting, err := w.console.Pending(ctx, w.session)
		if err != nil {
			continue // the runner says that the console is away
		}
		for _, r := range waiting {
			if !told[r.ID] {
				told[r.ID] = true
				w.p.waits(r.ToolName, show.Call(r.Request))
			}
		}
	}
}
