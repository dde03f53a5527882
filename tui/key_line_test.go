package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// footer is the last row of the window.
func (r *rig) footer() string {
	rows := strings.Split(r.view(), "\n")
	return rows[len(rows)-1]
}

// The card of a call that a freeze holds names the key that lifts it, and says that the call still ends.
func TestFrozenCardSaysWhatLiftsIt(t *testing.T) {
	for key, lifted := range map[string]string{"f": `freeze "" false`, "F": `freeze "s1" false`} {
		for _, width := range []int{120, 80, 52} {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.send(tea.WindowSizeMsg{Width: width, Height: 24})
				r.press(key)
				r.wait(10 * time.Second)
				if got := r.footer(); !strings.HasPrefix(got, " "+key+" lifts it · d deny") {
					t.Errorf("%d columns: %q", width, got)
				}
				if view := r.view(); !strings.Contains(view, "frozen · refused in 9:") || strings.Contains(view, "until lifted") {
					t.Errorf("%d columns: not said that it ends:\n%s", width, view)
				}
				r.press(key, "y")
				if got := r.asked(); !strings.HasSuffix(got, lifted) {
					t.Errorf("%s asked for %s", key, got)
				}
			})
		}
	}
}

// While the keys are deaf they are drawn faint, each in its place.
func TestKeyNamesDoNotJump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.send(keyMsg("j"))
		r.wait(100 * time.Millisecond)
		deaf, faint := r.footer(), r.m.named("a").Faint
		r.wait(10 * time.Second)
		if got := r.footer(); !faint || deaf != got || !strings.HasPrefix(got, " a allow") {
			t.Errorf("while deaf (%v) %q, then %q", faint, deaf, got)
		}
	})
}

// A key that makes a rule is named only where a rule can allow the call.
func TestNoRuleKeyWhereNoRuleCan(t *testing.T) {
	now := time.Now()
	guarded := bash("r1", "s1", now, "rm ~/.claude/settings.json")
	guarded.Assessment = &rules.Assessment{Risk: risk.Risk{Guarded: true, Class: risk.Dangerous}}
	for name, tc := range map[string]struct {
		call broker.Request
		want string
	}{
		"a command": {bash("r1", "s1", now, "make"), "rule…"},
		"guarded":   {guarded, ""},
		"a plan":    {tuitest.NewCall("r1", "s1", "ExitPlanMode", now, `{"plan":"x"}`), ""},
		"question":  {tuitest.NewCall("r1", "s1", "AskUserQuestion", now, goOn), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, newFake(oneSession, tc.call), 160, 30)
				r.wait(time.Second)
				if got := r.m.named("A").Short; got != tc.want {
					t.Errorf("A is named %q, want %q\n%s", got, tc.want, r.footer())
				}
			})
		})
	}
}

// A call that can be deferred names the key for it, where there is room.
func TestDeferIsNamed(t *testing.T) {
	for _, able := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			call := bash("r1", "s1", time.Now(), "make")
			call.Deferrable = able
			r := newRig(t, newFake(oneSession, call), 120, 30)
			r.wait(time.Second)
			if got := strings.Contains(r.footer(), "x defer"); got != able {
				t.Errorf("can be deferred: %v, and is named: %v\n%s", able, got, r.footer())
			}
		})
	}
}
