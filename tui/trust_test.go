package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
	"github.com/aoctl/aoctl/tui/words"
)

// shop is a project without rules, which the calls of tests are in.
func shop() map[string]broker.Project {
	dir := bash("r", "s1", time.Time{}, "true").CWD
	return map[string]broker.Project{dir: {Path: "/home/ada/src/shop", Holds: []string{"go.mod", "package.json", "git"}}}
}

// passes is what a grant would have done.
func passes(passed, denied int) func(rules.Rule) (broker.Preview, error) {
	return func(rules.Rule) (broker.Preview, error) {
		p := broker.Preview{Past: 412, Here: 50, Passed: passed, Matched: passed, Allowed: passed - denied, Denied: denied, Waiting: []broker.Request{bash("r1", "s1", time.Time{}, "echo 1")}}
		if denied > 0 {
			p.Against = []broker.Request{bash("h1", "s1", time.Time{}, "make \x1b[2Jclean")}
		}
		return p, nil
	}
}

// trustRig is a console over three calls of a project without rules.
func trustRig(t *testing.T) *rig {
	t.Helper()
	now := time.Now()
	c := newFake(oneSession, bash("r1", "s1", now.Add(-3*time.Second), "echo 1"), bash("r2", "s1", now.Add(-2*time.Second), "echo 2"), bash("r3", "s1", now.Add(-time.Second), "echo 3"))
	c.projects, c.preview = shop(), passes(26, 0)
	return newRig(t, c, 80, 24)
}

// granted are the effects of the rules that were saved, and where these hold.
func (r *rig) granted() (list []string) {
	for _, s := range r.c.saved() {
		list = append(list, s.Tool+": "+string(s.Decision)+" "+s.Effects.String()+" in "+s.Scope.Project)
	}
	return list
}

// Three keys from a card let agents look, edit, check and commit in its project.
func TestThreeKeysToAGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		r.shows("shop has no rules yet · p say once what its agents may do")
		r.press("p")
		r.shows("would have passed 26 of the 50 calls so far")
		r.shows("you denied none of these")
		r.press("e")
		r.shows("edit + check: it can run what it writes, like auto-accept")
		r.press("enter")
		want := []string{"(effects): allow look, edit, check, commit in /home/ada/src/shop"}
		if diff := cmp.Diff(want, r.granted()); diff != "" {
			t.Error(diff)
		}
		r.shows("Waiting 3")
		r.shows("shop: agents may look, edit, check, commit")
	})
}

// Letters tick, and so does space; what is not ticked is not granted.
func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		r.press("p", "l", "c", "m")
		r.shows("nothing is ticked: every call asks")
		r.press("enter")
		if got := r.granted(); got != nil {
			t.Fatalf("saved %v", got)
		}
		r.press("s", "k", " ", "enter") // the cursor is at what was ticked last
		if diff := cmp.Diff([]string{"(effects): allow fetch, serve in /home/ada/src/shop"}, r.granted()); diff != "" {
			t.Error(diff)
		}
	})
}

// Enter saves nothing that was not on the screen: not before the answer is there, not in a burst, and
// not while the end is out of sight.
func TestEnterSavesWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		r.send(keyMsg("p"))
		r.wait(100 * time.Millisecond)
		r.press("enter")
		if got := r.granted(); got != nil {
			t.Fatalf("a key just after the form came up saved %v", got)
		}
		r.c.mu.Lock()
		r.c.preview = func(rules.Rule) (broker.Preview, error) {
			time.Sleep(time.Minute)
			return broker.Preview{}, nil
		}
		r.c.mu.Unlock()
		r.press("e", "enter")
		r.shows("the past calls are being looked at")
		if got := r.granted(); got != nil {
			t.Fatalf("saved %v before anybody knew what it does", got)
		}
	})
}

// The key that opened the form leaves it with "not now": the line does not come back for the project.
func TestNotNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		r.press("p", "esc")
		r.shows("shop has no rules yet")
		r.press("p", "p")
		r.press("j")
		if strings.Contains(r.view(), "has no rules yet") || r.granted() != nil {
			t.Errorf("after not now:\n%s", r.view())
		}
		r.press("p")
		r.shows("What agents may do in shop")
	})
}

// A project with a rule of its own has no line, whatever the rule says; rules for everything do not count.
func TestNoLineWithRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		r.m.Book = words.NewBook(broker.RuleBook{Rules: []rules.Rule{{ID: "a", Tool: "Bash", Decision: rules.Ask}}})
		r.press("j")
		r.shows("shop has no rules of its own yet")
		r.m.Book = words.NewBook(broker.RuleBook{Rules: []rules.Rule{{ID: "a", Tool: "Bash", Decision: rules.Ask, Scope: rules.Scope{Project: "/home/ada/src"}}}})
		r.press("j")
		if strings.Contains(r.view(), "has no rules") {
			t.Errorf("a project with rules has the line:\n%s", r.view())
		}
	})
}

