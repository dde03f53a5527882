package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// heldSession is one that a runner holds.
func heldSession(turn broker.TurnState) broker.Session {
	return broker.Session{
		ID: "s1", Agent: "claude", Name: "api-server", CWD: home, ProjectDir: home, State: broker.SessionActive,
		StartedAt: seconds(180), LastSeenAt: seconds(20), Process: broker.Process{PID: 4711},
		Run: &broker.Run{
			Runner: broker.Process{PID: 4710}, Program: "/usr/bin/claude", Args: []string{"--verbose"}, Model: "opus", Detached: true,
			Log: "/home/ada/.local/state/aoctl/runs/s1.log", Turn: turn, Result: "completed", StartedAt: seconds(180),
			RunTally: broker.RunTally{Cost: 0.4213, Turns: 3, Usage: wire.RunUsage{Input: 1200, Output: 3400, CacheRead: 88_000}},
		},
	}
}

// heldRig has a managed session, a watched one and, for each of the two, a call.
func heldRig(t *testing.T, turn broker.TurnState) *rig {
	t.Helper()
	watched := broker.Session{ID: "s2", Agent: "codex", Name: "docs", State: broker.SessionActive, StartedAt: time.Now().Add(-time.Hour)}
	held := heldSession(turn)
	held.StartedAt = time.Now()
	r := newRig(t, newFake([]broker.Session{held, watched},
		bash("r1", "s1", time.Now(), "make"), bash("r2", "s2", time.Now().Add(time.Second), "ls")), 100, 30)
	r.m.opts.EditFolder, r.m.opts.Folder = t.TempDir(), home
	r.wait(time.Second)
	return r
}

// write types a text as people do.
func (r *rig) write(text string) {
	for _, c := range text {
		r.send(keyMsg(string(c)))
		r.wait(120 * time.Millisecond)
	}
	r.wait(time.Second)
}

func (r *rig) noted() string {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	return strings.Join(r.c.noted, "; ")
}

// expect fails the test unless the console was asked for just this since the last look.
func (r *rig) expect(want string) {
	r.t.Helper()
	r.wait(time.Second)
	if got := r.noted(); got != want {
		r.t.Errorf("asked for %q, want %q\n%s", got, want, r.view())
	}
	r.c.mu.Lock()
	r.c.noted = nil
	r.c.mu.Unlock()
}

func altEnter() tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyEnter, Alt: true} }

func TestMessageIsWrittenQueuedEditedAndTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.press("m")
		r.shows("it works: waits for the end of its turn")
		r.write("do it")
		r.send(altEnter())
		r.write("now")
		r.press("enter")
		r.expect(`say s1 "do it\nnow"`)
		r.shows("api-server: the message waits for the end of the turn; m edits it")
		r.shows("next: do it⏎now")
		r.press("m")
		r.shows("│ now█")
		r.write("!")
		r.press("enter")
		r.expect(`say s1 "do it\nnow!"`)
		r.press("m", "enter")
		r.expect("") // it is unchanged
		r.press("m", "ctrl+u", "backspace", "ctrl+u", "enter")
		r.shows("take back the message that waits for api-server? y yes")
		r.press("n")
		r.expect("")
		r.press("m")
		r.shows("now!█")
		r.press("ctrl+u", "backspace", "ctrl+u", "enter")
		r.wait(time.Second)
		r.press("y")
		r.expect(`say s1 ""`)
		r.shows("api-server: the message was taken back")
		r.press("m", "enter")
		r.shows("nothing is written yet")
		r.expect("")
	})
}

// Pasted text and keys in bursts are text, with their line breaks; only an enter of its
// own sends, and it sends once however long it is held.
func TestPasteNeverSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnIdle)
		r.press("m")
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("one\r\ntwo\n"), Paste: true})
		r.wait(time.Second)
		for _, k := range []string{"x", "enter", "y", "enter", "enter"} { // a terminal without brackets around pastes
			r.send(keyMsg(k))
			r.wait(3 * time.Millisecond)
		}
		r.expect("")
		r.send(keyMsg("enter")) // and one whose paste begins with a line break
		r.wait(3 * time.Millisecond)
		r.send(keyMsg("z"))
		r.expect("")
		r.send(keyMsg("enter"))
		r.wait(500 * time.Millisecond)
		for range 40 {
			r.send(keyMsg("enter"))
			r.wait(33 * time.Millisecond)
		}
		r.expect(`say s1 "one\ntwo\nx\ny\n\n\nz"`)
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
	})
}

func TestNoKeyDecidesWhileAMessageIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.press("m")
		r.write("adsSAOeix4!q D")
		r.send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonLeft, X: 50, Y: 5})
		r.press("ctrl+k", "y")
		r.send(keyMsg("esc"))
		r.wait(200 * time.Millisecond)
		r.send(keyMsg("a")) // right behind the esc
		r.wait(time.Second)
		if got := r.decisions(); got != "" || len(r.c.stopped)+r.c.stopAlls+len(r.c.killed) > 0 || r.quit {
			t.Errorf("decided %q, stopped %v", got, r.c.stopped)
		}
		r.expect("")
		r.press("m")
		r.shows("adsSAOeix4!q D")
	})
}

// The call above a message stays drawn, where it was read to, while the message is written.
func TestCallAboveAMessageStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake([]broker.Session{heldSession(broker.TurnWorking)}, bash("r1", "s1", time.Now(), strings.Repeat("echo x\n", 200)+"echo the end"))
		r := newRig(t, c, 100, 40)
		r.press("tab", "G", "k", "k")
		read := *r.m.queue().Scrolled()
		r.press("m")
		r.shows("To api-server")
		r.shows("echo x")
		r.press("esc")
		if now := *r.m.queue().Scrolled(); now != read || read == 0 {
			t.Errorf("scrolled to row %d, was at %d", now, read)
		}
		r.wait(time.Second)
		r.press("a")
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

func TestUnsentTextIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.c.sayErr = fmt.Errorf("say: %w: it is \x1b[2Jtoo long", broker.ErrInvalid)
		r.press("m")
		r.write("precious")
		r.press("enter")
		r.wait(time.Second)
		r.shows(`not sent: it is \x1b[2Jtoo long`)
		r.shows("precious█")
		r.press("esc")
		r.shows("m shows what you wrote to api-server again")
		r.press("m")
		r.shows("precious█")
		r.c.sayErr = nil
		r.expect(`say s1 "precious"`)
		r.press("enter")
		r.expect(`say s1 "precious"`)
		r.shows("next: precious")
	})
}

// A message that was delivered while it was being edited is not told twice by the enter
// that meant to change it.
func TestDeliveredMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		s := r.c.sessions["s1"]
		s.Message = &broker.Message{ID: "m7", Text: "first"}
		r.tellSession(s)
		r.press("m")
		r.write(" and second")
		s.Message = nil
		r.tellSession(s)
		r.press("enter")
		r.expect("")
		r.shows("what waited was told meanwhile")
		s.Message = &broker.Message{ID: "m8", Text: "of somebody else"}
		r.tellSession(s)
		r.press("enter")
		r.expect("")
		r.shows("another message waits now; enter replaces it: of somebody else")
		r.press("enter")
		r.expect(`say s1 "first and second"`)
	})
}

// tellSession gives the console a new value of a session.
func (r *rig) tellSession(s broker.Session) {
	r.c.mu.Lock()
	r.c.sessions[s.ID] = s
	for _, w := range r.c.watches {
		w <- broker.Update{Session: &s}
	}
	r.c.mu.Unlock()
	r.wait(time.Second)
}

func TestMessageInEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnIdle)
		r.editsTo("a\n\tlong one\n", nil, 2*time.Second)
		r.press("m", "ctrl+e")
		r.wait(3 * time.Second)
		r.expect("")
		r.shows("long one█")
		r.press("enter")
		r.expect(`say s1 "a\n\tlong one"`)
		r.editsTo("bad \x1b one", nil, time.Second)
		r.press("m", "k", "ctrl+e")
		r.wait(3 * time.Second)
		r.shows(`not taken: it has \x1b, a control character`)
		r.editsTo("half", errors.New(`the editor "vi" failed`), time.Second)
		r.press("ctrl+e")
		r.wait(3 * time.Second)
		r.shows(`the editor "vi" failed`)
		r.expect("")
	})
}

func TestWatchedSessionsTakeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.press("j", "m")
		r.shows("docs is only watched: type there")
		r.wait(2 * time.Second) // behind an m come words, which are no keys
		r.press("i")
		r.shows("docs is only watched: press its own key there")
		if r.m.formOpen() {
			t.Error("a message to a session that takes none")
		}
		r.expect("")
	})
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.press("i")
		r.expect("interrupt s1")
		r.shows("api-server: told to end its turn")
		if r.m.open() == r.m.rooms[desk.Bytes] {
			t.Error("i shows bytes")
		}
		r.press("b")
		if r.m.open() != r.m.rooms[desk.Bytes] {
			t.Error("b does not show bytes")
		}
		r.press("i")
		r.shows("nothing on this screen can be decided")
		r.press("esc")
		r.send(keyMsg("x"))
		r.send(keyMsg("i")) // in a burst
		r.expect("")
		r.press("j")
		r.send(keyMsg("k"))
		r.wait(100 * time.Millisecond)
		r.send(keyMsg("i")) // on a card that just came up
		r.expect("")
		for turn, want := range map[broker.TurnState]string{
			broker.TurnIdle: "its turn is over", broker.TurnEnded: "its agent has ended", broker.TurnDeferred: "its agent has ended",
		} {
			r.tellSession(heldSession(turn))
			r.press("i")
			r.shows(want)
		}
		r.expect("")
	})
}

func TestLaunch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		for _, name := range []string{"alpha-one", "alpha-two/src", "beta", ".hidden"} {
			if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		r := heldRig(t, broker.TurnWorking)
		r.press("n")
		r.shows(home) // of the drawn call's session
		r.write("write the tests")
		r.press("ctrl+s")
		r.wait(time.Second)
		r.shows("there is no folder " + home)
		r.press("ctrl+u")
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(folder + "/a"), Paste: true})
		r.press("tab")
		r.shows("alpha-one/  alpha-two/")
		r.press("tab")
		r.shows("▌agent") // a second tab goes on
		r.press("x")
		r.shows("claude is the only choice")
		r.shows("only Claude Code can be started here")
		if strings.Contains(r.view(), "codex") {
			t.Errorf("offers what cannot be started:\n%s", r.view())
		}
		r.press("shift+tab")
		r.shows("tab complete")
		r.write("tw")
		r.press("tab")
		if !strings.Contains(strings.Join(strings.Fields(r.view()), ""), "/alpha-two/█") {
			t.Errorf("completed to something else:\n%s", r.view())
		}
		r.press("esc")
		r.shows("n shows what you wrote again")
		r.expect("")
		r.press("n")
		r.shows("write the tests")
		r.c.launchErr = errors.New("no \x1b[2Jclaude here")
		r.press("enter", "enter", "enter")
		r.write("tester")
		r.press("enter", "enter")
		r.expect("launch " + fmt.Sprintf("%+v", broker.NewRun{Folder: folder + "/alpha-two", Agent: "claude", Prompt: "write the tests", Name: "tester"}))
		r.shows(`nothing was started: no \x1b[2Jclaude here`)
		r.c.launchErr = nil
		r.press("ctrl+s")
		r.wait(time.Second)
		r.shows("starting tester: it is listed among the sessions")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %s", got)
		}
		r.tellSession(broker.Session{ID: "new", Agent: "claude", Name: "tester", State: broker.SessionActive, Run: &broker.Run{Turn: broker.TurnStarting}})
		if r.press("shift+tab"); r.m.first().Subject().Session != "new" {
			t.Error("the new session is not selected")
		}
		r.press("n")
		r.shows("prompt    █") // without that of the session that was started
	})
}

// An enter that is held down goes through the form and starts nothing.
func TestHeldEnterStartsNothing(t *testing.T) {
	for from, keys := range map[string][]string{"folder": {"shift+tab", "shift+tab"}, "prompt": nil, "name": {"tab"}} {
		for _, every := range []time.Duration{33 * time.Millisecond, 90 * time.Millisecond} {
			synctest.Test(t, func(t *testing.T) {
				r := launchRig(t)
				r.press(keys...)
				r.shows("▌" + from)
				r.send(keyMsg("enter"))
				r.wait(660 * time.Millisecond) // the slowest keyboard
				for range 40 {
					r.send(keyMsg("enter"))
					r.wait(every)
				}
				r.expect("")
				if !r.m.formOpen() {
					t.Errorf("the form is closed, from field %s every %v", from, every)
				}
			})
		}
	}
}

