package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// A call that came behind the last look at the waiting ones is decided by the rule as
// well; the console says so afterwards, and names it first.
func TestSavedTellsOfLateArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.c.mu.Lock()
		r.c.preview = func(rules.Rule) (broker.Preview, error) {
			return broker.Preview{Past: 7, Waiting: []broker.Request{r.c.requests["r1"], r.c.requests["r3"]}}, nil
		}
		r.c.mu.Unlock()
		r.press("A", "enter", "enter")
		r.wait(time.Second)
		r.shows("it decided 3 waiting calls, 1 not listed before: echo 2, echo 1")
	})
}

// The question before saving lists every waiting call, however many there are.
func TestQuestionListsEveryWaitingCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []broker.Request
		for i := range 40 {
			calls = append(calls, bash(fmt.Sprintf("r%02d", i), "s1", time.Now().Add(time.Duration(i)), fmt.Sprintf("echo %d!", i)))
		}
		c := newFake(oneSession, calls...)
		c.offers = offered("echo *")
		r := newRig(t, c, 80, 24)
		r.press("A")
		r.shows("decides 40 waiting calls now:")
		r.shows("… and 35 more")
		r.press("enter")
		seen := r.view()
		for range 4 {
			r.press("j")
			seen += r.view()
		}
		for i := range 40 {
			if !strings.Contains(seen, fmt.Sprintf("echo %d!", i)) {
				t.Errorf("echo %d! is not listed", i)
			}
		}
		r.press("enter")
		r.wait(time.Second)
		r.shows("rule saved; it decided 40 waiting calls: echo 0!, echo 1!")
	})
}

// A pattern that was changed so far that it leaves out the call it was made from.
func TestRuleThatLeavesItsCall(t *testing.T) {
	const text = "does not decide this call, which goes on waiting"
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A")
		if strings.Contains(r.view(), text) {
			t.Errorf("it does:\n%s", r.view())
		}
		r.c.mu.Lock()
		r.c.preview = func(rules.Rule) (broker.Preview, error) { return broker.Preview{Past: 7}, nil }
		r.c.mu.Unlock()
		r.press("tab", "tab", "x")
		r.wait(time.Second)
		r.shows(text)
		r.press("tab", "shift+tab", "shift+tab", "shift+tab", "right", "right") // ask decides nothing
		r.wait(time.Second)
		if strings.Contains(r.view(), text) {
			t.Errorf("a rule that asks decides no call:\n%s", r.view())
		}
	})
}

// That the call has to be read first is said before a rule is written, not after.
func TestUnreadCallIsSaidAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(oneSession, bash("r1", "s1", time.Now(), strings.Repeat("echo x\n", 200)))
		c.offers = offered("echo x")
		r := newRig(t, c, 80, 24)
		r.press("A")
		r.shows("the call was not read to the end: esc, then G")
		r.press("esc", "G", "A")
		if strings.Contains(r.view(), "not read to the end") {
			t.Errorf("it was:\n%s", r.view())
		}
	})
}

// A rule's parameters are shown with their whole names, wherever the rule is.
func TestLongParameterNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		drafts := offered("x")
		drafts[0].Where = map[string]string{"notebook_path_of_it": "*.ipynb"}
		r.c.mu.Lock()
		r.c.offers = drafts
		r.c.mu.Unlock()
		r.press("A")
		r.shows("notebook_path_of_it")
		r.press("enter")
		r.shows("From now on")
		r.shows("notebook_path_of_it")
	})
}

func TestCodeIsTypedNotPasted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(oneSession, deadly(bash("r1", "s1", time.Now(), "git push --force origin main")))
		c.offers = offered("git push --force origin main")
		c.offers[0].Dangerous = true
		r := newRig(t, c, 80, 24)
		r.press("A", "enter") // goes to the code
		const code = codeInTests
		for name, msg := range map[string]tea.KeyMsg{
			"pasted": {Type: tea.KeyRunes, Runes: []rune(code), Paste: true},
			"burst":  {Type: tea.KeyRunes, Runes: []rune(code)},
		} {
			r.send(msg)
			r.wait(time.Second)
			r.shows("the code is typed, digit by digit")
			r.press("enter")
			if !r.editing() || r.inQuestion() {
				t.Fatalf("%s: it counted", name)
			}
		}
		r.press(code[:1], code[1:], "enter")
		r.shows("It is dangerous, and runs nevertheless.")
	})
}

func TestLineBreaksAreNamed(t *testing.T) {
	l := text.NewLine("git ")
	_, refused := l.Edit(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\nb"), Paste: true}, text.DefaultKeys())
	if want := "not taken: it has more than one line"; refused != want {
		t.Errorf("%q, want %q", refused, want)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		15 * time.Minute:                    "15 min",
		15*time.Minute - time.Second:        "15 min",
		time.Second:                         "1 min",
		time.Hour:                           "1 h",
		time.Hour - 5*time.Second:           "1 h",
		time.Hour - time.Minute:             "59 min",
		48*time.Hour - 5*time.Second:        "2 d",
		47 * time.Hour:                      "47 h",
		24*time.Hour + time.Hour/2:          "24 h",
		72*time.Hour - 500*time.Millisecond: "3 d",
	} {
		if got := words.Span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// How the call ends while its rule is being written is said on the question as well.
func TestQuestionTellsThatTheCallEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A", "enter")
		r.shows("From now on")
		r.c.mu.Lock()
		ended := settled(r.c.requests["r1"], broker.Denied, broker.Actor{Kind: broker.ByProcess, PID: 7}, "", time.Now())
		r.c.mu.Unlock()
		r.c.publish(ended)
		r.wait(time.Second)
		r.shows("From now on")
		r.shows("this call was denied by process 7")
	})
}

// What would have become of a call that nobody held is said once.
func TestObservedCallIsToldOnce(t *testing.T) {
	const would = "a person would have been asked: no rule allows it"
	s := newRuleScene(t, nil)
	r := settled(bash("h1", "s1", seconds(9), "ls"), broker.Allowed, broker.Actor{Kind: broker.ByObserve}, would, seconds(9))
	s.wasDecided([]broker.Request{r}, nil)
	s.draw(80, 24, "h")
	view := s.draw(80, 24, "enter")
	if strings.Count(view, would) != 1 || !strings.Contains(view, "was left to the agent (observing), at ") {
		t.Errorf("not told once:\n%s", view)
	}
}

// A sentence that is typed where there are choices turns none of them: only a blank by
// itself does.
func TestSentenceTurnsNoChoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A")
		r.typeText("use npm ci")
		r.shows("[allow]")
		r.shows("space or ← → choose here")
		r.wait(2 * time.Second)
		r.press(" ")
		r.shows("[deny]")
	})
}

// The rule that speaks about a call is named once.
func TestRuleIsNamedOnce(t *testing.T) {
	r := bash("r1", "s1", seconds(9), "ls")
	r.Assessment = &rules.Assessment{Verdict: rules.Ask, Rule: "r-push", Reason: `rule "ls" asks`}
	s := newRuleScene(t, []broker.Request{r})
	if view := s.draw(80, 24); !strings.Contains(view, `rule       "ls" asks`) {
		t.Errorf("lacks the rule:\n%s", view)
	}
}
