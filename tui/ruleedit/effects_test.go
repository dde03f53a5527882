package ruleedit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/text"
)

// A rule about effects that is opened and saved is the same rule, and one of them that is taken away is
// gone. Names that are none are the form's own mistake.
func TestEffectsRuleStaysOne(t *testing.T) {
	now := time.Unix(100, 0)
	old := rules.Rule{ID: "r", Version: 3, Priority: rules.DefaultPriority, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Edit, effects.Check), Decision: rules.Allow, Scope: rules.Scope{Session: "s"}}
	f := form{old: old, decision: choice{names: verdictNames}, life: lifeKept, lifeSet: true}
	f.fill(old)
	f.ruleScopes(old.Scope, board.NewBoard())
	got, wrong := f.rule(now)
	if diff := cmp.Diff(old, got); diff != "" || wrong != nil {
		t.Errorf("%v (-want +got):\n%s", wrong, diff)
	}
	f.effects = text.NewLine("check")
	if got, wrong = f.rule(now); wrong != nil || got.Effects != effects.Of(effects.Check) || got.Check() != nil {
		t.Errorf("%+v, %v", got, wrong)
	}
	for _, typed := range []string{"", "chek"} {
		f.effects = text.NewLine(typed)
		if _, wrong = f.rule(now); wrong == nil || wrong.field.kind != fieldEffects {
			t.Errorf("%q: %v", typed, wrong)
		}
	}
	if f.fill(rules.Rule{Tool: "Bash", Where: map[string]string{"command": "ls"}}); f.about {
		t.Error("a rule about a command is one about effects")
	}
	if got, _ = f.rule(now); got.Effects != 0 || got.Tool != "Bash" {
		t.Errorf("another pattern makes %+v", got)
	}
}

// What goes by the call's effects is shown first, and holds until it is taken back.
func TestEffectsAreOfferedFirst(t *testing.T) {
	grant := rules.Rule{Tool: rules.EffectsTool, Effects: effects.Of(effects.Check)}
	if got := firstDraft([]rules.Rule{{Tool: "Bash"}, {Tool: "Bash"}, grant}); got != 2 {
		t.Errorf("draft %d comes first", got)
	}
	if got := firstDraft([]rules.Rule{{Tool: "Bash"}, {Tool: "Bash"}}); got != 0 {
		t.Errorf("without a grant draft %d comes first", got)
	}
	f := form{decision: choice{names: verdictNames}}
	if f.fill(grant); f.chosenLife() != lifeForEver {
		t.Errorf("a grant holds %v", f.chosenLife())
	}
	if f.fill(rules.Rule{Tool: "Bash"}); f.chosenLife() != lifeHour {
		t.Errorf("a pattern holds %v", f.chosenLife())
	}
}

// Grants of two places meet where a call may be of both.
func TestScopesMeet(t *testing.T) {
	for _, tt := range []struct {
		a, b rules.Scope
		want bool
	}{
		{rules.Scope{}, rules.Scope{Project: "/p"}, true},
		{rules.Scope{Project: "/p"}, rules.Scope{Project: "/p/sub"}, true},
		{rules.Scope{Project: "/p"}, rules.Scope{Project: "/q"}, false},
		{rules.Scope{Session: "s"}, rules.Scope{Session: "t"}, false},
		{rules.Scope{Session: "s"}, rules.Scope{Project: "/p"}, true},
		{rules.Scope{Agent: "claude"}, rules.Scope{Agent: "codex"}, false},
	} {
		if meets(tt.a, tt.b) != tt.want || meets(tt.b, tt.a) != tt.want {
			t.Errorf("%+v and %+v: want %v", tt.a, tt.b, tt.want)
		}
	}
}
