package rules

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	ruleshistory "github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// A forgotten pattern denies nothing.
func TestARuleNeedsAPatternOrANamedTool(t *testing.T) {
	for _, tc := range []struct {
		o    addOptions
		args []string
		want string // of the error
	}{
		{addOptions{deny: true, tool: "Bash"}, nil, "deny every call of Bash"},
		{addOptions{ask: true, tool: "Bash", session: "s"}, nil, "ask every call of Bash"},
		{addOptions{allow: true, tool: "Bash", toolNamed: true}, nil, "allow every call of Bash"},
		{addOptions{deny: true, tool: "Bash", toolNamed: true}, nil, ""},
		{addOptions{deny: true, tool: "Bash"}, []string{"git push *"}, ""},
		{addOptions{deny: true, tool: "Bash", where: []string{"command=git push *"}}, nil, ""},
	} {
		tc.o.priority = 100
		_, err := tc.o.rules(tc.args, time.Now())
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v %q: %v", tc.o, tc.args, err)
		}
	}
}

// --effects makes a rule about what calls do, which says so, and nothing else.
func TestAddEffects(t *testing.T) {
	o := addOptions{allow: true, tool: "Bash", effects: "edit,look", priority: 100, project: t.TempDir()}
	list, err := o.rules(nil, time.Now())
	if err != nil || len(list) != 1 || list[0].Effects != effects.Of(effects.Look, effects.Edit) || list[0].Tool != rules.EffectsTool || list[0].Where != nil || show.Rule(list[0]) != "look, edit" {
		t.Fatalf("%+v, %v", list, err)
	}
	if body := ruleBody(list[0]); body["effects"] != list[0].Effects {
		t.Errorf("the console is sent %v", body)
	}
	for want, o := range map[string]addOptions{
		"chek":                   {ask: true, effects: "chek"},
		"what no rule may allow": {allow: true, effects: "look,push"},
		"without a pattern":      {allow: true, effects: "look", reason: "pattern"},
	} {
		var args []string
		if o.reason != "" {
			args = []string{"ls *"}
		}
		if _, err := o.rules(args, time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestHintsOfWhatDoesNotFit(t *testing.T) {
	cmd := &cobra.Command{Use: "move"}
	_, noFile := (importOptions{}).rules(cmd, "/nope")
	for want, err := range map[string]error{
		"did you mean: move x --priority 5":                                            moveArgs(cmd, []string{"x", "5"}),
		"did you mean: move x --before y":                                              moveArgs(cmd, []string{"x", "y"}),
		`name a rules file, or "claude" for the permissions in Claude Code's settings`: noFile,
	} {
		if e, ok := errors.AsType[usage.Error](err); !ok || e.Hint != want {
			t.Errorf("%v has the hint %q, want %q", err, e.Hint, want)
		}
	}
	if err := moveArgs(cmd, []string{"x"}); err != nil {
		t.Error(err)
	}
}

// A row names the other rule that it is about. Without calls there is no news in a rule that
// matches none.
func TestWhatIsOddAboutRules(t *testing.T) {
	list := []rules.Rule{{ID: "r-1", Tool: "Bash"}, {ID: "r-2", Tool: "Read"}}
	report := testReport{
		Report:   ruleshistory.Report{Dead: []string{"r-1"}},
		Findings: []rules.Finding{{ID: "r-2", Kind: rules.Redundant, Other: "r-1", Why: "it says the same"}},
	}
	want := []string{"redundant: r-2  Read: it says the same: r-1  Bash"}
	if diff := cmp.Diff(want, report.about(list)); diff != "" {
		t.Error(diff)
	}
	report.Calls = 1
	if diff := cmp.Diff(append([]string{"matches nothing: r-1  Bash"}, want...), report.about(list)); diff != "" {
		t.Error(diff)
	}
}
