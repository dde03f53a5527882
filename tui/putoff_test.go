package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// putOffCall is r put off this long before noon.
func putOffCall(r broker.Request, ago time.Duration, program string) broker.Request {
	r.Checkpoint = &broker.Checkpoint{
		RequestID: r.ID, SessionID: r.SessionID, CWD: r.CWD, Program: program, At: tuitest.Noon.Add(-ago), By: broker.Actor{Kind: broker.ByOperator},
	}
	return r
}

// offRig has a call that can be put off, one that cannot, one that is put off of a session
// that somebody else started, and one of a session that aoctl holds.
func offRig(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	held := heldSession(broker.TurnDeferred)
	held.Deferred, held.StartedAt = 1, now
	watched := broker.Session{ID: "s2", Agent: "claude", Name: "docs", State: broker.SessionFinished, StartedAt: now, SessionEnd: broker.SessionEnd{EndedAt: now}, Deferred: 1}
	can := bash("r1", "s3", now.Add(-4*time.Second), "echo 1")
	can.Deferrable = true
	off := func(id, session string, s int) broker.Request {
		r := putOffCall(bash(id, session, now.Add(-time.Duration(s)*time.Second), "echo "+id), 0, "/usr/bin/claude")
		r.Checkpoint.At = now
		return r
	}
	return newRig(t, newFake([]broker.Session{held, watched, {ID: "s3", Agent: "claude", Name: "site", State: broker.SessionActive, StartedAt: now}},
		can, bash("r2", "s3", now.Add(-3*time.Second), "echo 2"), off("r3", "s2", 2), off("r4", "s1", 1)), 120, 30)
}

// x defers what can be, X refuses what is put off and ends its session, R resumes it.
func TestPutOffKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		keys  []string
		asked string
		shows string
	}{
		"x":                          {[]string{"x", "y"}, "defer r1", "deferred: its agent ends"},
		"x, and no":                  {[]string{"x", "n"}, "", "no: nothing was done"},
		"x on one that cannot be":    {[]string{"j", "x"}, "", "cannot be deferred: only"},
		"x on one that is":           {[]string{"j", "j", "x"}, "", "deferred already"},
		"X on one that is not":       {[]string{"X"}, "", "X denies a deferred call"},
		"R where nothing is put off": {[]string{"R"}, "", "nothing of it is deferred"},
		"R on somebody's":            {[]string{"j", "j", "R"}, "resume s2", "cd '/src/my api' && /usr/bin/claude -p --resume s2 </dev/null"},
		"R on ours":                  {[]string{"j", "j", "j", "R"}, "resume s1", "api-server goes on"},
		"R on a session":             {[]string{"shift+tab", "R"}, "resume s1", "api-server goes on"},
		"R on one without":           {[]string{"shift+tab", "j", "R"}, "", "nothing of it is deferred"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := offRig(t)
				r.press(tc.keys...)
				if got := r.asked(); got != tc.asked {
					t.Errorf("asked for %q, want %q", got, tc.asked)
				}
				if got := r.decisions(); got != "" {
					t.Errorf("decided %s", got)
				}
				r.shows(tc.shows)
			})
		})
	}
}

// R shows the line that resumes a session whole, in a narrow window too: not every terminal takes a
// clipboard. It says for how long the line is good.
func TestResumeLineIsShownWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := offRig(t)
		r.c.command = []string{"/usr/bin/claude", "--settings", "/home/ana/" + strings.Repeat("deep/", 20) + "settings.json"}
		r.send(tea.WindowSizeMsg{Width: 80, Height: 30})
		r.wait(2 * time.Second)
		r.press("j", "j", "R")
		r.shows("aoctl resume docs")
		r.shows("for 10:00 more")
		r.shows("--settings \\")
		var line strings.Builder
		for row := range strings.Lines(r.view()) {
			line.WriteString(strings.TrimSuffix(strings.TrimRight(row, " \n"), "\\"))
		}
		if want := strings.Repeat("deep/", 20) + "settings.json"; !strings.Contains(line.String(), want) {
			t.Errorf("the screen lacks %s:\n%s", want, r.view())
		}
		r.send(tea.WindowSizeMsg{Width: 20, Height: 30})
		for row := range strings.Lines(r.view()) {
			if n := draw.Cells(strings.TrimSuffix(row, "\n")); n > 20 {
				t.Errorf("%d cells in a window of 20: %q", n, row)
			}
		}
	})
}

