package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// readers names, for each tool of the built-in rule, the parameters that hold paths; a tool
// whose list is empty touches no file of the user's. The names are the common ones, which
// package agents gives to each agent's own tools.
var readers = map[string][]string{
	"Read":         {"file_path"},
	"NotebookRead": {"notebook_path"},
	"LS":           {"path"},
	"Glob":         {"path"},
	"Grep":         {"path"},
	"TodoWrite":    {},
	"TodoRead":     {},
	"TaskCreate":   {},
	"TaskUpdate":   {},
	"TaskGet":      {},
	"TaskList":     {},
	"TaskOutput":   {},
	"BashOutput":   {},
	"ToolSearch":   {},
}

// needsPath are the readers that mean nothing without their path.
var needsPath = map[string]bool{"Read": true, "NotebookRead": true}

// onlyReads reports whether a call of which all is known is one that the built-in rule allows.
// Every path that it names must be one that it may read, and none may be named elsewhere.
func onlyReads(in *input, p *paths) bool {
	params, ok := readers[in.tool]
	if !ok || in.leavesFolder() {
		return false
	}
	for name, v := range in.params {
		if len(v.places) > 0 && !slices.Contains(params, name) {
			return false // another path than the one that is looked at
		}
	}
	for _, name := range params {
		v, given := in.params[name]
		switch {
		case !given && needsPath[in.tool]:
			return false
		case !given:
			// Without a path the tool works in the folder of the session, which need not be in
			// the project.
			start := p.toolPlace("")
			if !p.q.mayRead(&start) {
				return false
			}
		// A list is no path to these tools, and a place with an odd path is none that was
		// looked at.
		case isList(in.members[name]) || len(v.places) != 1 || needsPath[in.tool] && v.places[0].given == "" || !p.q.mayRead(&v.places[0]):
			return false
		}
	}
	return true
}

// mayRead reports whether the built-in rule lets a file be read: it is there, in the project,
// no device or the like, and none of those that hold the gate. Both the name and where it leads
// are asked about, as a guarded file may be reached by another name.
func (q *Question) mayRead(p *located) bool {
	if p.odd != "" || !patterns.Below(q.Place.Project, p.real) {
		return false
	}
	if q.Exists != nil && !q.Exists(p.real) || q.Special != nil && q.Special(p.real) {
		return false
	}
	return !risk.Private(p.real, q.Place) && !risk.Private(p.abs, q.Place)
}

// agentSettings are folders and files by which an agent's hooks can be switched off.
var agentSettings = append(profile.Gather(func(p *profile.Profile) []string { return p.Settings.Guarded }), ".aoctl")

// onlyLists reports whether a call that only reads is a glob that the built-in rule allows
// beside guarded files. It tells names and no content, so it may pass by them as a search
// through the whole project does; it must not be about them.
//
// A pattern that spells the beginning of such a name, or could, is about them; so is one that
// starts in, or just above, a folder of aoctl's own.
func onlyLists(in *input, p *paths) bool {
	pattern, _ := in.members["pattern"].(string)
	if in.tool != "Glob" {
		return false
	}
	for _, part := range strings.Split(strings.ToLower(pattern), "/") {
		for _, name := range agentSettings {
			// Brackets may spell a dot in many ways.
			if strings.HasPrefix(part, ".") && patterns.PartsMeet(part, name) || strings.ContainsAny(part, "{[(") && strings.Contains(part, ".") {
				return false
			}
		}
	}
	start, _ := in.members["path"].(string)
	head := p.toolPlace(path.Join(start, pattern[:strings.LastIndexByte(pattern[:patterns.FirstMeta(pattern)], '/')+1]))
	for _, own := range p.q.Place.Own {
		// From the project itself a search passes by, as any search through it does.
		if head.real == "" || patterns.Below(own, head.real) || patterns.Below(head.real, own) && head.real != p.q.Place.Project {
			return false
		}
	}
	return true
}

// leavesFolder reports whether the call's glob may leave the folder that it starts in. A
// pattern that is no text, or empty, may do anything.
func (in *input) leavesFolder() bool {
	if in.tool != "Glob" {
		return false
	}
	p, ok := in.members["pattern"].(string)
	return !ok || p == "" || oddPath(p) != "" || strings.HasPrefix(p, "/") || strings.Contains(p, "..") || strings.Contains(p, "~")
}