// launchRig has the form for a new session open, with all it needs.
func launchRig(t *testing.T) *rig {
	t.Helper()
	r := heldRig(t, broker.TurnWorking)
	r.m.opts.Folder = t.TempDir()
	r.press("n", "x", "shift+tab", "shift+tab", "ctrl+u")
	r.send(pasted(r.m.opts.Folder))
	r.press("down", "down")
	return r
}

func TestPasteStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := launchRig(t)
		for _, k := range []string{"y", "enter", "z", "enter"} { // pasted without brackets, into the prompt
			r.send(keyMsg(k))
			r.wait(2 * time.Millisecond)
		}
		r.expect("")
		if got := strings.Join(strings.Fields(r.view()), " "); !strings.Contains(got, "▌prompt xy │ │ z │ │ █ │") {
			t.Errorf("the prompt is another one:\n%s", r.view())
		}
	})
}

// All about a managed session is on a screen of its own, with what its agent said last.
// A failed turn is not plain idle, and its agent's words are drawn as such: quoted, cut, and
// unable to draw.
func TestFailedTurnIsDrawn(t *testing.T) {
	list := someSessions()
	list[2].EndReason = "API Error: \x1b[2J 401 " + strings.Repeat("and more ", 50)
	s := newStill(t, broker.Snapshot{Sessions: list}, nil, termenv.Ascii)
	for _, size := range sizes[1:] {
		seen := s.draw(size[0], size[1])
		tuitest.CheckView(t, seen, size[0], size[1])
		if !strings.Contains(seen, `! "API Error`) && !strings.Contains(seen, `! it says "API Error: \x`) || strings.Contains(seen, "\x1b[2J") || !strings.Contains(seen, "failed") || strings.Contains(seen, "idle") {
			t.Errorf("drawn:\n%s", seen)
		}
	}
}

// What an agent notes for its own developers is said in plain words, in the row and on its screen.
func TestDiagnosticOfAgentIsNotDrawn(t *testing.T) {
	list := someSessions()
	list[2].EndReason = "[ede_diagnostic] result_type=user last_content_type=n/a"
	s := newStill(t, broker.Snapshot{Sessions: list}, nil, termenv.Ascii)
	if seen := s.draw(120, 40); strings.Contains(seen, "ede_diagnostic") || !strings.Contains(seen, "! its turn was cut off") {
		t.Errorf("drawn:\n%s", seen)
	}
}

// Attack: a failure that an agent tells has our own words in it. It is the agent's saying all the same.
func TestFailureWithOurWordsIsItsSaying(t *testing.T) {
	list := someSessions()
	list[2].Run, list[2].EndReason = nil, "it was ended by killed"
	s := newStill(t, broker.Snapshot{Sessions: list}, nil, termenv.Ascii)
	if seen := s.draw(120, 40); !strings.Contains(seen, `"it was killed"`) {
		t.Errorf("drawn:\n%s", seen)
	}
}

func TestAboutSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.c.moments = []story.Moment{
			{Event: broker.Event{SessionID: "s1", Seq: 5, Type: broker.EventMessage, Data: []byte(`{"text":"older"}`)}},
			{Event: broker.Event{SessionID: "s1", Seq: 8, Type: broker.EventMessage, Data: []byte(`{"text":"All 41 tests \u001b[2Jpass."}`)}},
			{Event: broker.Event{SessionID: "s1", Seq: 9, Type: broker.EventRunNoted, Data: []byte(`{"kind":"note","text":"not said"}`)}},
		}
		r.press("shift+tab", "enter")
		r.wait(time.Second)
		for _, want := range []string{"agent 4711 · runner 4710 · in the background", "/runs/s1.log", "$0.42 · 3 turns · 92.6k tokens", `All 41 tests \x1b[2Jpass.`, "model opus"} {
			r.shows(want)
		}
		r.press("i")
		r.expect("interrupt s1")
		r.press("m")
		r.write("hi")
		r.press("enter")
		r.expect(`say s1 "hi"`)
		r.press("s", "y")
		if len(r.c.stopped) != 1 || r.c.stopped[0] != "s1" {
			t.Errorf("stopped %v", r.c.stopped)
		}
		r.press("a", "enter")
		if got := r.decisions(); got != "" || !r.m.listed() || r.m.Board.Filter.SessionID != "s1" {
			t.Errorf("decided %q, on this screen:\n%s", got, r.view())
		}
	})
}

