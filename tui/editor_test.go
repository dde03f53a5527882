package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// editing reports whether the rule editor is on the screen, inQuestion whether that is its question.
func (r *rig) editing() bool    { return r.m.open() == r.m.rooms[desk.RuleEdit] }
func (r *rig) inQuestion() bool { return strings.Contains(r.view(), "Save this rule?") }

// A on a card, enter, enter: the narrowest offered rule holds in this project for an
// hour, and the note lists what it decided.
func TestRuleFromACard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A")
		r.shows("npm run test")
		r.shows("[this project]")
		r.shows("[1 h]")
		r.wait(time.Second)
		r.press("enter")
		if got := r.saved(); got != "" {
			t.Fatalf("one enter saved %q", got)
		}
		r.shows("From now on this runs without a question: every call of Bash with")
		r.shows("until 01:00 (1 h)")
		r.press("enter")
		if got, want := r.saved(), "allow Bash command=npm run test project="+home; got != want {
			t.Fatalf("saved %q, want %q", got, want)
		}
		s := r.c.saves[0]
		if s.CreatedFrom != "r1" || s.Priority != rules.DefaultPriority || !s.Enabled || s.ID != "" {
			t.Errorf("saved %+v", s)
		}
		if end := time.Until(s.ExpiresAt); end < 50*time.Minute || end > time.Hour {
			t.Errorf("it holds for %v, want an hour", end)
		}
		r.wait(time.Second)
		r.shows("rule saved; it decided 3 waiting calls: echo 1, echo 2, echo 3")
		if r.editing() {
			t.Error("the editor is still open")
		}
	})
}

func TestEditorFields(t *testing.T) {
	for name, tc := range map[string]struct {
		keys []string
		want string
		look func(rules.Rule) string // what is wrong with the rest of it
	}{
		"wider pattern":                {[]string{"ctrl+n"}, "allow Bash command=npm run * project=" + home, nil},
		"ends at the widest":           {[]string{"ctrl+n", "ctrl+n"}, "allow Bash command=npm run * project=" + home, nil},
		"narrower is never the widest": {[]string{"ctrl+p"}, "allow Bash command=npm run test project=" + home, nil},
		"wider and back":               {[]string{"ctrl+n", "ctrl+p"}, "allow Bash command=npm run test project=" + home, nil},
		"edited pattern":               {[]string{"tab", "tab", "backspace", "backspace", "x"}, "allow Bash command=npm run tex project=" + home, nil},
		"cursor":                       {[]string{"tab", "tab", "home", "right", "delete", "X", "end", "!"}, "allow Bash command=nXm run test! project=" + home, nil},
		"word and rest": {
			[]string{"tab", "tab", "ctrl+w", "a", "home", "right", "right", "right", "ctrl+k"}, "allow Bash command=npm project=" + home, nil,
		},
		"session": {[]string{"tab", "tab", "tab", "tab", "left"}, "allow Bash command=npm run test session=s1", func(r rules.Rule) string {
			if !r.ExpiresAt.IsZero() || r.MaxUses != 0 {
				return "a session's rule ends otherwise"
			}
			return ""
		}},
		"everywhere, 20 uses": {
			[]string{"tab", "tab", "tab", "tab", "right", "tab", "tab", "right"}, "allow Bash command=npm run test", func(r rules.Rule) string {
				if r.MaxUses != 20 || !r.ExpiresAt.IsZero() {
					return fmt.Sprintf("%d uses until %v", r.MaxUses, r.ExpiresAt)
				}
				return ""
			},
		},
		"agent kind":     {[]string{"tab", "tab", "tab", "tab", "tab", " "}, "allow Bash command=npm run test project=" + home + " agent=claude", nil},
		"one more":       {append(append([]string{"tab", "tab", "tab"}, strings.Split("description = x*", "")...), "tab"), "allow Bash command=npm run test description=x* project=" + home, nil},
		"one more, left": {append([]string{"tab", "tab", "tab"}, strings.Split("cwd=/a", "")...), "allow Bash command=npm run test cwd=/a project=" + home, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				r.press("A")
				r.press(tc.keys...)
				r.wait(time.Second)
				r.press("enter", "enter")
				if got := r.saved(); got != tc.want {
					t.Fatalf("saved %q, want %q\n%s", got, tc.want, r.view())
				}
				if tc.look != nil {
					if problem := tc.look(r.c.saves[0]); problem != "" {
						t.Error(problem)
					}
				}
			})
		})
	}
}

