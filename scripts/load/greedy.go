//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

const (
	greedySession = "greedy"
	sessionCap    = 64              // calls of one session that may wait
	burstEvery    = 5 * time.Second // the greedy session asks everything again
)

// oneGreedySession lets one session ask very often at once, again and again, beside
// another that asks once a second.
func (l *load) oneGreedySession(ctx context.Context) ([]row, error) {
	const longest = 200 * time.Millisecond
	c, err := l.openConsole(ctx, "greedy", 0)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	greedy := startGreedy(ctx, c, l.greedy)
	var took []time.Duration
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for i := range l.fair {
		if time.Duration(i)*time.Second%burstEvery == 0 {
			greedy.burst()
		}
		call, err := l.readCall("fair", fmt.Sprintf("toolu_fair_%d", i))
		if err != nil {
			return nil, err
		}
		s, err := l.runHook(ctx, c.home, call)
		if err != nil {
			return nil, err
		}
		if s.verdict != "ALLOW" {
			return nil, fmt.Errorf("the other session's call was told %s: %s", s.verdict, s.reason)
		}
		took = append(took, s.took())
		select {
		case <-second.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := greedy.end(); err != nil {
		return nil, err
	}
	p99 := percentile(took, 99)
	capped := greedy.asked - greedy.waited
	return []row{
		check(greedy.waited <= sessionCap && capped > 0 && len(greedy.unexplained) == 0,
			fmt.Sprintf("one session asks %d times at once", l.greedy), "capped, with a reason",
			"%d asked, %d waited, %d refused at once%s", greedy.asked, greedy.waited, capped, greedy.reason()),
		checkTime(p99 <= longest, "another session beside it, once a second", "p99 at most 200 ms",
			"%d calls, p50 %.0f ms, p99 %.0f ms", len(took), ms(percentile(took, 50)), ms(p99)),
	}, nil
}

// greedy is the session that asks too much.
type greedy struct {
	ctx     context.Context //nolint:containedctx // the run that its calls belong to
	stop    context.CancelFunc
	console *console
	each    int // calls of one burst
	calls   sync.WaitGroup

	asked       int
	mu          sync.Mutex
	waited      int      // calls that were waiting when the session was stopped
	unexplained []string // refusals that do not say why
	example     string   // a reason
}

func startGreedy(ctx context.Context, c *console, each int) *greedy {
	ctx, stop := context.WithCancel(ctx)
	return &greedy{ctx: ctx, stop: stop, console: c, each: each}
}

// burst asks everything at once.
func (g *greedy) burst() {
	for i := range g.each {
		call := ask.Call{
			Session: greedySession, ToolUse: fmt.Sprintf("toolu_greedy_%d", g.asked+i), Tool: "Bash", CWD: "/",
			Input: map[string]any{"command": fmt.Sprintf("make target-%d", g.asked+i)},
		}
		g.calls.Go(func() {
			a, err := g.console.api.Hook(g.ctx, call, uuid.NewString())
			g.note(a, err)
		})
	}
	g.asked += g.each
}

// note takes in how one call ended.
func (g *greedy) note(a ask.Answer, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	text := a.Reason
	if refused, ok := errors.AsType[*ask.Error](err); ok {
		text = refused.Message()
	} else if err != nil {
		text = err.Error()
	}
	switch {
	case err == nil && strings.Contains(text, "topped"): // by end
		g.waited++
	case strings.Contains(text, "too many") || strings.Contains(text, "rate"):
		g.example = text
	default:
		g.unexplained = append(g.unexplained, text)
	}
}

// end stops the session, which refuses what waits, and returns when all calls ended.
func (g *greedy) end() error {
	defer g.stop()
	rep, err := g.console.api.Do(g.ctx, http.MethodPost, "/sessions/"+greedySession+"/stop", nil)
	if err == nil && rep.Status != http.StatusOK {
		err = &ask.Error{Status: rep.Status, Body: string(rep.Body)}
	}
	if err != nil {
		return fmt.Errorf("stop the greedy session: %w", err)
	}
	g.calls.Wait()
	return nil
}

// reason is what the session was told.
func (g *greedy) reason() string {
	if len(g.unexplained) > 0 {
		return fmt.Sprintf(", %d of them with other words: %q", len(g.unexplained), g.unexplained[0])
	}
	return fmt.Sprintf(": %q", g.example)
}
