package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

const (
	goOn = `{"questions":[{"question":"Go on?","header":"Go","multiSelect":false,"options":[{"label":"Yes"},{"label":"No"}]}]}`
	two  = `{"questions":[{"question":"Which?","header":"W","multiSelect":true,"options":[{"label":"A"},{"label":"B"},{"label":"C"}]},` +
		`{"question":"Go on?","header":"Go","multiSelect":false,"options":[{"label":"Yes"},{"label":"No"}]}]}`
)

// asking starts a console over one question.
func asking(t *testing.T, input string) *rig {
	t.Helper()
	now := time.Now()
	return newRig(t, newFake(oneSession, tuitest.NewCall("r1", "s1", "AskUserQuestion", now.Add(-time.Second), input)), 80, 24)
}

// answered are the answers of the one decision that was made.
func (r *rig) answered() string {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if len(r.c.decided) != 1 {
		return fmt.Sprintf("%d decisions", len(r.c.decided))
	}
	d := r.c.decided[0]
	if d.Verdict == broker.Deny {
		return "deny: " + d.Reason
	}
	if d.Digest == "" || d.By.Kind != broker.ByOperator {
		return fmt.Sprintf("a decision without its call or its operator: %+v", d)
	}
	_, rest, _ := strings.Cut(string(d.UpdatedInput), `,"answers":`)
	return strings.TrimSuffix(rest, "}")
}

func TestAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		keys        []string
		want        string
	}{
		{"enter picks, then sends", goOn, []string{"enter", "enter", "enter"}, `{"Go on?":"Yes"}`},
		{"the cursor's option", goOn, []string{"enter", "j", " ", "enter"}, `{"Go on?":"No"}`},
		{"a digit", goOn, []string{"enter", "2", "enter"}, `{"Go on?":"No"}`},
		{"by the pane's focus", goOn, []string{"tab", "2", "enter"}, `{"Go on?":"No"}`},
		{"own words", goOn, []string{"enter", "2", "o", "m", "a", "y", "enter", "enter"}, `{"Go on?":"may"}`},
		{"own words by the cursor", goOn, []string{"enter", "j", "j", "enter", "x", "enter", "enter"}, `{"Go on?":"x"}`},
		{"own words taken back", goOn, []string{"enter", "o", "x", "enter", "1", "enter"}, `{"Go on?":"Yes"}`},
		{"several steps", two, []string{"enter", "3", "1", "enter", "2", "enter", "enter"}, `{"Which?":"A, C","Go on?":"No"}`},
		{"unpicked again", two, []string{"enter", "3", "1", "3", "enter", "2", "enter", "enter"}, `{"Which?":"A","Go on?":"No"}`},
		{"back and changed", two, []string{"enter", "3", "enter", "2", "enter", "h", "h", "1", "enter", "enter", "enter"}, `{"Which?":"A, C","Go on?":"No"}`},
		{"several and own words", two, []string{"enter", "3", "o", "D", "enter", "enter", "1", "enter", "enter"}, `{"Which?":"C, D","Go on?":"Yes"}`},
		{"declined", goOn, []string{"enter", "D", "n", "o", "enter"}, "deny: no"},
		{"declined without a word", goOn, []string{"enter", "D", "enter"}, "deny: "},
		{"declined from the list", goOn, []string{"D", "n", "o", "enter"}, "deny: no"},

		{"not opened", goOn, []string{"2", "j", " "}, "0 decisions"},
		{"only picked", goOn, []string{"enter", "2"}, "0 decisions"},
		{"picked another place than the cursor's", goOn, []string{"enter", "1", "j", "enter"}, "0 decisions"},
		{"nothing picked of several", two, []string{"enter", "enter", "enter"}, "0 decisions"},
		{"overview not confirmed", two, []string{"enter", "3", "enter", "2", "enter"}, "0 decisions"},
		{"decline taken back", goOn, []string{"enter", "D", "n", "esc", "2"}, "0 decisions"},
		{"esc goes back and keeps what is answered", two, []string{"enter", "3", "enter", "2", "esc", "1", "esc", "enter", "enter", "enter", "enter"}, `{"Which?":"A, C","Go on?":"No"}`},
		{"esc leaves the form, which keeps its answer", goOn, []string{"enter", "2", "esc", "enter", "enter"}, `{"Go on?":"No"}`},
		{"esc sends nothing", two, []string{"enter", "3", "enter", "2", "enter", "esc", "esc", "esc", "esc", "esc"}, "0 decisions"},
		{"out of the form", goOn, []string{"enter", "2", "h", "enter"}, "0 decisions"},
		{"empty own words", goOn, []string{"enter", "o", "enter", "j", "j"}, "0 decisions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := asking(t, tt.input)
				r.press(tt.keys...)
				r.wait(time.Second)
				if got := r.answered(); got != tt.want {
					t.Errorf("%q, want %q\n%s", got, tt.want, r.view())
				}
			})
		})
	}
}

