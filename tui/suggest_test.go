package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// suggested are rules for the calls of tests, as the broker finds them. now is when.
func suggested(now time.Time) history.Suggestions {
	grant := func(project string, does ...effects.Effect) rules.Rule {
		return rules.Rule{Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(does...), Decision: rules.Allow, Scope: rules.Scope{Project: project}}
	}
	push := rules.Rule{Enabled: true, Tool: "Bash", Where: map[string]string{"command": "git push origin *"}, Decision: rules.Allow}
	return history.Suggestions{
		Prompts: 50, Saved: 26,
		List: []history.Suggestion{
			{Rule: grant("/home/ada/src/shop", effects.Edit, effects.Check), Saves: 14, Sessions: 3, Last: now.Add(-2 * time.Hour), Examples: []string{"go test ./...", "make \x1b[2Jlint", "npm test"}},
			{Rule: grant("/home/ada/src/docs", effects.Commit), Saves: 9, Sessions: 1, Last: now.Add(-time.Minute), Examples: []string{"git commit -m 'A rather long message that will not fit into the row of a narrow window, nor into that of a wide one'"}},
			{Rule: push, Saves: 3, Sessions: 2, Last: now.Add(-time.Hour), Examples: []string{"git push origin dev"}},
		},
	}
}

// suggestRig is a console whose operator has decided so many calls by hand.
func suggestRig(t *testing.T, decided int) *rig {
	t.Helper()
	c := newFake(oneSession, bash("r1", "s1", time.Now(), "echo 1"))
	c.suggestions = suggested(time.Now())
	r := newRig(t, c, 100, 30)
	for i := range decided {
		one := settled(bash(fmt.Sprint("d", i), "s1", time.Now(), "go test"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", time.Now())
		c.publish(one)
		c.publish(one) // as when something about it changes
	}
	r.wait(2 * time.Minute)
	return r
}

func (r *rig) hides(text string) {
	r.t.Helper()
	if strings.Contains(r.view(), text) {
		r.t.Errorf("it says %q:\n%s", text, r.view())
	}
}

const quietLine = "3 rules would have saved 26 of your last 50 prompts · P shows them"

// After thirty decisions by hand there is a line. It goes when somebody looks, or says not now, until
// thirty more were made.
func TestSuggestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := suggestRig(t, 29)
		r.hides("would have saved")
		if r.c.suggested != 0 {
			t.Errorf("asked %d times before there were thirty", r.c.suggested)
		}
		r.c.publish(settled(bash("d", "s1", time.Now(), "x"), broker.Denied, broker.Actor{Kind: broker.ByOperator}, "", time.Now()))
		r.wait(2 * time.Second)
		r.shows(quietLine)
		r.wait(time.Hour)
		if r.c.suggested != 1 {
			t.Errorf("asked %d times although nothing was decided since", r.c.suggested)
		}
		r.press("P", "P")
		r.wait(time.Minute)
		r.hides("would have saved")
		r.shows("echo 1")
		for i := range 30 {
			r.c.publish(settled(bash(fmt.Sprint("e", i), "s1", time.Now(), "x"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", time.Now()))
		}
		r.wait(2 * time.Minute)
		r.shows(quietLine)
		r.press("d")
		r.shows("nothing waits")
		r.shows(quietLine)
	})
}

// Whoever has decided that much has seen that a project has no rules; what an agent does by itself comes
// first.
func TestSuggestLineStandsAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(oneSession, bash("r1", "s1", time.Now(), "echo 1"))
		c.suggestions, c.stats, c.projects = suggested(time.Now()), map[string]broker.Stats{"": {ByHand: 29}}, shop()
		r := newRig(t, c, 100, 30)
		r.wait(2 * time.Minute)
		r.shows("shop has no rules yet")
		r.c.publish(settled(bash("d", "s1", time.Now(), "x"), broker.Denied, broker.Actor{Kind: broker.ByOperator}, "", time.Now()))
		r.wait(2 * time.Minute)
		r.shows(quietLine)
		r.hides("has no rules yet")
	})
}

