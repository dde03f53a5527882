package trust

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/tui/safe"
)

// granted is what is granted in a project. The names are a promise to scripts.
type granted struct {
	Project string       `json:"project"`
	Rules   []rules.Rule `json:"rules"` // those about effects that hold there now, in their order
	Problem string       `json:"problem,omitempty"`
}

// printGranted prints the rules about effects that hold in a folder. It reads the log, so it also
// shows what will hold when a console starts.
func printGranted(cmd *cobra.Command, dir string, as *output.Format) error {
	return state.WithRules(cmd.Context(), dir, func(k *state.Rulebook) error {
		g := granted{Project: k.Project, Problem: k.Problem}
		for _, r := range append(k.All, rules.LookGrant()) {
			if speaks(r, k.Project, time.Now()) {
				g.Rules = append(g.Rules, r)
			}
		}
		if as.On() {
			return as.Print(cmd.OutOrStdout(), g)
		}
		return g.print(cmd)
	})
}

// speaks reports whether r is a rule about effects that may speak in the project now.
func speaks(r rules.Rule, project string, now time.Time) bool {
	over := !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now) || r.MaxUses > 0 && r.Uses >= r.MaxUses
	return r.Tool == rules.EffectsTool && r.Enabled && !over &&
		(r.Scope.Project == "" || workspace.Below(r.Scope.Project, project))
}

// print says it to a person.
func (g granted) print(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	if g.Problem != "" {
		if err := show.Line(out, "! "+safe.Line(g.Problem)); err != nil {
			return err
		}
	}
	t := &show.Table{Head: []string{"ID", "DECISION", "EFFECTS", "SCOPE"}, Spare: []string{"SCOPE"}}
	for _, r := range g.Rules {
		t.Add(r.ID, string(r.Decision), r.Effects.String(), show.Scope(r.Scope))
	}
	if err := t.Print(out); err != nil {
		return fmt.Errorf("print what is granted: %w", err)
	}
	return nil
}
