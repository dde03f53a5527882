package claude

import (
	"regexp"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// fetchClaude reads domain:host. A "*." at the beginning is every host below, a "*" elsewhere
// anything between two dots. For a refusing rule the plain wildcard is wide enough.
func fetchClaude(d rules.Verdict, spec string) ([]draft, error) {
	host, ok := strings.CutPrefix(spec, "domain:")
	host = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(host), "."))
	if !ok || host == "" {
		return nil, unsaid("Claude Code knows only domain:HOST after WebFetch")
	}
	pattern := host
	if strings.Contains(strings.TrimPrefix(host, "*."), "*") && host != "*" && d == rules.Allow {
		pattern = patterns.Expression + `https?://` + strings.ReplaceAll(regexp.QuoteMeta(host), `\*`, `[^./?#:@]*`) + `([/?#].*)?`
	}
	return []draft{{"WebFetch", map[string]string{"url": pattern}}}, nil
}

// agentInputs are the inputs of Agent that a deny or ask rule may name.
var agentInputs = map[string]bool{
	"model": true, "isolation": true, "mode": true, "run_in_background": true, "name": true, "team_name": true, "effort": true,
}

// agentClaude reads the name of a sub-agent, or one of its inputs.
func agentClaude(d rules.Verdict, spec string) ([]draft, error) {
	if name, _, ok := strings.Cut(spec, ":"); ok && agentInputs[strings.TrimSpace(name)] {
		if d == rules.Allow {
			return nil, unsaid("Claude Code takes no notice of parameters in allow rules")
		}
		return paramClaude("Agent|Task", spec)
	}
	list := []draft{{"Agent|Task", map[string]string{"subagent_type": wildText(d, spec)}}}
	if d != rules.Allow && spec == "general-purpose" {
		return list, unsaid("it was taken over, but a call that names no sub-agent means this one too and is not stopped by it")
	}
	return list, nil
}

// skillClaude reads a name, or with " *" or ":*" a beginning of names. An allow rule gets the
// name alone, which is the narrower reading.
func skillClaude(d rules.Verdict, spec string) ([]draft, error) {
	name, prefix := strings.CutSuffix(spec, ":*")
	if !prefix {
		name, prefix = strings.CutSuffix(spec, " *")
	}
	pattern := wildText(d, name)
	if prefix && d != rules.Allow {
		pattern += "*"
	}
	return []draft{{"Skill", map[string]string{"skill": pattern}}}, nil
}

// claudePrimary are the inputs that have a syntax of their own in Claude Code, which
// therefore takes no notice of them as parameters.
var claudePrimary = map[string]bool{
	"command": true, "file_path": true, "path": true, "notebook_path": true, "url": true,
}

// paramClaude reads name:value, one input of any tool, of a refusing rule. What Claude Code
// does not look at is skipped, so that nobody relies on it.
func paramClaude(tool, spec string) ([]draft, error) {
	name, value, _ := strings.Cut(spec, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case name == "" || value == "":
		return nil, unsaid("Claude Code knows no condition of this form for the tool")
	case claudePrimary[name]:
		return nil, unsaid("Claude Code takes no notice of " + name + " as a parameter")
	}
	return []draft{{tool, map[string]string{name: wildText(rules.Deny, value)}}}, nil
}

// wildText is a text pattern in which only "*" is a wildcard, and that for refusing
// rules only.
func wildText(d rules.Verdict, s string) string {
	s = patterns.EscapeText(s)
	if d != rules.Allow {
		s = strings.ReplaceAll(s, `\*`, "*")
	}
	return s
}
