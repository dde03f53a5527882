package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// book tells the console which rules hold, as another program's change would.
func (r *rig) book(b broker.RuleBook) {
	r.send(updatesMsg{gen: r.m.feed.gen, list: []broker.Update{{Rules: &b}}})
}

// When the rule below the cursor is removed or changed by another program, a key that
// was on its way is not about what stands there now.
func TestRuleChangesUnderTheCursor(t *testing.T) {
	changes := map[string]func([]rules.Rule) []rules.Rule{
		"removed": func(l []rules.Rule) []rules.Rule { return slices.Delete(l, 1, 2) },
		"changed": func(l []rules.Rule) []rules.Rule { l[1].Version++; l[1].Enabled = false; return l },
	}
	for name, change := range changes {
		for _, k := range []string{" ", "K", "J"} {
			t.Run(name+" "+k, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := bookRig(t)
					r.press("r", "j")
					r.book(broker.RuleBook{Rules: change(someRules(time.Now()))})
					r.wait(100 * time.Millisecond)
					r.send(keyMsg(k))
					r.wait(2 * time.Second)
					if got := r.saved(); got != "" {
						t.Errorf("saved %q", got)
					}
					r.shows("look first")
					r.press(k)
					if r.saved() == "" {
						t.Errorf("the second press did nothing:\n%s", r.view())
					}
				})
			})
		}
	}
}

// What the operator's own key has changed, and hits, do not hold up the next key.
func TestOwnChangesDoNotHoldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "j", "j", "j")
		for _, k := range []string{"K", "K", "J"} {
			r.send(keyMsg(k))
			r.wait(200 * time.Millisecond)
		}
		book := broker.RuleBook{Rules: slices.Clone(r.c.book.Rules)}
		for i := range book.Rules {
			book.Rules[i].Uses++
		}
		r.book(book)
		r.send(keyMsg("J"))
		r.wait(200 * time.Millisecond)
		if n := len(r.c.saves); n != 4 {
			t.Errorf("saved %d times, want 4:\n%s", n, r.saved())
		}
	})
}

// A rule that is not as it was when its deletion was asked about stays.
func TestDeleteIsAboutTheRuleThatWasNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "j", "x")
		list := someRules(time.Now())
		list[1].Decision, list[1].Version = rules.Deny, 2
		r.book(broker.RuleBook{Rules: list})
		r.wait(time.Second)
		r.press("y")
		if len(r.c.removed) > 0 {
			t.Errorf("removed %q", r.c.removed)
		}
		r.shows("the rule was changed meanwhile: it stays")
	})
}

// A file that goes away takes its page with it, also when another one is the same to
// the byte.
func TestFileGoesAwayUnderItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "F", "enter", "G")
		files := someFiles(time.Now())
		files[0].Path = home + "-two/.aoctl/rules.toml"
		r.book(broker.RuleBook{Rules: r.c.book.Rules, Files: files[:1]})
		r.shows("Rules files 1") // at once: no frame has a page of nothing
		r.press("y", "y")
		if len(r.c.trusted) > 0 {
			t.Errorf("trusted %q", r.c.trusted)
		}
		r.shows("Rules files 1")
	})
}

// The columns stand below each other whatever the number of a rule.
func TestManyRulesStandInColumns(t *testing.T) {
	for _, width := range []int{80, 120} {
		r := newRuleScene(t, nil)
		var list []rules.Rule
		for i := range 1200 {
			list = append(list, rules.Rule{ID: fmt.Sprint("r", i), Enabled: true, Tool: "Bash", Where: map[string]string{"command": "ls"}, Decision: rules.Deny})
		}
		r.m.Book = words.NewBook(broker.RuleBook{Rules: list})
		r.draw(width, 24)
		r.m.Open(desk.Rules, desk.Subject{Rule: "r1003"})
		view := r.draw(width, 24)
		at := map[int]bool{}
		for _, row := range strings.Split(view, "\n") {
			if before, _, ok := strings.Cut(row, "deny  ls"); ok {
				at[draw.Cells(before)] = true
			}
		}
		if len(at) != 1 || !strings.Contains(view, " 999 ") || !strings.Contains(view, " 1000 ") {
			t.Errorf("decisions stand in columns %v:\n%s", at, view)
		}
	}
}

