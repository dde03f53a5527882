package tui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
	"github.com/aoctl/aoctl/tui/words"
)

// offer opens the editor on the selected card, for which the broker offers drafts.
func (s *still) offer(drafts ...rules.Rule) {
	s.fake().offers = drafts
	s.m.Update(keyMsg("A"))
	s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen})
	s.once()
	s.pass(700 * time.Millisecond)
}

// answer is what the broker says of the form's rule.
func (s *still) answer(p broker.Preview, err error) {
	s.fake().preview = func(rules.Rule) (broker.Preview, error) { return p, err }
	s.told()
}

func (s *still) fake() *fakeConsole {
	fake, _ := s.m.console.(*fakeConsole)
	return fake
}

func (s *still) keys(names ...string) {
	for _, k := range names {
		s.m.Update(keyMsg(k))
		s.pass(700 * time.Millisecond)
	}
}

// somePreview is what a rule for npm run test would have done.
func somePreview() broker.Preview {
	past := pastCalls()
	one, two := past[1], past[0]
	one.ToolInput = []byte(`{"command":"npm run test -- --update-snapshots\n"}`)
	two.ToolInput = []byte(`{"command":"npm run test > \u001b[2J/tmp/out"}`)
	return broker.Preview{
		Past: 412, Matched: 43, Allowed: 41, Denied: 2, Against: []broker.Request{one, two},
		Waiting: []broker.Request{bash("r1", "s1", seconds(62), "npm run test a"), bash("w2", "s2", seconds(9), "npm run test -- b"), editCall("w3", seconds(4))},
	}
}

func dangerousCall() broker.Request {
	return judgedAsRisk(bash("r1", "s1", seconds(9), "git push --force origin main"), risk.Dangerous, "force push")
}

