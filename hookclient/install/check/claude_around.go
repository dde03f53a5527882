package check

import (
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// otherHooks names the hooks of others on the events that decide: one of them can
// change a call after a person saw it. Only events on which a gate stands matter, and the gate's
// own event in any case.
func (c *claude) otherHooks() {
	var named []string
	others := 0
	for _, f := range c.files {
		if f.dead {
			continue
		}
		for _, mode := range install.Modes() {
			event := install.ClaudeGates[mode]
			// A hook on the other mode's event changes nothing that this gate decides.
			if !slices.ContainsFunc(c.gates, func(g claudeGate) bool { return g.event == event }) && event != install.ClaudeGates[install.Gate] {
				continue
			}
			for _, h := range f.handlers(event) {
				if claudeAsksUs(h) {
					continue
				}
				others++
				if len(named) < install.MaxNamed {
					line, _ := jsonc.Locate(f.doc.Src, h.Start)
					named = append(named, fmt.Sprintf("%s:%d %s: %s", f.Path, line, event, describeHandler(h)))
				}
			}
		}
	}
	if others == 0 {
		c.add(OK, "other hooks", "", "none on the events that decide")
		return
	}
	// Each is a finding of its own, with its place, so that a person can go through them.
	for _, n := range named {
		c.add(Warn, "other hooks", "see that it changes no call (updatedInput), or take it out", "%s can change a call after you allowed it", n)
	}
	if others > len(named) {
		c.add(Warn, "other hooks", "", "and %d more", others-len(named))
	}
}

// describeHandler says what a handler runs. describeHandler looks at the members of all kinds of
// hooks that are known.
func describeHandler(h *jsonc.Node) string {
	for _, member := range []string{"command", "url", "bash", "tool", "prompt"} {
		if v := h.Member(member); v != nil && v.Kind == jsonc.StringKind {
			return machine.Shorten(v.Text)
		}
	}
	return "a hook of another kind"
}

// modes says what Claude Code's own modes and rules let pass in mode prompts. Later files win,
// but the user's own mode does not take the place of a project's.
func (c *claude) modes() {
	if slices.ContainsFunc(c.gates, func(g claudeGate) bool { return g.event == install.ClaudeGates[install.Gate] }) {
		return // every call is seen, in every mode
	}
	mode, where, allowed := "", "", 0
	for _, f := range c.files {
		if f.dead {
			continue
		}
		permissions := f.doc.Root.Member("permissions")
		// Rules of all files add up in Claude Code.
		allowed += len(permissions.Children("allow"))
		if m := permissions.Member("defaultMode"); m != nil && (mode == "" || f.Managed || f.Name != "user") {
			mode, where = m.Text, f.Path
		}
	}
	switch mode {
	// Claude Code's own default for a session at a terminal.
	case "":
		c.add(Warn, "permission mode", `set "permissions": {"defaultMode": "default"}, or: aoctl install claude --mode gate`,
			"in mode prompts, and an interactive session starts in auto mode, which asks for little and so shows little")
	// In these modes Claude Code itself asks for little, so a hook on its questions hears little.
	case "auto", "bypassPermissions":
		c.add(Warn, "permission mode", "aoctl install claude --mode gate", "%s sets %s: in mode prompts the console is asked for little or nothing", where, machine.Shorten(mode))
	default:
		c.add(OK, "permission mode", "", "%s (%s)", machine.Shorten(mode), where)
	}
	if allowed > 0 {
		c.add(Warn, "permission rules", "aoctl install claude --mode gate, to see every call",
			"%s of Claude Code's own: what matches runs without the console", machine.Count(allowed, "allow rule"))
	}
}
