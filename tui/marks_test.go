package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/tuitest"
)

var homeSession = []broker.Session{{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive, ProjectDir: home}}

func pushCall(id string, at time.Time, branch string) broker.Request {
	return judgedAsRisk(bash(id, "s1", at, "git push origin "+branch), risk.Normal, "", ran("git push origin "+branch, rules.Ask, "", ""))
}

// several starts a console over calls of which p1 to p3 are alike.
func several(t *testing.T, more ...broker.Request) *rig {
	t.Helper()
	now := time.Now()
	return newRig(t, newFake(homeSession, append([]broker.Request{
		pushCall("p1", now.Add(-9*time.Second), "a"), pushCall("p2", now.Add(-8*time.Second), "b"), pushCall("p3", now.Add(-7*time.Second), "c"),
		judgedAsRisk(bash("t1", "s1", now.Add(-6*time.Second), "go test ./..."), risk.Normal, "", ran("go test ./...", rules.Ask, "", "")),
	}, more...)...), 120, 40)
}

func (r *rig) marks() string {
	return strings.Join(slices.Sorted(maps.Keys(r.m.Board.Marks)), " ")
}

func (r *rig) wantMarks(want string) {
	r.t.Helper()
	if got := r.marks(); got != want {
		r.t.Fatalf("marked are %q, want %q:\n%s", got, want, r.view())
	}
}

func TestMarkAndAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := several(t)
		r.press("*")
		r.wantMarks("p1 p2 p3")
		r.shows("▌●  $ ")
		r.press("G", " ", "a")
		r.shows("allow 4 marked calls: 3 git push, 1 go test? y yes")
		r.wait(3 * time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q before the yes", got)
		}
		r.press("y")
		if got := r.decisions(); got != "allow p1;allow p2;allow p3;allow t1;" {
			t.Errorf("decided %q", got)
		}
		if len(r.c.together) != 1 {
			t.Errorf("%d decisions instead of one about all", len(r.c.together))
		}
		r.wantMarks("")
		r.shows("nothing waits")
	})
}

func TestMarksEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		play func(*rig)
		want string
	}{
		"space again": {func(r *rig) { r.press(" ") }, "p2 p3"},
		"star again":  {func(r *rig) { r.press("*") }, ""},
		"esc":         {func(r *rig) { r.press("esc") }, ""},
		"the call ends": {func(r *rig) {
			r.c.publish(settled(r.c.requests["p2"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		}, "p1 p3"},
		"it means something else": {func(r *rig) { r.c.publish(judgedAsRisk(r.c.requests["p2"], risk.Normal, "reads keys")) }, "p1 p3"},
		"filtered away":           {func(r *rig) { r.press("/", "t", "e", "s", "t", "enter") }, ""},
		"decided alone": {func(r *rig) {
			r.c.publish(settled(r.c.requests["p1"], broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now()))
		}, "p2 p3"},
		"arrivals": {func(r *rig) {
			for i := range 20 {
				r.c.publish(pushCall(fmt.Sprint("n", i), time.Now().Add(time.Duration(10*i-100)*time.Second), "n"))
			}
		}, "p1 p2 p3"},
		"a new snapshot": {func(r *rig) { r.c.cut(r.c.watches[0]); r.wait(3 * time.Second) }, "p1 p2 p3"},
		"a new snapshot with another call": {func(r *rig) {
			r.c.requests["p3"] = pushCall("p3", time.Now(), "other")
			r.c.cut(r.c.watches[0])
			r.wait(3 * time.Second)
		}, "p1 p2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := several(t)
				r.press("*")
				r.wantMarks("p1 p2 p3")
				tc.play(r)
				r.wait(time.Second)
				r.wantMarks(tc.want)
			})
		})
	}
}