// A grant that is there is changed, under the version that was shown.
func TestChangedGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		old := rules.Rule{ID: "g", Version: 3, Priority: 7, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Look), Decision: rules.Allow, Scope: rules.Scope{Project: "/home/ada/src/shop"}}
		r.m.Book = words.NewBook(broker.RuleBook{Rules: []rules.Rule{old}})
		r.press("p", "c", "enter")
		old.Effects = effects.Of(effects.Look, effects.Check)
		if diff := cmp.Diff([]rules.Rule{old}, r.c.saved()); diff != "" {
			t.Error(diff)
		}
	})
}

// askedFor is what a terminal asks for.
func askedFor() []broker.Proposal {
	return []broker.Proposal{{
		ID: "p1", Project: "/home/ada/src/shop", Effects: effects.Of(effects.Look, effects.Edit), State: broker.Proposed,
		By: broker.Actor{Kind: broker.ByProcess, PID: 4711, Exe: "/usr/bin/aoctl", TTY: "/dev/pts/3"},
	}}
}

// What a terminal asks for is answered in the form, with what is ticked there.
func TestAskedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		keys          []string
		answer, grant string
	}{
		"granted": {[]string{"p", "e", "enter"}, "p1 look, edit", "(effects): allow look, edit in /home/ada/src/shop"},
		// Keys that the fingers know give no more than they give without anybody asking.
		"as ever":  {[]string{"p", "enter"}, "p1 look", "(effects): allow look in /home/ada/src/shop"},
		"declined": {[]string{"p", "p"}, "p1 declined", ""},
		"left":     {[]string{"p", "esc"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := trustRig(t)
				r.c.mu.Lock()
				r.c.proposals, r.c.projects["/home/ada/src/shop"] = askedFor(), broker.Project{Path: "/home/ada/src/shop"}
				r.c.mu.Unlock()
				r.wait(3 * time.Second)
				r.shows("p answers")
				r.press(tc.keys...)
				r.wait(3 * time.Second)
				r.c.mu.Lock()
				got := strings.Join(r.c.answers, "; ")
				r.c.mu.Unlock()
				if got != tc.answer || strings.Join(r.granted(), "; ") != tc.grant {
					t.Errorf("answered %q, granted %v", got, r.granted())
				}
				if left := strings.Contains(r.view(), "p answers"); left != (tc.answer == "") {
					t.Errorf("the line is there: %v\n%s", left, r.view())
				}
			})
		})
	}
}

// Without a session there is no project to open the form about.
func TestTrustNeedsASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil), 80, 24)
		r.press("p")
		r.shows("there is no session yet")
		r.shows("Waiting 0")
	})
}

// Calls that come while the form is open have it tried again, not more often than once a second, and
// not at all once it is closed.
func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		tried := func() int {
			r.c.mu.Lock()
			defer r.c.mu.Unlock()
			return len(r.c.tried)
		}
		flood := func(name string) {
			for i := range 50 {
				r.c.publish(bash(fmt.Sprint(name, i), "s1", time.Now(), "true"))
				r.wait(50 * time.Millisecond)
			}
			r.wait(2 * time.Second)
		}
		r.press("p")
		before := tried()
		flood("a")
		if n := tried() - before; n < 1 || n > 5 {
			t.Errorf("tried %d times in five seconds", n)
		}
		r.press("esc")
		before = tried()
		flood("b")
		if n := tried() - before; n != 0 {
			t.Errorf("tried %d times after it was closed", n)
		}
	})
}

// Nothing opens by itself: keys stay with the call that is drawn.
func TestAskedForTakesNoKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trustRig(t)
		r.c.mu.Lock()
		r.c.proposals = askedFor()
		r.c.mu.Unlock()
		r.wait(3 * time.Second)
		r.press("enter", "esc", "d")
		if got := r.granted(); got != nil || len(r.c.ids) != 1 {
			t.Errorf("granted %v, decided %v", got, r.c.ids)
		}
	})
}

// The banner leaves out who asks and where before it cuts an effect, and nothing beside it says what else p
// does.
func TestBannerKeepsTheEffects(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120} {
		s := newTrustScene(t, width, 24)
		trustScenes["asked"](s)
		s.fake().mu.Lock()
		s.fake().proposals[0].Effects = effects.Of(effects.Look, effects.Edit, effects.Check, effects.Commit, effects.Fetch)
		s.fake().mu.Unlock()
		for _, msg := range answers(s.m.shared.asks.Update(desk.Tick{})) {
			s.m.Update(msg)
		}
		if view := s.draw(width, 24); !strings.Contains(view, "look, edit, check, commit, fetch · p") || strings.Contains(view, "has no rules") {
			t.Errorf("%d cells:\n%s", width, view)
		}
	}
}

