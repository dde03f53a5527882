package callview

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
)

// A card names first what nobody has granted, with why, and then what is granted.
func TestCardNamesEffects(t *testing.T) {
	a := &rules.Assessment{
		Risk: risk.Risk{Class: risk.Safe, Why: "only looks", Does: []risk.Does{
			{Effect: effects.Look}, {Effect: effects.Edit, Element: 1}, {Effect: effects.Outside, Why: "writes outside\x1b[2J", Element: 2}, {Effect: effects.Check, Element: 3},
		}},
		Elements: []rules.Judged{
			{Kind: "command", Text: "ls", Effects: effects.Of(effects.Look), Verdict: rules.Allow},
			{Kind: "command", Text: "touch a", Effects: effects.Of(effects.Look, effects.Edit), Granted: effects.Of(effects.Look), Verdict: rules.Ask},
			{Kind: "write", Path: "/x", Effects: effects.Of(effects.Outside), Verdict: rules.Ask},
			{Kind: "command", Text: "make", Effects: effects.Of(effects.Check), Verdict: rules.Allow},
		},
	}
	draws := func(width int) string {
		d := dangers{Doc: &Doc{Paper: *draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false).Paper(width)}, a: a}
		d.does()
		d.risk()
		for i, row := range d.Rows {
			d.Rows[i] = strings.TrimRight(row, " ")
		}
		return strings.Join(d.Rows, "\n")
	}
	if got, want := draws(90), `does       ! outside: writes outside\x1b[2J   ? edit   ✓ check   ✓ look`; got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	want := "does       ! outside: writes\n             outside\\x1b[2J\n           ? edit   ✓ check   ✓ look"
	if got := draws(36); got != want {
		t.Errorf("narrow it is\n%s\nwant\n%s", got, want)
	}
	a.Elements[1].Verdict = rules.Deny
	if got := draws(90); !strings.HasPrefix(got, "does       ✗ edit   ✗ look   ! outside") {
		t.Errorf("denied:\n%s", got)
	}
	a.Class, a.Findings = risk.Dangerous, []risk.Finding{{Class: risk.Dangerous, Why: "writes outside\x1b[2J"}}
	if got := draws(90); strings.Contains(strings.SplitN(got, "\n", 2)[0], "writes") {
		t.Errorf("a dangerous call says it again:\n%s", got)
	}
}

// What an effect tells with its reason is no row of the risk as well.
func TestRiskIsToldOnceByItsEffect(t *testing.T) {
	a := &rules.Assessment{
		Risk: risk.Risk{Does: []risk.Does{{Effect: effects.Push, Why: "pushes to a remote"}}, Findings: []risk.Finding{
			{Class: risk.Normal, Why: "pushes to a remote", Text: "git push"}, {Class: risk.Normal, Why: "reads the network"},
		}},
		Elements: []rules.Judged{{Kind: "command", Text: "git push", Effects: effects.Of(effects.Push), Verdict: rules.Ask}},
	}
	d := dangers{Doc: &Doc{Paper: *draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false).Paper(90)}, a: a}
	d.does()
	d.risk()
	if text := strings.Join(d.Rows, "\n"); strings.Count(text, "pushes") != 1 || !strings.Contains(text, "reads the network") {
		t.Errorf("it is\n%s", text)
	}
}