// Keys, pastes and bursts that are no yes.
func TestQuestionAboutMarks(t *testing.T) {
	for name, play := range map[string]func(*rig){
		"no":      func(r *rig) { r.press("a", "n") },
		"esc":     func(r *rig) { r.press("a", "esc") },
		"a again": func(r *rig) { r.press("a", "a") },
		"at once": func(r *rig) { r.send(keyMsg("a")); r.wait(200 * time.Millisecond); r.send(keyMsg("y")) },
		"y held down behind a": func(r *rig) {
			r.send(keyMsg("a"))
			for range 60 {
				r.wait(33 * time.Millisecond)
				r.send(keyMsg("y"))
			}
		},
		"a burst":         func(r *rig) { r.send(keyMsg("a")); r.send(keyMsg("y")) },
		"a burst behind":  func(r *rig) { r.press("a"); r.send(keyMsg("y")); r.send(keyMsg("e")) },
		"a paste":         func(r *rig) { r.press("a"); r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true}) },
		"yes in one":      func(r *rig) { r.press("a"); r.send(keyMsg("yes")) },
		"focus came back": func(r *rig) { r.press("a"); r.send(tea.FocusMsg{}); r.send(keyMsg("y")) },
		"the drawn card ended": func(r *rig) {
			r.press("a")
			r.c.publish(settled(r.c.requests["p1"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
			r.wait(50 * time.Millisecond)
			r.send(keyMsg("y"))
		},
		"another marked card ended": func(r *rig) {
			r.press("a")
			r.c.publish(settled(r.c.requests["p2"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
			r.press("y")
			r.shows("1 of them ended or changed meanwhile: nothing was decided")
		},
		"another marked card changed": func(r *rig) {
			r.press("a")
			r.c.publish(deadly(r.c.requests["p2"]))
			r.press("y")
			r.shows("1 of them ended or changed meanwhile: nothing was decided")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := several(t)
				r.press("*")
				play(r)
				r.wait(3 * time.Second)
				if got := r.decisions(); got != "" {
					t.Errorf("decided %q", got)
				}
			})
		})
	}
}

func TestDenyMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := several(t, deadly(bash("x1", "s1", time.Now(), "rm -rf ~/a")), deadly(bash("x2", "s1", time.Now(), "rm -rf ~/b")))
		r.press("g", " ", "j", " ") // the dangerous ones
		r.wantMarks("x1 x2")
		r.press("a")
		r.shows("dangerous calls are decided one by one")
		r.press("d")
		r.shows("deny 2 marked calls: ")
		r.press("y")
		if got := r.decisions(); got != "deny x1;deny x2;" {
			t.Fatalf("decided %q", got)
		}
		r.press("g", "*", "D", "n", "o", "enter")
		if got := r.decisions(); got != "deny x1;deny x2;deny p1;deny p2;deny p3;" {
			t.Fatalf("decided %q", got)
		}
		if got := r.c.decided[4].Reason; got != "no" {
			t.Errorf("reason %q", got)
		}
	})
}

func TestMarksKeepToOneRiskClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		danger := pushCall("x1", now, "a")
		danger.Assessment.Class = risk.Dangerous
		r := several(t, danger, judgedAsRisk(bash("s1", "s1", now, "ls"), risk.Safe, ""))
		r.press("j", "*")
		r.wantMarks("p1 p2 p3") // x1 is like them, and dangerous
		r.press("g", " ")
		r.shows("the marks are on calls of another risk class than dangerous")
		r.press("G", " ")
		r.shows("the marks are on calls of another risk class than safe")
		r.wantMarks("p1 p2 p3")
	})
}