// trustScenes are the screens of a project without rules.
var trustScenes = map[string]func(*still){
	"line": func(*still) {},
	"form": func(s *still) {
		s.fake().preview = passes(26, 0)
		s.keys("p")
		s.told()
	},
	"edit and check": func(s *still) {
		s.fake().preview = passes(43, 2)
		s.keys("p")
		s.told()
		_, tried := s.m.Update(keyMsg("e"))
		for _, msg := range answers(tried) {
			s.m.Update(msg)
		}
	},
	"nothing known": func(s *still) {
		s.fake().preview = func(rules.Rule) (broker.Preview, error) { return broker.Preview{}, nil }
		s.keys("p")
		s.told()
	},
	"asked": func(s *still) {
		s.fake().preview, s.fake().proposals = passes(26, 0), askedFor()
		s.asked = nil
		for _, msg := range answers(s.m.shared.asks.Update(desk.Tick{})) {
			s.m.Update(msg)
		}
	},
	"asked by an agent": func(s *still) {
		p := askedFor()
		p[0].Agent = "it comes from the agent of session s\x1b[2J (process 12)"
		s.fake().preview, s.fake().proposals = passes(26, 0), p
		s.fake().projects["/home/ada/src/shop"] = broker.Project{Path: "/home/ada/src/shop", Holds: []string{"git"}}
		for _, msg := range answers(s.m.shared.asks.Update(desk.Tick{})) {
			s.m.Update(msg)
		}
		s.keys("p")
		s.told()
	},
	"no git": func(s *still) {
		s.fake().preview = passes(26, 0)
		for dir, p := range s.fake().projects {
			p.NoGit = true
			s.fake().projects[dir] = p
		}
		s.keys("p")
		s.told()
	},
	"no project": func(s *still) {
		s.fake().projects = nil
		s.keys("p")
		s.told()
	},
}

func newTrustScene(t *testing.T, width, height int) *still {
	t.Helper()
	s := newStill(t, broker.Snapshot{
		Sessions: someSessions(),
		Health:   broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"},
	}, pastCalls(), termenv.Ascii)
	s.at = tuitest.Noon.Add(-30 * time.Second)
	s.fake().projects = shop()
	call := bash("r1", "s1", seconds(39), "npm run build")
	s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &call}}})
	s.draw(width, height)
	s.told()
	s.pass(time.Second)
	return s
}

func TestGoldenTrust(t *testing.T) {
	for name, play := range trustScenes {
		t.Run(name, func(t *testing.T) {
			goldenAt(t, "trust-"+name, fourSizes, func(width, height int) *still {
				s := newTrustScene(t, width, height)
				play(s)
				return s
			})
		})
	}
}

// Where no git brings a file back, the form says that edits ask, in any window.
func TestEditsWithoutGit(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		s := newTrustScene(t, width, 24)
		trustScenes["no git"](s)
		if view := s.draw(width, 24); !strings.Contains(view, "no git here:") {
			t.Errorf("%d cells:\n%s", width, view)
		}
	}
}

// They fit windows of any size.
func TestTrustInEveryWindow(t *testing.T) {
	for name, play := range trustScenes {
		t.Run(name, func(t *testing.T) {
			s := newTrustScene(t, 80, 24)
			play(s)
			s.fitsEveryWindow(t)
		})
	}
}

// An agent that accepts edits by itself is followed only when the person says so. That is offered once in a
// session, and never for the modes in which an agent accepts whatever it likes.
func TestEditsThatTheAgentAccepts(t *testing.T) {
	edit := func(id, mode string, does ...effects.Effect) broker.Request {
		r := bash(id, "s1", time.Now(), "")
		r.ToolName, r.ToolInput, r.Mode = "Write", json.RawMessage(`{"file_path":"a","content":"x"}`), mode
		r.Assessment = &rules.Assessment{}
		for _, e := range does {
			r.Assessment.Does = append(r.Assessment.Does, risk.Does{Effect: e})
		}
		return r
	}
	for name, c := range map[string]struct {
		r    broker.Request
		want bool
	}{
		"an edit":            {edit("r1", "acceptEdits", effects.Edit), true},
		"more than an edit":  {edit("r1", "acceptEdits", effects.Edit, effects.Check), false},
		"a look":             {edit("r1", "acceptEdits", effects.Look), false},
		"by default":         {edit("r1", "default", effects.Edit), false},
		"bypass":             {edit("r1", "bypassPermissions", effects.Edit), false},
		"auto":               {edit("r1", "auto", effects.Edit), false},
		"nobody knows which": {edit("r1", "acceptEdits"), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, newFake(oneSession, c.r), 100, 30)
				r.wait(time.Second)
				if got := strings.Contains(r.view(), "accepts edits by itself"); got != c.want {
					t.Fatalf("offered: %v\n%s", got, r.view())
				}
				if !c.want {
					return
				}
				r.shows("until the session ends")
				r.press("d")
				r.wait(2 * time.Second)
				r.c.publish(edit("r2", "acceptEdits", effects.Edit))
				r.wait(2 * time.Second)
				if strings.Contains(r.view(), "accepts edits by itself") {
					t.Errorf("it is offered again:\n%s", r.view())
				}
			})
		})
	}
}
