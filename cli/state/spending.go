package state

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/tally"
)

// Spending says what sessions spent, and keeps what it read of their transcripts for the
// next time that it is asked. The zero value is ready; several goroutines may use it, one
// after the other.
type Spending struct {
	mu    sync.Mutex
	known map[string]transcriptRead // by session
}

// transcriptRead is what a transcript said when it was like this. Size and time of change
// tell whether it has to be read again.
type transcriptRead struct {
	path  string
	size  int64
	mod   time.Time
	spent tally.Spent
}

// Of is r with what its sessions spent. A transcript that is gone or cannot be read tells
// nothing. The error is that of the record, or ctx's. Transcripts may be large: it is not
// for the goroutine that draws.
func (sp *Spending) Of(ctx context.Context, from Counted, r tally.Report) (tally.Report, error) {
	list, err := from.Sessions(ctx, broker.SessionFilter{Limit: mostNamed})
	if err != nil {
		return r, fmt.Errorf("read the sessions: %w", err)
	}
	sessions := make(map[string]broker.Session, len(list))
	for _, s := range list {
		sessions[s.ID] = s
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	r = r.Spend(func(id string) (string, tally.Spent) {
		return sessions[id].Agent, sp.session(ctx, sessions[id])
	})
	return r, ctx.Err()
}

// session is what one session spent. The lock is held by the caller.
func (sp *Spending) session(ctx context.Context, s broker.Session) tally.Spent {
	now := transcriptRead{path: s.Transcript}
	if info, err := os.Lstat(s.Transcript); err == nil {
		now.size, now.mod = info.Size(), info.ModTime()
	}
	before, ok := sp.known[s.ID]
	// A managed session's spending also comes from its runner, so its file alone does not
	// tell whether there is more.
	if now.spent = before.spent; ok && now == before && s.Run == nil {
		return before.spent
	}
	got, told, err := story.SpentBy(ctx, s)
	if err != nil { // also that nobody waits any longer
		return tally.Spent{}
	}
	now.spent = spentOf(got, told)
	if sp.known == nil {
		sp.known = map[string]transcriptRead{}
	}
	sp.known[s.ID] = now
	return now.spent
}

// spentOf puts a session's spending into the tally's form. told says that the agent gave
// any figures: zero is not the same as nothing said.
func spentOf(s story.Spent, told bool) (t tally.Spent) {
	if !told {
		return t
	}
	t = tally.Spent{Sessions: 1, Cost: s.Cost, Input: s.Usage.Input, Output: s.Usage.Output, CacheRead: s.Usage.CacheRead, CacheWrite: s.Usage.CacheWrite}
	if s.Cost > 0 {
		t.Priced = 1
	}
	return t
}