// Calls are allowed together only when each of them was on the screen, whole: those that were not are
// shown one below the other.
func TestMarkedCallsMustHaveBeenRead(t *testing.T) {
	now := time.Now
	tail := strings.Repeat("x", 200) + "; rm -rf ~"
	for name, tc := range map[string]struct {
		call   func() broker.Request
		unread bool
	}{
		"a short one":       {func() broker.Request { return pushCall("z1", now(), "z") }, false},
		"a long one":        {func() broker.Request { return pushCall("z1", now(), tail) }, true},
		"in another folder": {func() broker.Request { r := pushCall("z1", now(), "z"); r.CWD = "/etc"; return r }, true},
		"with another field": {func() broker.Request {
			r := pushCall("z1", now(), "z")
			r.ToolInput = []byte(`{"command":"git push origin z","timeout":1}`)
			return r
		}, true},
		"with look-alikes":      {func() broker.Request { return pushCall("z1", now(), "раypal") }, true},
		"of an unknown session": {func() broker.Request { r := pushCall("z1", now(), "z"); r.SessionID = "s9"; return r }, true},
		"with a long tool name": {func() broker.Request {
			r := pushCall("z1", now(), "z")
			r.ToolName = strings.Repeat("BashWithALongName", 9)
			return r
		}, true},
		"with a tool name that no row shows": {func() broker.Request {
			r := pushCall("z1", now(), "z")
			r.ToolName = strings.Repeat("a", 2000)
			return r
		}, true},
		"whose sign another tool has, too": {func() broker.Request {
			r := pushCall("z1", now(), "z")
			r.ToolName, r.ToolInput = "WebFetch", []byte(`{"url":"https://x.example"}`)
			return r
		}, true},
		"with agent's own words": {func() broker.Request {
			r := pushCall("z1", now(), "z")
			r.ToolInput = []byte(`{"command":"git push origin z","description":"push"}`)
			return r
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := several(t, tc.call())
				r.m.Board.Marks["p1"], r.m.Board.Marks["z1"] = true, true
				r.press("a")
				if !tc.unread {
					r.shows("allow 2 marked calls")
					return
				}
				r.shows("▸2 marked calls") // both, whole
				r.press("G", "a")
				if got := r.decisions(); got != "" {
					t.Fatalf("decided %q before the answer", got)
				}
				r.press("y")
				if got := r.decisions(); got != "allow p1;allow z1;" {
					t.Errorf("decided %q after reading", got)
				}
			})
		})
	}
}

func TestAlike(t *testing.T) {
	cmd := func(text string, elements ...rules.Judged) broker.Request {
		return judgedAsRisk(bash("r", "s1", tuitest.Noon, text), risk.Normal, "", elements...)
	}
	one := func(text string, via ...string) broker.Request {
		return cmd(text, ran(text, rules.Ask, "", "", via...))
	}
	file := func(tool, path string) broker.Request {
		return tuitest.NewCall("r", "s1", tool, tuitest.Noon, map[string]string{"file_path": path})
	}
	redirect := rules.Judged{Kind: "write", Path: "/etc/passwd", Verdict: rules.Ask}
	for name, tc := range map[string]struct {
		x, y broker.Request
		want bool
	}{
		"same subcommand":       {one("git push a"), one("git push --force b"), true},
		"other subcommand":      {one("git push"), one("git pull"), false},
		"same program":          {one("ls a"), one("ls -l b"), true},
		"other program":         {one("ls a"), one("rm a"), false},
		"more of it":            {one("git push"), cmd("git push && rm x", ran("git push", rules.Ask, "", ""), ran("rm x", rules.Ask, "", "")), false},
		"a redirection":         {one("git log"), cmd("git log > /etc/passwd", ran("git log", rules.Ask, "", ""), redirect), false},
		"through sudo":          {one("ls"), one("ls", "sudo"), false},
		"unknown words":         {cmd("$X a", rules.Judged{Kind: "command", Text: "$X a", Argv: []string{"", "a"}}), cmd("$X b", rules.Judged{Kind: "command", Text: "$X b", Argv: []string{"", "b"}}), false},
		"not judged":            {bash("r", "s1", tuitest.Noon, "git push a"), bash("r", "s1", tuitest.Noon, "git push b"), false},
		"same folder":           {file("Edit", "/p/a.go"), file("Edit", "/p/b.go"), true},
		"other folder":          {file("Edit", "/p/a.go"), file("Edit", "/p/x/b.go"), false},
		"other tool":            {file("Edit", "/p/a.go"), file("Read", "/p/a.go"), false},
		"same host":             {tuitest.NewCall("r", "s1", "WebFetch", tuitest.Noon, `{"url":"https://x.example/a"}`), tuitest.NewCall("r", "s1", "WebFetch", tuitest.Noon, `{"url":"https://x.example/b"}`), true},
		"other host":            {tuitest.NewCall("r", "s1", "WebFetch", tuitest.Noon, `{"url":"https://x.example/a"}`), tuitest.NewCall("r", "s1", "WebFetch", tuitest.Noon, `{"url":"https://x.example.evil/a"}`), false},
		"same tool of a server": {tuitest.NewCall("r", "s1", "mcp__a__b", tuitest.Noon, `{"x":1}`), tuitest.NewCall("r", "s1", "mcp__a__b", tuitest.Noon, `{"x":2}`), true},
	} {
		x, y := &board.Card{Req: tc.x}, &board.Card{Req: tc.y}
		if got := x.Alike() == y.Alike(); got != tc.want {
			t.Errorf("%s: alike is %v: %q and %q", name, got, x.Alike(), y.Alike())
		}
	}
}