// What rules, programs and agents decide is nobody's decision, and what an earlier console saw counts.
func TestSuggestLineCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := suggestRig(t, 0)
		for i, by := range []broker.Actor{{Kind: broker.ByRule, ID: "r"}, {Kind: broker.ByDeadline}, {Kind: broker.ByObserve}, {Kind: broker.ByOperator, ID: "token"}} {
			for n := range 40 {
				r.c.publish(settled(bash(fmt.Sprint(i, "-", n), "s1", time.Now(), "x"), broker.Allowed, by, "", time.Now()))
			}
		}
		r.wait(2 * time.Minute)
		r.hides("would have saved")
	})
	synctest.Test(t, func(t *testing.T) {
		c := newFake(oneSession, bash("r1", "s1", time.Now(), "echo 1"))
		c.suggestions, c.stats = suggested(time.Now()), map[string]broker.Stats{"": {ByHand: 30}}
		r := newRig(t, c, 100, 30)
		r.wait(2 * time.Minute)
		r.shows(quietLine)
	})
}

// One key makes a rule hold, one takes it back; what is not wanted is not shown again.
func TestSuggestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := suggestRig(t, 0)
		r.press("P")
		r.shows("allows edit, check in shop")
		r.shows("edit + check: it can run what it writes")
		r.press("u")
		r.shows("nothing was saved here")
		r.press("enter")
		r.shows("saved: allows edit, check in shop")
		if diff := cmp.Diff([]string{"(effects): allow edit, check in /home/ada/src/shop"}, r.granted()); diff != "" {
			t.Fatal(diff)
		}
		r.hides("14 prompts")
		r.shows("allows commit in docs")
		r.press("x")
		r.hides("9 prompts")
		r.press("u")
		r.shows("taken back: edit, check")
		r.shows("14 prompts in 3 sessions")
		if got := r.c.removed; len(got) != 1 || got[0] != "new-rule" {
			t.Errorf("removed %v", got)
		}
		r.press("esc", "P")
		r.hides("commit in docs")
	})
}

// Enter saves nothing that was not on the screen: not before it was tried, not in a burst, and not another
// rule that came up in its place.
func TestSuggestSavesWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := suggestRig(t, 0)
		r.send(keyMsg("P"))
		r.wait(100 * time.Millisecond)
		r.press("enter")
		if got := r.granted(); got != nil {
			t.Fatalf("a key just after the list came up saved %v", got)
		}
		r.c.mu.Lock()
		r.c.preview = func(rules.Rule) (broker.Preview, error) {
			time.Sleep(time.Minute)
			return broker.Preview{}, nil
		}
		r.c.mu.Unlock()
		r.press("j", "enter")
		r.shows("the past calls are being looked at")
		if got := r.granted(); got != nil {
			t.Fatalf("saved %v before anybody knew what it does", got)
		}
	})
}

// A call that begins to wait while the list is looked at changes what enter does: keys are deaf until that can
// have been read. One that comes while the rule is being tried anew is named once it went on.
func TestSuggestCallsThatComeLate(t *testing.T) {
	onPush := func(t *testing.T) *rig {
		t.Helper()
		r := suggestRig(t, 0)
		r.press("P", "j", "j")
		r.shows("lets 1 waiting call go on now")
		r.wait(2 * time.Second)
		return r
	}
	push := func(id string) broker.Request { return bash(id, "s1", time.Now(), "git push origin "+id) }
	t.Run("known", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := onPush(t)
			r.c.publish(push("late"))
			r.wait(100 * time.Millisecond)
			r.send(keyMsg("enter"))
			r.wait(time.Second)
			if got := r.granted(); got != nil {
				t.Fatalf("saved %v although it lets a call go on that had just come", got)
			}
			r.shows("lets 2 waiting calls go on now")
			r.press("enter")
			r.shows("2 waiting calls went on")
			r.hides("not listed before")
		})
	})
	t.Run("not yet known", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := onPush(t)
			r.c.mu.Lock()
			r.c.preview = func(rules.Rule) (broker.Preview, error) {
				time.Sleep(time.Minute)
				return broker.Preview{}, nil
			}
			r.c.mu.Unlock()
			r.c.publish(push("late"))
			r.press("enter")
			r.shows("2 waiting calls went on, 1 not listed before: git push origin late")
		})
	})
}

