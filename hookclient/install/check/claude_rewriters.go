package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// OtherHooks names the hooks of others that hear of an agent's event about tool in a project, each as
// "file:line: command": one of them could change a call after it was allowed. Looked at
// are the user's, the project's and the administrator's settings, and those of the files beside that have a gate of aoctl.
// Nothing is found of agents whose settings do not say it in one place.
//
// The console shows the list beside an edited or allowed call. It is read anew each time, as the
// files may have changed.
func OtherHooks(agent, event, tool, project string, beside ...string) []string {
	// Other agents' hooks cannot be listed from files alone.
	if agent != "claude" {
		return nil
	}
	list := install.ClaudeSources(project, "")
	own := len(list)
	// Files with a gate that were installed with --settings are not among the usual places.
	for _, path := range beside {
		list = append(list, install.Source{Path: path})
	}
	c := &claude{checker: &checker{o: Options{Project: project}}} // what it has to say of the files is doctor's
	var found, seen []string
	for i, s := range list {
		if slices.Contains(seen, s.Path) {
			continue
		}
		seen = append(seen, s.Path)
		f := &claudeFile{Source: s}
		// Findings that reading makes are thrown away with the checker.
		if !c.read(f) || f.dead || i >= own && len(claudeGatesIn(f)) == 0 { // a file of another agent
			continue
		}
		for group, h := range f.handlers(event) {
			if m := group.Member("matcher"); m != nil && m.Kind == jsonc.StringKind && !mayFit(m.Text, tool) || claudeAsksUs(h) {
				continue
			}
			line, _ := jsonc.Locate(f.doc.Src, h.Start)
			found = append(found, fmt.Sprintf("%s:%d: %s", f.Path, line, describeHandler(h)))
		}
	}
	return found
}

// formerNames are those that Claude Code still takes for a tool in a matcher. The names on the
// left are the former ones.
var formerNames = map[string]string{
	"Task": "Agent", "KillShell": "TaskStop", "KillBash": "TaskStop", "ListPeers": "ListAgents", "Brief": "SendUserMessage", "ProposeGoal": "SetGoal",
}

// mayFit reports whether a matcher of Claude Code may fit tool: one that says so in a way
// that is read differently here may.
// Source: runs of Claude Code 2.1.329. It says yes in doubt: a hook too many is a line on the
// screen, one too few a call that changes unseen.
func mayFit(matcher, tool string) bool {
	if everything("", matcher) || strings.Contains(tool, "Resource") { // such tools have former names too
		return true
	}
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == ' ' || r == ',' || r == '|' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	// Claude Code takes such a matcher for names and every other one for a regular expression.
	if strings.IndexFunc(matcher, func(r rune) bool { return !plain(r) }) < 0 { // a list of whole names
		return slices.ContainsFunc(strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }), func(name string) bool {
			name = strings.TrimSpace(name)
			return name == tool || formerNames[name] == tool
		})
	}
	for _, form := range []string{`\`, "(?", "[[", "[]", "[^]"} { // JavaScript's, which mean something else here or nothing
		if strings.Contains(matcher, form) {
			return true
		}
	}
	expression, err := regexp.Compile(matcher)
	if err != nil || expression.MatchString(tool) {
		return true
	}
	// A matcher may name the tool as it was called once.
	for name, now := range formerNames {
		if now == tool && expression.MatchString(name) {
			return true
		}
	}
	return false
}
