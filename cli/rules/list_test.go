package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/cli/state"
)

// A rule is listed by the end of its id, as the screen and the log have it, and commands take
// that. The name of a rule that is built in is not cut.
func TestRulesGoByTheEndsOfIDs(t *testing.T) {
	list := []rules.Rule{
		{ID: "01a21758-351e-7e40-ba7e-d8da748aa10b", Tool: "Bash", Enabled: true},
		{ID: "01a21758-351f-7e40-ba7e-d8da748a3c62", Tool: "Read", Enabled: true},
		{ID: rules.BuiltinReadOnly, Tool: "Grep", Enabled: true},
		rules.LookGrant(), // is listed without being among the rules
	}
	var out strings.Builder
	if err := listRules(&state.Rulebook{All: list[:len(list)-1]}, &out, time.Now()); err != nil {
		t.Fatal(err)
	}
	want := []string{"748aa10b", "748a3c62", rules.BuiltinReadOnly, rules.BuiltinLook}
	n := 0
	for line := range strings.Lines(out.String()) {
		shown, _, _ := strings.Cut(line, "\t")
		r, err := findRule(list, shown)
		if shown != want[n] || err != nil || r.ID != list[n].ID {
			t.Errorf("%q is listed as %q, which is %q: %v", list[n].ID, shown, r.ID, err)
		}
		n++
	}
	if n != len(list) {
		t.Errorf("%d of %d rules are listed:\n%s", n, len(list), out.String())
	}
	if _, err := findRule(list, "01a21758-35"); err == nil {
		t.Error("the beginning of two ids means one of them")
	}
	if r, err := findRule(list, "01a21758-351e"); err != nil || r.ID != list[0].ID {
		t.Errorf("the beginning of an id is not taken: %v", err)
	}
}