// What refuses is saved by one enter, without an end unless one is chosen.
func TestDenyRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A", "right", "shift+tab")
		r.typeText("use make")
		r.wait(time.Second)
		r.press("enter")
		if got, want := r.saved(), "deny Bash command=npm run test project="+home; got != want {
			t.Fatalf("saved %q, want %q", got, want)
		}
		if s := r.c.saves[0]; s.Reason != "use make" || !s.ExpiresAt.IsZero() || s.Dangerous {
			t.Errorf("saved %+v", s)
		}
	})
}

// The scope once decides the card alone and makes no rule.
func TestOnceMakesNoRule(t *testing.T) {
	for name, tc := range map[string]struct {
		keys []string
		want string
	}{
		"allow": {[]string{"tab", "tab", "tab", "tab", "left", "left", "enter"}, "allow r1;"},
		"deny":  {[]string{"right", "tab", "tab", "tab", "tab", "left", "left", "enter"}, "deny r1;"},
		"ask":   {[]string{"right", "right", "tab", "tab", "tab", "tab", "left", "left", "enter"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				r.c.mu.Lock()
				r.c.sessions["s1"] = broker.Session{ID: "s1"}
				r.c.mu.Unlock()
				r.press("A")
				r.press(tc.keys...)
				r.wait(time.Second)
				if got := r.decisions(); got != tc.want || r.saved() != "" {
					t.Errorf("decided %q and saved %q, want %q", got, r.saved(), tc.want)
				}
				if !r.editing() != (tc.want != "") {
					t.Error("the editor should close with a decision, and only then")
				}
			})
		})
	}
}

func TestEscapeKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A", "tab", "tab", "X", "enter", "esc")
		if !r.editing() || r.inQuestion() {
			t.Fatal("esc should go back from the question to the form")
		}
		r.press("esc")
		r.wait(time.Second)
		if r.editing() || r.saved() != "" || r.decisions() != "" {
			t.Fatalf("saved %q, decided %q", r.saved(), r.decisions())
		}
		r.press("A")
		r.shows("command   npm run test ")
	})
}

// A opens nothing on a card that just came up, in a burst, or from pasted text.
func TestRuleKeyIsGuarded(t *testing.T) {
	for name, press := range map[string]func(*rig){
		"deaf":     func(r *rig) { r.send(tea.FocusMsg{}); r.send(keyMsg("A")) },
		"pasted":   func(r *rig) { r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("A"), Paste: true}) },
		"in one":   func(r *rig) { r.send(keyMsg("A great idea")) },
		"in front": func(r *rig) { r.send(keyMsg("A")); r.send(keyMsg(" ")); r.send(keyMsg("g")) },
		"behind":   func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("A")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				press(r)
				r.wait(3 * time.Second)
				if r.editing() {
					t.Error("the editor opened")
				}
			})
		})
	}
}

