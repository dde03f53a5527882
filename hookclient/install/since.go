package install

import (
	"context"
	"fmt"
)

// firstGate is the first release of an agent that was seen to be held by the gate, and
// what becomes of calls in an older one.
type firstGate struct {
	since  string
	does   string // "it runs no hooks"
	update string // a command line
}

// firstGates are the agents whose older releases no settings of ours hold. Claude Code is
// held once it is given the hooks that it knows: see claudeSince.
//
// Source: runs with no console and with one that refuses, of the releases on both sides.
// Codex 0.117.0 to 0.123.0 ask when codex_hooks is switched on, but not before a patch;
// opencode 1.0 does not start. Of Qwen Code none between 0.12.0 and 0.15.6 was to be had.
var firstGates = map[string]firstGate{
	"codex":    {"0.124.0", "runs no hooks, or not before a patch", "npm install -g @openai/codex@latest"},
	"gemini":   {"0.26.0", "runs no hooks", "npm install -g @google/gemini-cli@latest"},
	"qwen":     {"0.15.6", "runs no hooks", "npm install -g @qwen-code/qwen-code@latest"},
	"opencode": {"1.1.11", "reads no plugins from that folder, or does not start", "opencode upgrade"},
	"copilot":  {"1.0.70", "runs a call when its hook fails, as with no console, or runs no hooks", "copilot update"},
}

// AsksVersion reports whether an agent's version decides what is installed or said.
func AsksVersion(agent string) bool {
	_, ok := firstGates[agent]
	return ok || agent == "claude"
}

// AgentVersion is what an agent's program says of itself, "" when it is not found, does
// not say it, or when nothing goes by it.
func AgentVersion(ctx context.Context, agent string) string {
	program := AgentProgram(agent)
	if program == "" || !AsksVersion(agent) {
		return ""
	}
	version, err := askVersion(ctx, program)
	if err != nil {
		return ""
	}
	return version
}

// notHeld says why calls of an agent of this version run unasked, and what to do; "" when
// they do not, or when the version is not known.
func notHeld(agent, version string) (why, cure string) {
	g, ok := firstGates[agent]
	if !ok || version == "" || compareVersions(version, g.since) >= 0 {
		return "", ""
	}
	return fmt.Sprintf("%s %s %s: calls run unasked", Title(agent), version, g.does),
		fmt.Sprintf("update it (%s): releases from %s on ask", g.update, g.since)
}

// age warns where the version of an agent is not known, and an old one is not held.
func age(o Options) []string {
	g, ok := firstGates[o.Agent]
	if !ok || o.Version != "" {
		return nil
	}
	return []string{fmt.Sprintf("the version of %s is not known here: one before %s %s, and calls run unasked", Title(o.Agent), g.since, g.does)}
}

// notHeld reports an agent here that is too old for the gate that stands in its settings.
func (c *checker) notHeld() {
	if why, cure := notHeld(c.a.agent, c.r.Version); why != "" {
		c.add(Fail, "version", cure, "%s", why)
	}
}

// codexTrusts is the first release of Codex that runs only hooks which it was told to
// trust. Source: runs of 0.128.0 and 0.129.0.
const codexTrusts = "0.129.0"

// CodexTrusts reports whether Codex of this version must be told to trust a hook; an
// unknown one may.
func CodexTrusts(version string) bool {
	return version == "" || compareVersions(version, codexTrusts) >= 0
}