// ruleScenes are the screens about rules, each from its own start.
var ruleScenes = map[string]struct {
	requests []broker.Request
	play     func(*still)
}{
	"editor": {play: func(s *still) {
		s.offer(offered("npm run test", "npm run test *", "npm run *")...)
		s.keys("ctrl+n", "tab", "tab")
		s.answer(somePreview(), nil)
	}},
	"editor effects": {play: func(s *still) {
		d := append(offered("go test ./...", "go test *"), rules.Rule{Version: 1, Priority: rules.DefaultPriority, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Edit, effects.Check), Decision: rules.Allow, Scope: rules.Scope{Project: home}})
		s.offer(d...)
		s.answer(broker.Preview{Past: 50, Matched: 14, Allowed: 14}, nil)
	}},
	"editor suggested": {play: func(s *still) {
		d := offered("npm run test", "npm run test *", "npm *")
		d[2].CreatedBy = broker.SuggestedByAgent
		s.offer(d...)
		s.keys("ctrl+n", "ctrl+n")
		s.answer(somePreview(), nil)
	}},
	"editor trying": {play: func(s *still) {
		s.offer(offered("npm run test")...)
		s.answer(somePreview(), nil)
		s.keys("tab", "tab", "*")
	}},
	"editor loading": {play: func(s *still) {
		s.m.Update(keyMsg("A"))
		s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen})
	}},
	"editor error": {play: func(s *still) {
		s.offer(offered("npm run test")...)
		s.keys("tab", "tab", "ctrl+u", "r", "e", ":", "(")
		s.answer(broker.Preview{}, fmt.Errorf("%w: %w", broker.ErrInvalid, &rules.Error{Field: "where.command", Problem: "has a wrong expression: missing closing ): `(`"}))
		s.keys("enter")
	}},
	"editor deny": {play: func(s *still) {
		s.offer(offered("npm run test \x1b[2J\u202e")...)
		s.keys("right", "tab", "tab", "home")
		s.answer(broker.Preview{Past: 1}, nil)
	}},
	"editor once": {play: func(s *still) {
		s.offer(offered("npm run test")...)
		s.keys("tab", "tab", "tab", "tab", "left", "left")
	}},
	"editor no rule may allow": {play: func(s *still) { s.offer() }},
	"editor dangerous": {requests: []broker.Request{dangerousCall()}, play: func(s *still) {
		d := offered("git push --force origin main")
		d[0].Dangerous = true
		s.offer(d...)
		s.answer(broker.Preview{Past: 412, Waiting: []broker.Request{dangerousCall()}}, nil)
		s.keys("shift+tab", "4", "enter")
	}},
	"editor question": {play: func(s *still) {
		s.offer(offered("npm run test *")...)
		s.answer(somePreview(), nil)
		s.keys("enter")
	}},
	"rules": {play: func(s *still) { s.keys("r", "j") }},
	"rules filter": {play: func(s *still) {
		s.keys("r", "/", "n", "p", "m", "enter")
	}},
	"rules none": {play: func(s *still) {
		s.m.Book = words.NewBook(broker.RuleBook{Problem: "the log was changed behind the console's back"})
		s.keys("r")
	}},
	"rules delete": {play: func(s *still) { s.keys("r", "j", "x") }},
	"rules edit":   {play: func(s *still) { s.keys("r", "j", "j", "enter") }},
	"tokens": {play: func(s *still) {
		s.fake().tokens = []broker.Token{{ID: "0123456789", Label: "ci of \x1b[2J docs", CreatedAt: seconds(3600)}, {ID: "abcdef9876", CreatedAt: seconds(90000)}}
		s.keys("r", "t")
		s.told()
	}},
	"token box": {play: func(s *still) {
		s.keys("r", "t", "n")
		made := s.m.prompt.line.Send("ci of docs")()
		s.m.prompt = nil
		s.m.Update(made)
	}},
	"files":       {play: func(s *still) { s.keys("r", "F") }},
	"file":        {play: func(s *still) { s.keys("r", "F", "enter") }},
	"file broken": {play: func(s *still) { s.keys("r", "F", "j", "enter") }},
	"file trust":  {play: func(s *still) { s.keys("r", "F", "enter", "G", "y") }},
	"history with rules": {play: func(s *still) {
		s.wasDecided([]broker.Request{
			settled(bash("h1", "s1", seconds(3), "npm run test a"), broker.Allowed, broker.Actor{Kind: broker.ByRule, ID: "r-test"}, "", seconds(2)),
			settled(bash("h2", "s2", seconds(9), "make all"), broker.Allowed, broker.Actor{Kind: broker.ByRule, ID: "r-gone-4711"}, "", seconds(8)),
		}, nil)
		fake, _ := s.m.console.(*fakeConsole)
		fake.stats = map[string]broker.Stats{"": {Calls: 5210, ByRule: 4100, ByHand: 1000, Denied: 60, RuleDeny: 20, Expired: 30, Median: 3200 * time.Millisecond, Saved: 4120}}
		s.keys("h")
		s.told()
	}},
}

func newRuleScene(t *testing.T, requests []broker.Request) *still {
	t.Helper()
	if requests == nil {
		requests = []broker.Request{bash("r1", "s1", seconds(62), "npm run test a"), bash("r3", "s2", seconds(25), "npm run build")}
	}
	s := newStill(t, broker.Snapshot{
		Sessions: someSessions(), Requests: requests,
		Rules:  broker.RuleBook{Rules: someRules(tuitest.Noon), Files: someFiles(tuitest.Noon)},
		Health: broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"},
	}, pastCalls(), termenv.Ascii)
	s.at = tuitest.Noon.Add(-30 * time.Second)
	s.m.newCode = func() string { return codeInTests }
	s.draw(80, 24)
	return s
}

func TestGoldenRules(t *testing.T) {
	for name, sc := range ruleScenes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				goldenScene(t, "rule-"+name, func(width, height int) *still {
					s := newRuleScene(t, sc.requests)
					s.draw(width, height)
					sc.play(s)
					return s
				})
			})
		})
	}
}

// The screens about rules fit windows of any size.
func TestRulesInEveryWindow(t *testing.T) {
	for name, sc := range ruleScenes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newRuleScene(t, sc.requests)
				sc.play(s)
				s.fitsEveryWindow(t)
			})
		})
	}
}