// Enter that no person pressed twice, knowing what it asks, saves nothing.
func TestSavingIsGuarded(t *testing.T) {
	enter := keyMsg("enter")
	for name, press := range map[string]func(*rig){
		"what denies, behind a key": func(r *rig) {
			r.press("right")
			r.wait(time.Second)
			r.send(keyMsg("tab"))
			r.wait(20 * time.Millisecond)
			r.send(enter)
		},
		"held down": func(r *rig) {
			r.send(enter)
			r.wait(660 * time.Millisecond)
			for range 100 {
				r.send(enter)
				r.wait(91 * time.Millisecond)
			}
		},
		"twice at once": func(r *rig) { r.send(enter); r.wait(200 * time.Millisecond); r.send(enter) },
		"behind a text": func(r *rig) { r.press("enter"); r.send(keyMsg("x")); r.send(enter) },
		"before a text": func(r *rig) { r.press("enter"); r.send(enter); r.send(keyMsg("x")) },
		"window changes": func(r *rig) {
			r.press("enter")
			r.send(tea.WindowSizeMsg{Width: 100, Height: 30})
			r.send(enter)
		},
		"pasted": func(r *rig) {
			r.press("enter")
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("\n"), Paste: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				r.press("A")
				r.wait(time.Second)
				press(r)
				r.wait(3 * time.Second)
				if got := r.saved(); got != "" {
					t.Errorf("saved %q", got)
				}
			})
		})
	}
}

// An allow would decide the card: it must have been read, and must be the same.
func TestRuleNeedsTheCardRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := bash("r1", "s1", time.Now(), strings.Repeat("echo x\n", 200))
		c := newFake(oneSession, long)
		c.offers = offered("npm run test")
		r := newRig(t, c, 80, 24)
		r.press("A")
		r.wait(time.Second)
		r.press("enter")
		r.shows("the call was not read to the end: esc, then G")
		r.press("enter")
		if got := r.saved(); got != "" {
			t.Fatalf("saved %q", got)
		}
		r.press("right", "right", "enter") // ask: refuses more, so it needs no reading
		r.wait(time.Second)
		r.press("enter")
		if got, want := r.saved(), "ask Bash command=npm run test project="+home; got != want {
			t.Errorf("saved %q, want %q", got, want)
		}
	})
}

func TestRuleWhoseCardChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*rig)
		saves  bool
		says   string
	}{
		"ended": {func(r *rig) {
			r.c.publish(settled(r.c.requests["r1"], broker.Denied, broker.Actor{Kind: broker.ByProcess, PID: 7}, "", time.Now()))
		}, true, "this call was denied by process 7"},
		"another call": {func(r *rig) {
			r.c.publish(bash("r1", "s1", time.Now(), "rm -rf /"))
		}, false, "not the one that was shown"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				r.press("A")
				r.wait(time.Second)
				tc.change(r)
				r.wait(time.Second)
				if tc.saves {
					r.shows(tc.says)
				}
				r.press("enter")
				if !tc.saves {
					r.shows(tc.says)
				}
				r.press("enter")
				r.wait(time.Second)
				if got := r.saved() != ""; got != tc.saves {
					t.Errorf("saved: %v, want %v\n%s", got, tc.saves, r.view())
				}
			})
		})
	}
}

// A dangerous call's rule takes the card's code.
func TestDangerousRuleNeedsTheCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := bash("r1", "s1", time.Now(), "git push --force")
		call.Assessment = &rules.Assessment{Verdict: rules.Ask, Risk: risk.Risk{Class: risk.Dangerous, Why: "rewrites what others have"}}
		c := newFake(oneSession, call)
		c.offers = offered("git push --force")
		c.offers[0].Dangerous = true
		r := newRig(t, c, 100, 40)
		r.press("A")
		r.wait(time.Second)
		r.shows("type " + codeInTests)
		r.press("enter", "enter")
		if got := r.saved(); got != "" {
			t.Fatalf("saved %q without the code", got)
		}
		r.shows("dangerous: type " + codeInTests)
		r.typeText("99")
		r.press("enter", "enter")
		if got := r.saved(); got != "" {
			t.Fatalf("saved %q with a wrong code", got)
		}
		r.press("backspace", "backspace")
		r.typeText(codeInTests)
		r.press("enter", "enter")
		if got := r.saved(); got == "" || !r.c.saves[0].Dangerous {
			t.Errorf("saved %q\n%s", got, r.view())
		}
	})
}

