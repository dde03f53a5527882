package install

import (
	"context"
	"fmt"

	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// AsksVersion reports whether an agent's version decides what is installed or said.
func AsksVersion(agent string) bool {
	return profile.Of(agent).Tried != ""
}

// AgentVersion is what an agent's program says of itself, "" when it is not found, does
// not say it, or when nothing goes by it. It runs the agent's program, for some seconds at most.
func AgentVersion(ctx context.Context, agent string) string {
	program := AgentProgram(agent)
	if program == "" || !AsksVersion(agent) {
		return ""
	}
	version, err := machine.Version(ctx, program)
	if err != nil {
		return ""
	}
	return version
}

// Ungated says why calls of an agent of this version run unasked, and what to do; "" when
// they do not, or when the version is not known. Such an agent has hooks and does not ask them
// before a call, or not in every mode.
func Ungated(agent, version string) (why, cure string) {
	g := profile.Of(agent).Gate
	if g.Since == "" || version == "" || machine.CompareVersions(version, g.Since) >= 0 {
		return "", ""
	}
	return fmt.Sprintf("%s %s %s: calls run unasked", Title(agent), version, g.Older),
		fmt.Sprintf("update it (%s): releases from %s on ask", g.Update, g.Since)
}

// age warns where the version of an agent is not known, and an old one is not held. An old
// release is not refused: it may be updated before it is used.
func age(o Options) []string {
	g := profile.Of(o.Agent).Gate
	if g.Since == "" || o.Version != "" {
		return nil
	}
	return []string{fmt.Sprintf("aoctl does not know the version of %s: one before %s %s, and calls run unasked", Title(o.Agent), g.Since, g.Older)}
}

// CodexTrustsFrom is the first release of Codex that runs only hooks which it was told to
// trust. Source: runs of 0.128.0 and 0.129.0.
const CodexTrustsFrom = "0.129.0"

// CodexTrusts reports whether Codex of this version must be told to trust a hook; an
// unknown one may.
func CodexTrusts(version string) bool {
	return version == "" || machine.CompareVersions(version, CodexTrustsFrom) >= 0
}