// space on a card that came up by itself a moment ago marks nothing; on one that the
// operator went to it does.
func TestMarkOnAFreshCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := several(t)
		r.c.publish(settled(r.c.requests["p1"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		r.wait(50 * time.Millisecond)
		r.send(keyMsg(" "))
		r.wait(time.Second)
		r.wantMarks("")
		r.send(keyMsg("j"))
		r.wait(80 * time.Millisecond)
		r.send(keyMsg(" "))
		r.wait(time.Second)
		r.wantMarks("p3")
	})
}

func TestMarkedAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"decided": {fmt.Errorf("x: %w", broker.ErrAlreadyDecided), "nothing was decided"},
		"unsaved": {fmt.Errorf("x: %w", broker.ErrNotRecorded), "the agents were told no"},
		"changed": {fmt.Errorf("x: %w", broker.ErrChanged), "look again"},
		"refused": {fmt.Errorf("\x1b[2Jx: %w", broker.ErrInvalid), `\x1b[2Jx: invalid; nothing was decided`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := several(t)
				r.c.failWith = tc.err
				r.press("*", "a", "y")
				r.shows(tc.want)
				if got := r.decisions(); got != "" {
					t.Fatalf("decided %q", got)
				}
				for _, c := range r.m.Board.Cards {
					if c.Sending != "" {
						t.Errorf("%s is still being sent", c.Req.ID)
					}
				}
				if name == "changed" && r.m.Board.Cards["p2"].SeenRow {
					r.t.Error("a call counts as read after a file of it changed")
				}
			})
		})
	}
}

// Whatever happens around marks, what is allowed together was marked, of one class and
// not dangerous, and was on the screen.
func TestMarkScripts(t *testing.T) {
	decided := 0
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 15), 20, 60).Draw(rt, "steps")
		problem := ""
		synctest.Test(t, func(t *testing.T) {
			r := several(t)
			marked, unread, n := map[string]bool{}, map[string]bool{}, 0
			r.c.onDecide = func(id string) { // beside the model, which goes on
				decided++
				req, v := r.c.requests[id], r.c.decided[len(r.c.decided)-1].Verdict
				switch {
				case v == broker.Allow && req.Assessment.Class == risk.Dangerous:
					problem = "a dangerous call was allowed: " + id
				case !marked[id]:
					problem = id + " was decided and was not marked"
				case v == broker.Allow && unread[id]:
					problem = id + " was not read"
				}
			}
			for _, s := range steps {
				if len(r.m.Board.Marks) == 0 && s < 6 {
					s = 8 + s%2 // alone, a and d are another test's
				}
				marked, unread = maps.Clone(r.m.Board.Marks), map[string]bool{}
				for id, c := range r.m.Board.Cards {
					unread[id] = !c.SeenEnd && !c.SeenRow
				}
				switch {
				case s < 6:
					r.press([]string{"a", "d", "y", "a", "y", "y"}[s])
				case s < 13:
					r.press([]string{"j", "k", " ", "*", " ", "esc", "G"}[s-6])
				default:
					n++
					call := pushCall(fmt.Sprint("n", n), time.Now().Add(-time.Duration(s*n)*time.Second), strings.Repeat("b", s*s*(n%2)))
					if s == 15 {
						call = deadly(call)
					}
					r.c.publish(call)
					r.wait(30 * time.Millisecond)
				}
				for id := range r.m.Board.Marks {
					if c := r.m.Board.Cards[id]; c == nil || c.Late() {
						problem = "a mark without a waiting card: " + id
					}
				}
			}
		})
		if problem != "" {
			rt.Fatal(problem)
		}
	})
	if !t.Failed() && decided < 20 {
		t.Errorf("only %d decisions: the scripts test nothing", decided)
	}
}
