package tui

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// timeRig has a call of five minutes ago whose asker would wait for an hour.
func timeRig(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	r := bash("r1", "s1", now.Add(-5*time.Minute), "make")
	r.MayWaitUntil = now.Add(55 * time.Minute)
	return newRig(t, newFake([]broker.Session{{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive, StartedAt: now}},
		r, bash("r2", "s1", now, "ls")), 120, 30)
}

// A card of an agent that waits only so long, whatever it is told, says so.
func TestAgentsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		q := bash("r1", "s1", now, "make")
		q.Agent, q.Event, q.ExpiresAt = "qwen", "PreToolUse", now.Add(50*time.Second)
		r := newRig(t, newFake([]broker.Session{{ID: "s1", Agent: "qwen", Name: "api", State: broker.SessionActive, StartedAt: now}}, q), 120, 30)
		r.shows("waits      Qwen Code waits 50 s at most; allow it later than that, and its next try passes")
		r.shows("0:50 left")
	})
}

// t gives the drawn call more time, which its countdown shows at once, and decides nothing.
func TestMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := timeRig(t)
		r.shows("t more time")
		r.shows("asked 5:00 ago · 5:00 left")
		r.press("t")
		if got := r.asked(); got != "extend r1" {
			t.Fatalf("asked for %q", got)
		}
		r.shows("more time: 10:00 left to answer")
		r.wait(7 * time.Second)
		r.shows("asked 5:08 ago · 9:54 left")
		r.press("j", "t")
		if got := r.asked(); got != "extend r1, extend r2" {
			t.Errorf("asked for %q", got)
		}
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
	})
}

// What keeps a call from more time is said, and shown where its time runs out.
func TestNoMoreTime(t *testing.T) {
	for name, tc := range map[string]struct {
		err   error
		shows string
	}{
		"an old hook": {
			fmt.Errorf("more time for r1: %w: its hook waits no longer: run %q again", broker.ErrNoMoreTime, "aoctl install claude"),
			`no more time: its hook waits no longer: run "aoctl install claude" again`,
		},
		"no record": {fmt.Errorf("more time for r1: %w: disk full", broker.ErrNotRecorded), "more time could not be recorded: the call has the time that it had"},
		"too late":  {fmt.Errorf("more time for r1: %w", broker.ErrAlreadyDecided), "too late, this call"},
		"else":      {errors.New("the disk\x1b[2J burns"), `the disk\x1b[2J burns`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := timeRig(t)
				r.c.extendErr = tc.err
				before := r.c.requests["r1"].ExpiresAt
				r.press("t")
				r.shows(tc.shows)
				if now := r.m.Board.Cards["r1"].Req.ExpiresAt; !now.Equal(before) {
					t.Errorf("the card may wait until %v, before %v", now, before)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := timeRig(t)
		last := r.c.requests["r1"]
		last.MayWaitUntil = last.ExpiresAt
		r.c.publish(last)
		r.wait(time.Second)
		r.shows("left · its asker waits no longer than that")
		r.send(tea.WindowSizeMsg{Width: 80, Height: 30})
		r.shows("asked 5:02 ago · 4:58 left")
		if !r.m.named("t").Faint {
			t.Error("t is drawn as if it gave more time")
		}
	})
}

// Bursts, pastes, a held key and a card that just came up give no time, and neither does t
// where no call is drawn.
func TestMoreTimeIsGuarded(t *testing.T) {
	for name, act := range map[string]func(*rig){
		"pasted":       func(r *rig) { r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("t"), Paste: true}) },
		"a burst":      func(r *rig) { r.send(keyMsg("tt")) },
		"behind a key": func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("t")) },
		"before a key": func(r *rig) { r.send(keyMsg("t")); r.send(keyMsg("k")) },
		"a new card":   func(r *rig) { r.m.Guard.Doubt(time.Now()); r.send(keyMsg("t")) },
		"help":         func(r *rig) { r.press("?", "t") },
		"history":      func(r *rig) { r.press("h", "t") },
		"words for D":  func(r *rig) { r.press("h", "D"); r.press("esc"); r.send(keyMsg("D")); r.typed("t") },
		"too small":    func(r *rig) { r.send(tea.WindowSizeMsg{Width: 30, Height: 9}); r.wait(time.Second); r.press("t") },
		"a late card":  func(r *rig) { r.settleAll(broker.Expired); r.press("t") },
		"a card being put": func(r *rig) {
			q := putOffCall(r.c.requests["r1"], 0, "")
			r.c.publish(q)
			r.wait(time.Second)
			r.press("G", "t")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := timeRig(t)
				act(r)
				r.wait(2 * time.Second)
				if got := r.asked(); got != "" {
					t.Errorf("asked for %q:\n%s", got, r.view())
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := timeRig(t)
		for range 60 { // held down for two seconds
			r.send(keyMsg("t"))
			r.wait(33 * time.Millisecond)
		}
		r.wait(time.Second)
		if got := r.asked(); got != "" && got != "extend r1" {
			t.Errorf("a held key asked for %q", got)
		}
	})
}

// The bell for half the time rings anew for the time that was given.
func TestBellAtHalfOfTheNewTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t)
		call := bash("r1", "s1", time.Now(), "ls")
		b.c.publish(call)
		b.wait(6 * time.Minute)
		b.expect("it came, and half its time is over", 2)
		b.wait(2 * time.Minute)
		b.press("t")
		b.wait(4 * time.Minute)
		b.expect("before half of the new time", 0)
		b.wait(2 * time.Minute)
		b.expect("half of the new time is over", 1)
		b.wait(2 * time.Minute)
		b.expect("after that", 0)
	})
}