// What the editor does not show of a rule stands below the list, however long it is.
func TestRuleDetailTellsWhereItComesFrom(t *testing.T) {
	s := newRuleScene(t, nil)
	s.m.Book = words.NewBook(broker.RuleBook{Rules: []rules.Rule{{
		ID: "r1", Enabled: true, Tool: "Bash", Decision: rules.Allow, Dangerous: true, CreatedBy: "import", Priority: 7,
		Where: map[string]string{"command": strings.Repeat("long ", 60)}, Scope: rules.Scope{Project: home},
	}}})
	view := s.draw(80, 24, "r")
	for _, want := range []string{"dangerous, and meant to be", "… enter shows all of it", "never hit", "by import", "priority 7"} {
		if !strings.Contains(view, want) {
			t.Errorf("lacks %q:\n%s", want, view)
		}
	}
}

// Help leads back to where it was asked for, and nowhere else.
func TestHelpLeadsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		for _, keys := range []string{"r", "h", "enter", "tab"} {
			r.press(keys)
			want := r.title()
			for _, help := range [][]string{{"?", "?"}, {"?", "esc"}} {
				if r.press(help[0]); r.title() == want {
					t.Errorf("%s: %s does not open the help", keys, help[0])
				}
				if r.press(help[1]); r.title() != want {
					t.Errorf("%s: %s leads to %q, want %q", keys, help[1], r.title(), want)
				}
			}
			r.press("esc")
		}
	})
}

// title is the upper edge of what fills the window.
func (r *rig) title() string { return strings.Split(r.view(), "\n")[1] }

// A new token is shown in its box alone: who leaves that never sees it again.
func TestTokenBoxIsLeftForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "t", "n", "c", "i", "enter")
		r.shows("aoctl_0123456789abcdef")
		r.press("?", "esc")
		r.shows("aoctl_0123456789abcdef")
		r.press("esc", "esc", "esc", "r", "t")
		r.shows("Tokens 1")
		if strings.Contains(r.view(), "aoctl_0123") {
			t.Errorf("it came back:\n%s", r.view())
		}
	})
}

func TestNoTokenNoRevoke(t *testing.T) {
	s := newRuleScene(t, nil)
	s.m.Update(keyMsg("r"))
	if view := s.draw(80, 24, "t"); strings.Contains(view, "revoke") {
		t.Errorf("there is none to revoke:\n%s", view)
	}
}

// A row of the history that is no longer listed gives its place to the one that took
// it: the selection does not jump to the newest call.
func TestHistoryKeepsThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("h", "j", "j")
		selected := func() string { return r.m.open().Subject().Call.ID }
		at := selected()
		i := slices.IndexFunc(r.c.history, func(q broker.Request) bool { return q.ID == at })
		next := r.c.history[i+1].ID
		r.c.mu.Lock()
		r.c.history = slices.Delete(slices.Clone(r.c.history), i, i+1)
		r.c.mu.Unlock()
		r.m.Board.Recent = nil
		r.exec(r.m.broadcast(desk.Start{}))
		r.wait(time.Second)
		r.m.Board.Recent = nil
		r.send(tickMsg{})
		if got := selected(); got != next {
			t.Errorf("%q is selected, want %q", got, next)
		}
	})
}

// The age of a session's state never touches the state.
func TestSessionAgeStandsApart(t *testing.T) {
	s := newStill(t, broker.Snapshot{
		Sessions: []broker.Session{{ID: "s1", Agent: "claude", Observed: true, State: broker.SessionActive, StartedAt: seconds(120)}},
		Requests: []broker.Request{bash("r1", "s1", seconds(120), "ls"), bash("r2", "s1", seconds(120), "pwd")},
	}, nil, termenv.Ascii)
	for width := 72; width <= 160; width++ {
		if view := s.draw(width, 24); strings.Contains(view, "waiting2m") || strings.Contains(view, "waiting3m") {
			t.Fatalf("%d:\n%s", width, view)
		}
	}
}
