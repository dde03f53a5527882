package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// fakeTally is a record of ended calls.
type fakeTally struct {
	ended    []broker.EndedCall
	tallyErr error
	archived time.Time
	given    int           // contexts that ended while calls were counted
	hold     chan struct{} // counting waits for it; nil for none
	spend    map[string]tally.Spent
	took     calls.Took
	tallies  int
}

func (f *fakeConsole) Tally(ctx context.Context, since time.Time) (tally.Report, error) {
	f.mu.Lock()
	f.tallies++
	hold := f.hold
	f.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			f.mu.Lock()
			defer f.mu.Unlock()
			f.given++
			return tally.Report{}, ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []broker.EndedCall
	for _, c := range f.ended {
		if !c.Ended.Before(since) {
			list = append(list, c)
		}
	}
	r := tally.Count(slices.Values(list), time.UTC)
	for i := range r.Sessions {
		if r.Sessions[i].ID == "gone" {
			r.Sessions[i].Name = "sho\x1b[2Jp"
		}
	}
	if f.archived.After(since) {
		r.ArchivedMS = f.archived.UnixMilli()
	}
	return r, f.tallyErr
}

func (f *fakeConsole) Spending(_ context.Context, r tally.Report) (tally.Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return r.Spend(func(id string) (string, tally.Spent) {
		return map[string]string{"s1": "claude", "s2": "codex"}[id], f.spend[id]
	}), nil
}

func (f *fakeConsole) RuleTook() calls.Took {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.took
}

// endedCalls are those of six weeks: every day fewer prompts, because rules were made.
func endedCalls() []broker.EndedCall {
	var list []broker.EndedCall
	tools := []string{"Bash", "Edit", "Read", "mcp__tickets__create_a_ticket\x1b[31m", "WebFetch", "Write", "Grep", "Glob", "Task", "NotebookEdit"}
	for day := range 42 {
		if day%7 == 0 { // a Saturday
			continue
		}
		for i := range 40 - day/2 {
			at := tuitest.Noon.AddDate(0, 0, -day).Add(-time.Duration(i*11) * time.Minute)
			c := broker.EndedCall{
				SessionID: []string{"s1", "s2", "gone"}[i%3], Agent: []string{"claude", "codex"}[i%2], Tool: tools[(i*i+day)%len(tools)],
				State: broker.Allowed, By: broker.ByRule, ByID: []string{"builtin:read-only", "0197-rule"}[i%2], Asked: at, Ended: at,
			}
			switch {
			case i*3 < day:
				c.By, c.ByID, c.Ended = broker.ByOperator, "", at.Add(time.Duration(i*i+2)*time.Second)
			case i%9 == 4:
				c.State = broker.Denied
			case i == 17:
				c.State, c.By, c.ByID, c.Ended = broker.Expired, broker.ByDeadline, "", at.Add(10*time.Minute)
			}
			list = append(list, c)
		}
	}
	today := broker.EndedCall{SessionID: "s1", Agent: "claude", Tool: "Bash", State: broker.Allowed, By: broker.ByOperator, Asked: tuitest.Noon.Add(-3 * time.Hour)}
	today.Ended = today.Asked.Add(8 * time.Second)
	rule := today
	rule.By, rule.ByID, rule.Asked, rule.Ended = broker.ByRule, "0197-rule", today.Asked.Add(2*time.Hour), today.Asked.Add(2*time.Hour)
	return append(list, today, rule)
}

// goldenStats draws the screen in windows of four sizes.
func goldenStats(t *testing.T, name string, f fakeTally, keys ...string) {
	t.Helper()
	var b strings.Builder
	for _, size := range append(slices.Clone(sizes), [2]int{200, 50}) {
		s := newStill(t, broker.Snapshot{Sessions: someSessions()}, nil, termenv.Ascii)
		s.fake().fakeTally = f
		s.draw(size[0], size[1], "C")
		s.told()
		for _, k := range keys {
			s.keys(k)
			s.told()
		}
		view := s.draw(size[0], size[1])
		tuitest.CheckView(t, view, size[0], size[1])
		fmt.Fprintf(&b, "%d×%d\n%s\n\n", size[0], size[1], view)
		s.fitsEveryWindow(t)
	}
	tuitest.Golden(t, name, b.String())
}

func TestGoldenStats(t *testing.T) {
	all := fakeTally{ended: endedCalls(), spend: map[string]tally.Spent{
		"s1": {Sessions: 1, Priced: 1, Cost: 4.2, Input: 21_000, CacheRead: 1_900_000, Output: 48_200}, "s2": {Sessions: 1, Input: 350_000, Output: 9_100},
	}}
	goldenStats(t, "stats-today", all)
	goldenStats(t, "stats-days", all, "right", "right")
	goldenStats(t, "stats-end", all, "right", "right", "G")
	archived := all
	archived.took = calls.Took{Calls: 312, P50: 1900 * time.Microsecond, P95: 14 * time.Millisecond}
	archived.archived = tuitest.Noon.AddDate(0, 0, -60)
	goldenStats(t, "stats-all", archived, "left")
	goldenStats(t, "stats-none", fakeTally{}, "left")
	goldenStats(t, "stats-none-today", fakeTally{})
	goldenStats(t, "stats-unread", fakeTally{tallyErr: errors.New("the disk is \x1b[2Jgone")})
}

// While calls are counted keys are taken; choosing another span gives the count up, and what it says
// after all is not shown.
func TestStatsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(someSessions())
		f.ended, f.hold = endedCalls(), make(chan struct{})
		r := newRig(t, f, 120, 40)
		r.press("C")
		r.shows("counting …")
		r.press("right")
		r.shows("‹ 7 days ›")
		if f.mu.Lock(); f.given != 1 {
			t.Errorf("%d counts were given up", f.given)
		}
		f.mu.Unlock()
		close(f.hold)
		r.wait(time.Second)
		r.shows("Prompts per 100 calls")
		r.press("esc")
		r.shows("▸Sessions")
	})
}

// What ends while the screen is open is counted too, a little later.
func TestStatsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(someSessions())
		r := newRig(t, f, 120, 40)
		r.press("C")
		r.wait(time.Minute)
		r.shows("No call ended today")
		if f.mu.Lock(); f.tallies != 1 {
			t.Errorf("counted %d times, and nothing ended", f.tallies)
		}
		now := time.Now()
		f.ended = append(f.ended, broker.EndedCall{SessionID: "s1", Agent: "claude", Tool: "Bash", State: broker.Allowed, By: broker.ByOperator, Asked: now, Ended: now})
		f.mu.Unlock()
		f.publish(settled(bash("r1", "s1", now, "ls"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", now))
		r.wait(7 * time.Second)
		r.shows("1 · 1 prompt")
	})
}