// over has calls answered, so that their cards go.
func (r *rig) over(ids ...string) {
	for _, id := range ids {
		r.c.publish(settled(r.c.requests[id], broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", time.Now()))
	}
	r.wait(2 * time.Second)
}

// R right after the answer is about the call that was answered, although its card is gone and another
// one is drawn, or none.
func TestResumeRightAfterTheAnswer(t *testing.T) {
	for name, lone := range map[string]bool{"nothing else waits": true, "another card is drawn": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := offRig(t)
				if lone {
					r.over("r1", "r2", "r4")
				} else {
					r.press("j", "j")
				}
				r.press("a")
				r.shows("run in a terminal: aoctl resume docs")
				r.over("r3")
				if !lone {
					r.press("g")
				}
				r.press("R")
				r.shows("Resume docs")
			})
		})
	}
}

// twoOff has two sessions that somebody else started, with a deferred call each; the console is slow to
// resume the first one.
func twoOff(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	var sessions []broker.Session
	var calls []broker.Request
	for i, name := range []string{"docs", "shop"} {
		id := fmt.Sprint("s", i+1)
		sessions = append(sessions, broker.Session{ID: id, Agent: "claude", Name: name, State: broker.SessionFinished, StartedAt: now, SessionEnd: broker.SessionEnd{EndedAt: now}, Deferred: 1})
		calls = append(calls, putOffCall(bash(fmt.Sprint("r", i+1), id, now.Add(time.Duration(i-9)*time.Second), "echo"), 0, "/usr/bin/claude"))
	}
	f := newFake(sessions, calls...)
	f.slow = "s1"
	return newRig(t, f, 120, 30)
}

// The screen shows what its own session runs, also when the answer of another one comes behind it.
func TestResumeScreenIsOfOneSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoOff(t)
		r.wait(2 * time.Second)
		r.send(keyMsg("a"))
		r.wait(800 * time.Millisecond) // the next card is drawn
		r.send(keyMsg("R"))
		r.wait(2 * time.Second)
		r.shows("Resume shop")
		r.shows("--resume s2")
	})
}

// A session that was stopped did not go on, and the screen does not say so.
func TestResumeScreenOfAStoppedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoOff(t)
		r.press("j", "R")
		r.shows("Resume shop")
		r.tellSession(broker.Session{ID: "s2", Agent: "claude", Name: "shop", State: broker.SessionStopped})
		r.wait(time.Second)
		r.shows("or the call has ended")
	})
}

// What is typed into a screen that was opened meanwhile must not land on the one of R.
func TestResumeScreenComesOverNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoOff(t)
		r.wait(2 * time.Second)
		r.send(keyMsg("R"))
		r.wait(100 * time.Millisecond)
		r.send(keyMsg("h"))
		r.wait(2 * time.Second)
		if strings.Contains(r.view(), "Resume docs") {
			t.Errorf("it came over the history:\n%s", r.view())
		}
	})
}

// An operator who runs "aoctl resume" before R is told so, and not counted as an attacker.
func TestResumeBeforeItsKeyIsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := offRig(t)
		r.tells(broker.Update{Refused: &broker.Refused{RefusedData: broker.RefusedData{Wanted: broker.WantsResume, Kind: broker.NotOpened}}})
		r.wait(100 * time.Millisecond)
		r.shows("R on it here comes first")
		if strings.Contains(r.view(), "attempt refused") {
			t.Errorf("it is counted:\n%s", r.view())
		}
	})
}

// Once it is put off a card stands below the others; X on it ends its session.
func TestPutOffThenX(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := offRig(t)
		r.press("x", "y")
		r.shows("Waiting 1 · deferred 3")
		r.wait(2 * time.Second)
		r.press("G", "k", "k", "X")
		if got := r.decisions(); got != "deny r1;" || !r.lastDecision().End || r.lastDecision().Digest == "" {
			t.Errorf("decided %s %+v", got, r.lastDecision())
		}
	})
}

// The agent of a session that somebody else started hears an answer only when it is resumed,
// so the console says how; one that aoctl holds is resumed by the broker.
func TestAnswerToldHowToResume(t *testing.T) {
	for name, tc := range map[string]struct{ keys, asked []string }{
		"somebody's": {[]string{"j", "j", "a"}, []string{"resume s2"}},
		"ours":       {[]string{"j", "j", "j", "a"}, nil},
		"X":          {[]string{"j", "j", "X"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := offRig(t)
				r.press(tc.keys...)
				if got := r.asked(); got != strings.Join(tc.asked, ", ") {
					t.Errorf("asked for %q, want %v", got, tc.asked)
				}
				if shown := strings.Contains(r.view(), "aoctl resume docs"); shown != (tc.asked != nil) {
					t.Errorf("the screen shows the line that resumes it: %v\n%s", shown, r.view())
				}
			})
		})
	}
}

