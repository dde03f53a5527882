package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// On the screen of a managed session the key that stops is the chosen one, and no other.
func TestChosenKeyStopsAManagedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.m.chosen = chooseKeys(map[string][]string{"allow": {"s"}, "stop": {"z"}})
		r.m.Open(desk.Managed, desk.Subject{Session: "s1"})
		r.wait(2 * time.Second)
		r.press("s")
		if len(r.c.stopped) > 0 {
			t.Error("the key that was moved away stopped the session")
		}
		r.wait(2 * time.Second)
		r.press("z", "y")
		if len(r.c.stopped) != 1 {
			t.Errorf("the chosen key stopped %v", r.c.stopped)
		}
	})
}

// A session's screen interrupts and speaks to it also in a window in which no call can be judged.
func TestSmallWindowOfASession(t *testing.T) {
	for key, want := range map[string]string{"i": "told to end its turn", "m": "█"} {
		t.Run(key, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heldRig(t, broker.TurnWorking)
				r.m.Open(desk.Managed, desk.Subject{Session: "s1"})
				r.send(tea.WindowSizeMsg{Width: 60, Height: 11})
				r.wait(3 * time.Second)
				r.press(key)
				r.shows(want)
			})
		})
	}
}

// tells gives the console changes that come at once.
func (r *rig) tells(list ...broker.Update) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	for _, w := range r.c.watches {
		for _, u := range list {
			w <- u
		}
	}
}

// That somebody tried what they may not is read, also when the selected call ended at the same time.
func TestAttemptIsSaidLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		ended := settled(r.c.requests["r1"], broker.Denied, broker.Actor{Kind: broker.ByProcess}, "", time.Now())
		r.tells(broker.Update{Refused: &broker.Refused{SessionID: "s1"}}, broker.Update{Request: &ended})
		r.wait(100 * time.Millisecond)
		r.shows("refused: somebody tried")
	})
}

// Who looks in a transcript for the card of a call that is gone stays there.
func TestTranscriptOfAGoneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		gone := bash("r9", "s1", time.Now(), "git push")
		gone.ToolUseID = "toolu_9"
		var rec record
		rec.add(30, broker.EventRequestCreated, &gone, nil)
		r.c.transcript = story.Transcript{
			Agent: "claude", CWD: home, Path: "/x.jsonl", Size: 9, AtStart: true, AtEnd: true, Moments: rec.list,
			Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, To: 9, First: 1, Last: 9},
			Said: []story.Said{{By: "call", Tool: "Bash", ID: "toolu_9", Text: `{"command":"git push"}`, At: time.Now(), Line: 1}},
		}
		r.press("T")
		r.wait(time.Second)
		r.press("G", "enter")
		r.shows("this call is no longer waiting")
		r.shows("git push")
	})
}

// A form that comes back with the window is deaf for a moment, as any card that comes up by itself.
func TestFormBehindASmallWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := asking(t, goOn)
		r.press("enter")
		r.wait(time.Second)
		r.send(tea.WindowSizeMsg{Width: 80, Height: 11})
		r.wait(time.Second)
		r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		r.wait(100 * time.Millisecond)
		r.send(keyMsg("2"))
		r.shows("look first")
	})
}

// Behind another screen nothing is drawn: a digit is no key of a code, and no file is looked at.
func TestNothingIsDrawnBehindAScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.press("?", "4")
		if strings.Contains(r.view(), "nothing on this screen") {
			t.Errorf("a digit was taken for a key that decides:\n%s", r.view())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession, tuitest.NewCall("r1", "s1", "Edit", time.Now(), map[string]any{"file_path": "/src/notes", "old_string": "two", "new_string": "2"})), 100, 30)
		stamp := ""
		r.m.opts.Stamp = func(string) string { return stamp }
		r.wait(3 * time.Second)
		r.press("?")
		stamp = "another"
		r.wait(3 * time.Second)
		if strings.Contains(r.view(), "drawn anew") {
			t.Errorf("a card that nobody sees was drawn anew:\n%s", r.view())
		}
		r.press("esc")
		r.wait(2 * time.Second)
		r.shows("drawn anew")
	})
}

// The key line draws faint what would be refused now, also while calls are marked, and nothing of calls when none is left.
func TestFaintKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("*")
		if r.m.named("a").Faint {
			t.Error("a is faint though it would ask")
		}
		r.send(tea.FocusMsg{})
		if !r.m.named("a").Faint || !r.m.named("d").Faint {
			t.Error("a and d are not faint while the card is deaf")
		}
		r.press("esc", "enter")
		r.settleAll(broker.Denied)
		r.wait(2 * time.Second)
		r.shows("nothing waits")
		if r.m.named("a").Short != "" || r.m.named("D").Short != "" {
			t.Error("a and D are named though nothing waits")
		}
	})
}

// In a form its keys are named, also while other calls are marked: esc goes back there.
func TestFormWithMarkedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		r := newRig(t, newFake(oneSession, bash("r1", "s1", now.Add(-2*time.Second), "ls"),
			tuitest.NewCall("r2", "s1", "AskUserQuestion", now.Add(-time.Second), goOn)), 100, 24)
		r.press(" ", "j", "enter")
		r.wait(time.Second)
		if got := r.m.named("esc").Short; got != "back" || len(r.m.Board.Marks) != 1 {
			t.Errorf("esc is named %q, with %d marks:\n%s", got, len(r.m.Board.Marks), r.view())
		}
	})
}

// Sentences above the list may leave no room for a call: then none is decided, and the window is drawn.
func TestNoRoomForACall(t *testing.T) {
	for _, size := range [][2]int{{60, 12}, {60, 13}, {80, 12}, {80, 13}, {80, 14}, {80, 16}} {
		synctest.Test(t, func(t *testing.T) {
			now := time.Now()
			r := newRig(t, newFake(oneSession, bash("r1", "s1", now, "echo 1"), bash("r2", "s1", now, "echo 2")), size[0], size[1])
			r.wait(time.Second)
			r.tells(broker.Update{Health: &broker.Health{
				Observing: true, LogBroken: "x", LogUnread: "y", StoreErr: "z", SocketErr: "s", Frozen: true,
				Floods: []broker.Flood{{SessionID: "s1", Refused: 3, Why: "x"}}, Settings: []broker.SettingsFound{{File: "a"}, {File: "b"}, {File: "c"}},
			}})
			r.wait(3 * time.Second)
			r.press("d")
			if rows := strings.Count(r.view(), "\n") + 1; rows != size[1] || r.decisions() != "" {
				t.Errorf("%v: %d rows, decided %q:\n%s", size, rows, r.decisions(), r.view())
			}
			r.shows("no room to show the call")
		})
	}
}

// A form whose call a freeze holds names that, not the key that would send it.
func TestHeldFormIsNamedHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := asking(t, goOn)
		held := r.c.requests["r1"]
		held.Held = "all agents are frozen"
		r.c.publish(held)
		r.wait(time.Second)
		r.press("enter")
		if r.m.named("F").Short != "lifts it" || r.m.named("enter").Short != "" {
			t.Errorf("the key line names what cannot be sent, not what lifts the freeze:\n%s", r.view())
		}
	})
}

// Below a message the call stays where it was read, and the guard knows that it is drawn.
func TestCallStaysBelowAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		drawn := r.m.Guard.Drawn
		r.press("m")
		r.wait(time.Second)
		if r.m.Guard.Drawn != drawn || drawn.ID == "" {
			t.Errorf("drawn is %+v, was %+v:\n%s", r.m.Guard.Drawn, drawn, r.view())
		}
	})
}
