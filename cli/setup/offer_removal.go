package setup

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// offerRemoval finds the agents with hooks of aoctl in the user's own settings and asks
// about each. Nobody agrees without a terminal, so then it is a mistake of the caller,
// and nothing is taken out.
func (i *installer) offerRemoval(ctx context.Context) error {
	list := i.removals()
	if !i.canAsk() {
		return unnamed(list)
	}
	if len(list) == 0 {
		return show.Line(i.out, "Nothing of aoctl is installed.")
	}
	var b strings.Builder
	b.WriteString("Agents with hooks of aoctl:\n")
	for _, c := range list {
		fmt.Fprintf(&b, "  %-12s %s\n", c.Title, safe.Line(c.removalState()))
	}
	if _, err := io.WriteString(i.out, show.Fit(i.out, b.String())); err != nil {
		return err
	}
	return i.choose(ctx, list)
}

// removals looks what a removal would do for each agent, and does nothing. An agent may
// be gone before its hooks, so all are looked at. Those without hooks are left out; one
// whose settings cannot be read is listed with its error.
func (i *installer) removals() []candidate {
	var list []candidate
	for _, agent := range install.Agents() {
		o := i.o
		o.Agent, o.DryRun = agent, true
		r, err := install.Uninstall(o)
		if err != nil || r.Changed {
			list = append(list, candidate{Found: install.Found{Agent: agent, Title: install.Title(agent)}, report: r, err: err})
		}
	}
	return list
}

// removalState is what the list of a removal says of c. It is not safe for a terminal yet.
func (c candidate) removalState() string {
	if c.err != nil {
		return c.err.Error()
	}
	return figures.Plural(c.report.Removed, "hook") + " in " + filePath(c.report)
}

// unnamed is the error where an agent must be named. It says which agents have hooks, so
// that nobody has to look.
func unnamed(list []candidate) error {
	var hooked []string
	for _, c := range list {
		if c.err == nil {
			hooked = append(hooked, c.Agent)
		}
	}
	e := usage.Error{
		Text: "aoctl uninstall needs the name of an agent, such as claude, or all; at a terminal it asks",
		Hint: "no agent has hooks of aoctl in your own settings",
	}
	if len(hooked) > 0 {
		e.Hint = fmt.Sprintf("hooks of aoctl are in the settings of %s; take them out with: aoctl uninstall %s", strings.Join(hooked, ", "), hooked[0])
	}
	if len(hooked) > 1 {
		e.Hint = strings.TrimSuffix(e.Hint, hooked[0]) + allAgents
	}
	return e
}