// The end of a stopped session is told step by step, in the last line and on its row.
func TestStepsOfStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.press("s", "y")
		r.shows("stopping api-server: denied what waits, interrupting its turn, then ending it")
		s := r.c.sessions["s1"]
		run := *s.Run
		for i, step := range []string{"interrupted its turn", "sent \x1b[2JSIGTERM", "it was killed"} {
			run.Steps = append(run.Steps, step)
			now := run
			s.Run = &now
			if i == 2 {
				s.State, now.Turn = broker.SessionStopped, broker.TurnEnded
			}
			r.tellSession(s)
			if i < 2 {
				r.shows("stopping api-server: " + draw.SafeLine(step) + " …")
				r.shows("· " + safe.Cut(draw.SafeLine(step), 16))
			}
		}
		r.shows(`api-server is stopped: interrupted its turn, sent \x1b[2JSIGTERM, it was killed`)
		r.press("shift+tab", "G", "enter")
		r.shows("· interrupted its turn")
		r.shows("its calls are denied until you speak to it: m")
		r.press("esc")
		r.tellSession(r.c.sessions["s1"])
		if strings.Contains(r.view(), "api-server is stopped: ") {
			t.Errorf("the end is told again:\n%s", r.view())
		}
	})
}

// A message that could not be told is sent again as it is; one on its way is seen.
func TestMessageThatWasNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnEnded)
		s := r.c.sessions["s1"]
		s.Message = &broker.Message{ID: "m1", Text: "go on", Failures: 3}
		r.tellSession(s)
		r.shows("not told: go on")
		r.press("m", "enter")
		r.expect(`say s1 "go on"`)
		run := *s.Run
		run.Told = &broker.Message{ID: "m1", Text: "go on"}
		s.Run, s.Message = &run, nil
		r.tellSession(s)
		r.shows("telling: go on")
	})
}

// All rows of a session select it.
func TestClickOnAHeldSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		s := r.c.sessions["s1"]
		s.Message, s.StartedAt = &broker.Message{ID: "m1", Text: "go on"}, time.Now().Add(time.Hour)
		r.tellSession(s)
		for y, row := range strings.Split(r.view(), "\n") {
			want := ""
			switch {
			case strings.Contains(row, "next: go on"):
				want = "s1"
			case strings.Contains(row, "docs         codex"):
				want = "s2"
			default:
				continue
			}
			r.send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonLeft, X: 3, Y: y})
			if got := r.m.first().Subject().Session; got != want {
				t.Errorf("row %d selects %q, not %q", y, got, want)
			}
		}
	})
}

// Who allows a call of a session that was started anew in another environment is told by
// which variables before the call's end: allowing takes that it was seen.
func TestTheCardSaysThatTheEnvironmentDiffers(t *testing.T) {
	s := heldSession(broker.TurnWorking)
	call := bash("r1", "s1", tuitest.Noon, "make")
	draw := func() string {
		d := callview.LayOut(tuitest.PlainStyles(), call, callview.Around{Loc: time.UTC, Session: &s}, 100)
		return strings.Join(d.Rows[:d.CallEnd], "\n")
	}
	if got := draw(); strings.Contains(got, "environment") {
		t.Errorf("nothing differs, and the card says\n%s", got)
	}
	s.Run.EnvDiffers = []string{"AWS_PROFILE", "X\x1b[2J"}
	if got := draw(); !strings.Contains(got, "in another environment than before, by these variables: AWS_PROFILE, X") || strings.Contains(got, "\x1b[2J") {
		t.Errorf("the card says\n%s", got)
	}
}