// suggestScenes are the screens of suggestions.
var suggestScenes = map[string]func(*still){
	"line": func(s *still) {
		s.fake().stats = map[string]broker.Stats{"": {ByHand: 30}}
		for _, msg := range []tea.Msg{desk.Start{}, desk.Tick{}} {
			for _, answer := range answers(s.m.shared.quiet.Update(msg)) {
				s.m.Update(answer)
			}
			s.pass(2 * time.Minute)
		}
	},
	"list": func(s *still) {
		s.keys("P")
		s.told()
	},
	"waiting": func(s *still) {
		s.fake().preview = passes(26, 0)
		s.keys("P")
		s.told()
		s.keys("j")
		s.told()
	},
	"nothing": func(s *still) {
		s.fake().suggestions = history.Suggestions{Prompts: 50}
		s.keys("P")
		s.told()
	},
}

func newSuggestScene(t *testing.T, width, height int) *still {
	t.Helper()
	s := newStill(t, broker.Snapshot{
		Sessions: someSessions(),
		Health:   broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"},
	}, pastCalls(), termenv.Ascii)
	s.at = tuitest.Noon.Add(-30 * time.Second)
	s.fake().suggestions = suggested(tuitest.Noon)
	call := bash("r1", "s1", seconds(39), "npm run build")
	s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &call}}})
	s.draw(width, height)
	s.told()
	s.pass(time.Second)
	return s
}

func TestGoldenSuggest(t *testing.T) {
	for name, play := range suggestScenes {
		t.Run(name, func(t *testing.T) {
			goldenAt(t, "suggest-"+name, fourSizes, func(width, height int) *still {
				s := newSuggestScene(t, width, height)
				play(s)
				return s
			})
		})
	}
}

// They fit windows of any size.
func TestSuggestInEveryWindow(t *testing.T) {
	for name, play := range suggestScenes {
		t.Run(name, func(t *testing.T) {
			s := newSuggestScene(t, 80, 24)
			play(s)
			s.fitsEveryWindow(t)
		})
	}
}

// A on a row of the history makes a rule from that call, whoever let it run: there is no card that it could
// decide, and a session that has ended is no place for a rule.
func TestRuleFromHistory(t *testing.T) {
	for name, by := range map[string]broker.Actor{"decided": {Kind: broker.ByOperator}, "observed": {Kind: broker.ByObserve}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				state := broker.Allowed
				if by.Kind == broker.ByObserve {
					state = broker.Answered
				}
				c := newFake(oneSession)
				c.history = []broker.Request{settled(bash("h1", "gone", time.Now().Add(-time.Hour), "go test ./..."), state, by, "", time.Now())}
				c.offers = []rules.Rule{{Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Check), Decision: rules.Allow, Scope: rules.Scope{Project: "/home/ada/src/shop"}}}
				r := newRig(t, c, 100, 30)
				r.press("h", "A")
				r.shows("from Bash of gone")
				r.hides("once")
				r.hides("this session")
				r.press("enter", "enter")
				saved := r.c.saved()
				if diff := cmp.Diff([]string{"(effects): allow check in /home/ada/src/shop"}, r.granted()); diff != "" {
					t.Fatalf("%s\n%s", diff, r.view())
				}
				if saved[0].CreatedFrom != "h1" {
					t.Errorf("made from %q", saved[0].CreatedFrom)
				}
			})
		})
	}
}

// A dangerous call of the history takes the digits that the form shows.
func TestDangerousRuleFromHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(oneSession)
		c.history = []broker.Request{settled(bash("h1", "s1", time.Now().Add(-time.Hour), "rm -rf /srv"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", time.Now())}
		c.offers = []rules.Rule{{Enabled: true, Tool: "Bash", Where: map[string]string{"command": "line:rm -rf /srv"}, Dangerous: true, Decision: rules.Allow}}
		r := newRig(t, c, 100, 30)
		r.press("h", "A", "enter", "enter")
		if got := r.c.saved(); got != nil {
			t.Errorf("saved without its digits: %v", got)
		}
		r.shows("dangerous: type")
	})
}