// A call that no rule may allow says so; what refuses can still be made of it.
func TestNoRuleMayAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := bash("r1", "s1", time.Now(), "eval \"$X\" | tee a*b")
		call.Assessment = &rules.Assessment{Verdict: rules.Ask, Reason: "no rule may allow this: eval of what is not known"}
		r := newRig(t, newFake(oneSession, call), 100, 40)
		r.press("A")
		r.shows("no rule may allow this: eval of what is not known")
		r.shows("[deny]")
		r.press("left", "left", "left")
		if strings.Contains(r.view(), "[allow]") {
			t.Error("allow can be chosen")
		}
		r.wait(time.Second)
		r.press("enter")
		if got, want := r.saved(), `deny Bash command=line:eval "$X" | tee a*b session=s1`; got != want {
			t.Errorf("saved %q, want %q", got, want)
		}
	})
}

// Control characters cannot get into a field, by key or by paste; a paste is taken as
// a whole or not at all.
func TestFieldsRefuseControlCharacters(t *testing.T) {
	for name, tc := range map[string]struct {
		runes string
		paste bool
		want  string
	}{
		"typed escape":     {"\x1b", false, "ab"},
		"typed C1":         {"\u009b", false, "ab"},
		"pasted escape":    {"x\x1b[2Jy", true, "ab"},
		"pasted line":      {"x\ny", true, "ab"},
		"pasted tab":       {"x\ty", true, "ab"},
		"pasted with ends": {"xy\r\n", true, "axyb"},
		"pasted":           {"x*y", true, "ax*yb"},
		"invisible":        {"x\u202ey", true, "ax\u202eyb"},
		"not a character":  {"\ufffd", true, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			l := text.NewLine("ab")
			l.At = 1
			_, refused := l.Edit(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(tc.runes), Paste: tc.paste}, text.DefaultKeys())
			if got := l.String(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if (refused != "") != (tc.want == "ab") {
				t.Errorf("refused: %q", refused)
			}
		})
	}
}

// An agent's text is drawn as signs in the form and in the question, and saved as it is.
func TestEditorDrawsSigns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		hostile := "a\x1b[2J\nb\u202ec"
		r.c.mu.Lock()
		r.c.offers = offered(hostile)
		r.c.mu.Unlock()
		r.press("A")
		r.shows(`a\x1b[2J⏎b\u{202e}c`)
		r.press("tab", "tab", "home", "right", "right")
		if problem := tuitest.Misfit(r.view(), 80, 24); problem != "" || strings.Contains(r.view(), "\x1b") {
			t.Errorf("%s:\n%q", problem, r.view())
		}
		r.press("enter", "enter")
		if got := r.c.saves[0].Where["command"]; got != hostile {
			t.Errorf("saved %q", got)
		}
	})
}

// Answers about what the form no longer says are dropped.
func TestStalePreviewsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		release := make(chan struct{})
		r.c.mu.Lock()
		r.c.preview = func(rule rules.Rule) (broker.Preview, error) {
			if rule.Where["command"] == "npm run test" {
				<-release
				return broker.Preview{Past: 99, Matched: 99, Allowed: 99}, nil
			}
			return broker.Preview{Past: 50, Matched: 43, Allowed: 41, Denied: 2}, nil
		}
		r.c.mu.Unlock()
		r.press("A", "tab", "tab")
		r.wait(time.Second)
		r.typeText(":*")
		r.wait(time.Second)
		r.shows("trying it")
		r.press("enter")
		if r.inQuestion() {
			t.Error("a rule that was not tried yet was put to the question")
		}
		close(release)
		r.wait(time.Second)
		r.shows("would have passed 43 of your last 50 calls; you denied 2 of them:")
		if strings.Contains(r.view(), "99") {
			t.Errorf("an old answer is on the screen:\n%s", r.view())
		}
		if n := len(r.c.tried); n != 2 {
			t.Errorf("%d previews were asked for, want 2: the keys in between are one change", n)
		}
	})
}

// Every change of the form leads to one preview once the keys rest.
func TestPreviewWaitsForTheKeysToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A", "tab", "tab")
		before := len(r.c.tried)
		r.typeText(" --watch --bail")
		r.wait(time.Second)
		if n := len(r.c.tried) - before; n != 1 {
			t.Errorf("15 letters led to %d previews", n)
		}
		if got := r.c.tried[len(r.c.tried)-1].Where["command"]; got != "npm run test --watch --bail" {
			t.Errorf("tried %q", got)
		}
	})
}