// What no person pressed on what they saw sends nothing.
func TestNothingIsAnsweredByAccident(t *testing.T) {
	repeat := func(key string, gap time.Duration) func(*rig) {
		return func(r *rig) {
			for range 100 {
				r.send(keyMsg(key))
				r.wait(gap)
			}
		}
	}
	for name, play := range map[string]func(*rig){
		"enter held down":         repeat("enter", 33*time.Millisecond),
		"enter held down, slowly": repeat("enter", 200*time.Millisecond),
		"pasted": func(r *rig) {
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("2\r\r"), Paste: true})
		},
		"a burst": func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("enter")) },
		"just came up": func(r *rig) {
			r.send(tea.FocusMsg{})
			r.send(keyMsg("enter"))
		},
		"answered elsewhere meanwhile": func(r *rig) {
			r.send(keyMsg("enter"))
			r.c.publish(settled(r.c.requests["r1"], broker.Answered, broker.Actor{Kind: broker.ByAgent}, "", time.Now()))
		},
		"another key behind it": func(r *rig) {
			r.send(keyMsg("enter"))
			r.wait(35 * time.Millisecond)
			r.send(keyMsg("k"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := asking(t, goOn)
				r.press("enter")
				if !strings.HasPrefix(name, "enter held") {
					r.press("2")
				}
				play(r)
				r.wait(5 * time.Second)
				if got := r.answered(); got != "0 decisions" {
					t.Errorf("%s was sent", got)
				}
			})
		})
	}
}

// A question, and the preview of what is picked, must have been on the screen whole.
func TestAnswerTakesReading(t *testing.T) {
	long := func(description, preview string) string {
		return fmt.Sprintf(`{"questions":[{"question":"Go on?","header":"Go","multiSelect":false,"options":[{"label":"Yes"},{"label":"No","description":%q,"preview":%q}]}]}`, description, preview)
	}
	synctest.Test(t, func(t *testing.T) {
		r := asking(t, long(strings.Repeat("words ", 400), ""))
		r.press("enter", "1", "enter", "enter")
		if got := r.answered(); got != "0 decisions" {
			t.Fatalf("%s was sent unread", got)
		}
		r.shows("read to the end")
		r.press("ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "enter")
		if got := r.answered(); got != `{"Go on?":"Yes"}` {
			t.Errorf("%s\n%s", got, r.view())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := asking(t, long("", strings.Repeat("line\n", 60)))
		r.press("enter", "2", "enter", "enter")
		if got := r.answered(); got != "0 decisions" {
			t.Fatalf("%s was sent, its preview unread", got)
		}
		r.press("ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "enter")
		if got := r.answered(); !strings.HasPrefix(got, `{"Go on?":"No"},"annotations":{"Go on?":{"preview":"line`) {
			t.Errorf("%s\n%s", got, r.view())
		}
	})
}

// Without a form the card is decided as any other: a lets the agent ask in its terminal.
func TestNoForm(t *testing.T) {
	for name, input := range map[string]string{
		"hundreds": `{"questions":[{"question":"?","options":[` + strings.TrimSuffix(strings.Repeat(`{"label":"a"},`, 300), ",") + `]}]}`,
		"huge":     `{"questions":[{"question":"?","options":[{"label":"` + strings.Repeat("x", 10_000) + `"}]}]}`,
		"twice":    `{"questions":[{"question":"?","options":[{"label":"a"}]},{"question":"?","options":[{"label":"a"}]}]}`,
		"shape":    `{"ask":"me"}`,
		"controls": `{"questions":[{"question":"\u001b]0;x\u0007?","options":[{"label":"\u202e"}]}]}`,
		"empty":    `{"questions":[{"question":"?","options":[]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := asking(t, input)
				r.shows("cannot be shown as a form")
				tuitest.CheckView(t, r.view(), 80, 24)
				r.press("enter", "G", "1", "o", "a")
				r.wait(time.Second)
				if got := r.answered(); got != "" {
					t.Errorf("%q, want it allowed as it is", got)
				}
			})
		})
	}
}

// A plan goes back with words only, and is approved as it was drawn.
func TestPlanKeys(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"approved", []string{"a"}, ""},
		{"sent back", []string{"d", "t", "o", "o", "enter"}, "deny: too"},
		{"sent back with D", []string{"D", "x", "enter"}, "deny: x"},
		{"not yet", []string{"d", "t"}, "0 decisions"},
		{"left", []string{"d", "t", "esc"}, "0 decisions"},
		{"not marked", []string{" ", "*", "y"}, "0 decisions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				call := tuitest.NewCall("r1", "s1", "ExitPlanMode", time.Now().Add(-time.Second), map[string]string{"plan": "# Do it\n"})
				r := newRig(t, newFake(oneSession, call), 80, 24)
				r.press(tt.keys...)
				r.wait(time.Second)
				if got := r.answered(); got != tt.want {
					t.Errorf("%q, want %q\n%s", got, tt.want, r.view())
				}
			})
		})
	}
}

// A plan that the call does not hold is read from the file that it names.
func TestPlanFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := tuitest.NewCall("r1", "s1", "ExitPlanMode", time.Now().Add(-time.Second), `{"planFilePath":"/home/ada/p.md"}`)
		r := newRig(t, newFake(oneSession, call), 80, 24)
		r.shows("this is its file as")
		r.shows("two")
	})
}

// Neither a question nor a plan is decided along with others.
func TestDialogsAreNotMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		r := newRig(t, newFake(oneSession,
			tuitest.NewCall("r1", "s1", "ExitPlanMode", now.Add(-2*time.Second), `{"plan":"x"}`),
			tuitest.NewCall("r2", "s1", "AskUserQuestion", now.Add(-time.Second), goOn)), 80, 24)
		r.press(" ")
		r.shows("one by one")
		r.press("*", "j", " ", "*", "a", "y")
		r.wait(time.Second)
		if n := len(r.m.Board.Marks); n > 0 || len(r.c.together) > 0 {
			t.Errorf("%d are marked, %v were decided together", n, r.c.together)
		}
	})
}