// What a person did not mean does nothing: a card that just came up, keys that repeat or
// come in a burst, a paste.
func TestPutOffKeysAreGuarded(t *testing.T) {
	for _, k := range []string{"x", "X", "R"} {
		at := map[string][]string{"x": nil, "X": {"j", "j"}, "R": {"j", "j"}}[k]
		for name, tc := range map[string]struct {
			play func(r *rig)
			want int // how often it acts
		}{
			"deaf": {func(r *rig) {
				r.send(keyMsg("j"))
				r.send(keyMsg("k"))
				r.wait(100 * time.Millisecond)
				r.send(keyMsg(k))
			}, 0},
			"after a resize": {func(r *rig) { r.send(tea.WindowSizeMsg{Width: 100, Height: 40}); r.send(keyMsg(k)) }, 0},
			"held down":      {func(r *rig) { r.hold(k) }, 1},
			"pasted":         {func(r *rig) { r.send(pasted(k)) }, 0},
			"in one":         {func(r *rig) { r.send(keyMsg(k + k)) }, 0},
			"a burst":        {func(r *rig) { r.send(keyMsg(k)); r.send(keyMsg("z")) }, 0},
			"behind another": {func(r *rig) { r.send(keyMsg("z")); r.send(keyMsg(k)) }, 0},
		} {
			t.Run(k+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := offRig(t)
					r.press(at...)
					r.wait(3 * time.Second)
					tc.play(r)
					r.wait(3 * time.Second)
					done := strings.Count(r.asked(), "defer r")
					switch k {
					case "x": // it asks, and a key held down is no yes
						tc.want = 0
					case "X":
						done = strings.Count(r.decisions(), ";")
					case "R":
						done = strings.Count(r.asked(), "resume s")
					}
					if done != tc.want {
						t.Errorf("it acted %d times, want %d: %s %s", done, tc.want, r.asked(), r.decisions())
					}
				})
			})
		}
	}
}

// What failed is said.
func TestPutOffFailures(t *testing.T) {
	for want, err := range map[string]error{
		"could not be recorded: the agent waits as before": broker.ErrNotRecorded,
		"another call of its session":                      fmt.Errorf("%w: another call of its session is put off", broker.ErrCannotDefer),
		"too late, this call":                              broker.ErrAlreadyDecided,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := offRig(t)
			r.c.mu.Lock()
			r.c.deferErr = err
			r.c.mu.Unlock()
			r.press("x", "y")
			r.shows(want)
			r.shows("deferred 2")
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := offRig(t)
		r.c.mu.Lock()
		r.c.resumeErr = errors.New("its folder \x1b[2J is not there any more")
		r.c.mu.Unlock()
		r.press("j", "j", "R")
		r.shows(`is not there any more`)
	})
}

// putOffSnapshot has what waits above what is put off, by all who may put off.
func putOffSnapshot() broker.Snapshot {
	held := heldSession(broker.TurnDeferred)
	held.ID, held.Name, held.State, held.EndedAt, held.Deferred = "s5", "shop", broker.SessionFinished, seconds(3*3600), 1
	rejected := heldSession(broker.TurnEnded)
	rejected.ID, rejected.Name, rejected.State, rejected.EndedAt, rejected.EndReason = "s6", "site", broker.SessionFinished, seconds(60), broker.RejectedReason
	sessions := append(someSessions(), held, rejected)
	sessions[3].Deferred = 1
	ours := putOffCall(bash("p1", "s5", seconds(3*3600+5), "make deploy ENV=production"), 3*time.Hour, "/usr/bin/claude")
	old := putOffCall(deadly(bash("p2", "s4", seconds(130*24*3600), "rm -rf ~/old")), 130*24*time.Hour, "")
	old.Checkpoint.By, old.Checkpoint.ResumedAt = broker.Actor{Kind: broker.ByDeadline}, seconds(3600)
	ruled := putOffCall(bash("p3", "s2", seconds(7), "npm publish"), 7*time.Second, "/usr/bin/claude")
	ruled.Checkpoint.By = broker.Actor{Kind: broker.ByRule, ID: "0197aa00-5c4e-7000-8000-000000000001"}
	return broker.Snapshot{
		Sessions: sessions, Requests: append(mixedCalls()[:2], ours, old, ruled),
		Health: broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"},
	}
}

func TestGoldenPutOff(t *testing.T) {
	for name, keys := range map[string][]string{
		"group":    nil,
		"ours":     {"j", "j", "j"},
		"by rule":  {"j", "j", "j", "j"},
		"danger":   {"j", "j"},
		"sessions": {"shift+tab", "G"},
		"cannot":   {"x"},
	} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, "putoff-"+name, func(width, height int) *still {
				s := newStill(t, putOffSnapshot(), pastCalls(), termenv.Ascii)
				s.draw(width, height, keys...)
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
}