// Calls that begin to wait while the editor is open have the rule tried again.
func TestPreviewFollowsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.press("A")
		r.wait(time.Second)
		before := len(r.c.tried)
		for i := range 20 {
			r.c.publish(bash(fmt.Sprintf("n%d", i), "s1", time.Now(), "echo new"))
			r.wait(10 * time.Millisecond)
		}
		r.wait(2 * time.Second)
		if n := len(r.c.tried) - before; n < 1 || n > 3 {
			t.Errorf("20 arrivals led to %d previews", n)
		}
	})
}

// A pattern that cannot be read shows why, at its field, and is not saved.
func TestMistakesAreNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ruleRig(t)
		r.c.mu.Lock()
		r.c.preview = func(rule rules.Rule) (broker.Preview, error) {
			if strings.HasSuffix(rule.Where["command"], "(") {
				return broker.Preview{}, fmt.Errorf("%w: %w", broker.ErrInvalid, &rules.Error{Field: "where.command", Problem: "has a wrong expression"})
			}
			return broker.Preview{}, nil
		}
		r.c.mu.Unlock()
		r.press("A", "tab", "tab", "(")
		r.wait(time.Second)
		r.shows("! has a wrong expression")
		r.press("tab", "enter", "enter")
		if got := r.saved(); got != "" {
			t.Fatalf("saved %q", got)
		}
		r.shows("▌command") // enter leads to the field with the mistake
		r.press("backspace")
		r.wait(time.Second)
		r.press("enter", "enter")
		if got, want := r.saved(), "allow Bash command=npm run test project="+home; got != want {
			t.Errorf("saved %q, want %q", got, want)
		}
	})
}

// The form's own mistakes, before the broker sees the rule.
func TestFormMistakes(t *testing.T) {
	for name, tc := range map[string]struct {
		keys []string
		want string
	}{
		"no pattern at all": {[]string{"tab", "tab", "ctrl+u"}, "* stands for any"},
		"no equals sign":    {[]string{"tab", "tab", "tab", "n", "o", "n"}, "parameter = pattern"},
		"twice":             {append([]string{"tab", "tab", "tab"}, strings.Split("command=x", "")...), "has a pattern already"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				r.press("A")
				r.press(tc.keys...)
				r.press("enter", "enter")
				if got := r.saved(); got != "" {
					t.Errorf("saved %q", got)
				}
				r.shows(tc.want)
			})
		})
	}
}

// The broker's refusal leaves the form open, with the reason.
func TestRefusedSaves(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"invalid":      {fmt.Errorf("save rule: %w: %w", broker.ErrInvalid, &rules.Error{Field: "tool", Problem: "is empty"}), "is empty"},
		"conflict":     {fmt.Errorf("x: %w", broker.ErrConflict), "changed meanwhile"},
		"not recorded": {fmt.Errorf("x: %w", broker.ErrNotRecorded), "could not be recorded"},
		"forbidden":    {fmt.Errorf("x: %w", broker.ErrForbidden), "only the operator"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := ruleRig(t)
				r.c.mu.Lock()
				r.c.saveErr = tc.err
				r.c.mu.Unlock()
				r.press("A")
				r.wait(time.Second)
				r.press("enter", "enter")
				r.shows(tc.want)
				if !r.editing() || strings.Contains(r.view(), "… saving") {
					t.Error("the form should be open again")
				}
			})
		})
	}
}

// A call that no pattern can name leaves the pattern to the operator, instead of a rule
// about every call.
func TestNoPatternCanNameIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), "eval \"$X\"\nls")), 100, 40)
		r.press("A")
		r.wait(time.Second)
		r.press("enter", "enter")
		r.shows("* stands for any")
		if got := r.saved(); got != "" {
			t.Errorf("saved %q", got)
		}
	})
}
