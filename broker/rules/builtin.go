package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// readers names, for each tool of the built-in rule, the parameters that hold paths; a
// tool whose list is empty touches no file of the user's.
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
			start := p.toolPlace("")
			if !p.q.mayRead(&start) {
				return false
			}
		case isList(in.members[name]) || len(v.places) != 1 || needsPath[in.tool] && v.places[0].given == "" || !p.q.mayRead(&v.places[0]):
			return false
		}
	}
	return true
}

// mayRead reports whether the built-in rule lets a file be read: it is there, in the
// project, no device or the like, and none of those that hold the gate.
func (q *Question) mayRead(p *located) bool {
	if p.odd != "" || !patterns.Below(q.Place.Project, p.real) {
		return false
	}
	if q.Exists != nil && !q.Exists(p.real) || q.Special != nil && q.Special(p.real) {
		return false
	}
	return !risk.Guarded(p.real, q.Place) && !risk.Guarded(p.abs, q.Place)
}

// agentSettings are folders and files by which an agent's hooks can be switched off.
var agentSettings = append(profile.Gather(func(p *profile.Profile) []string { return p.Settings.Guarded }), ".aoctl")

// onlyLists reports whether a call that only reads is a glob that the built-in rule allows
// beside guarded files. It tells names and no content, so it may pass by them as a search
// through the whole project does; it must not be about them.
func onlyLists(in *input, p *paths) bool {
	pattern, _ := in.members["pattern"].(string)
	if in.tool != "Glob" {
		return false
	}
	for _, part := range strings.Split(strings.ToLower(pattern), "/") {
		for _, name := range agentSettings {
			if strings.HasPrefix(part, ".") && patterns.PartsMeet(part, name) || strings.ContainsAny(part, "{[(") && strings.Contains(part, ".") {
				return false
			}
		}
	}
	start, _ := in.members["path"].(string)
	head := p.toolPlace(path.Join(start, pattern[:strings.LastIndexByte(pattern[:patterns.FirstMeta(pattern)], '/')+1]))
	for _, own := range p.q.Place.Own {
		if head.real == "" || patterns.Below(own, head.real) || patterns.Below(head.real, own) && head.real != p.q.Place.Project {
			return false
		}
	}
	return true
}

// leavesFolder reports whether the call's glob may leave the folder that it starts in.
func (in *input) leavesFolder() bool {
	if in.tool != "Glob" {
		return false
	}
	p, ok := in.members["pattern"].(string)
	return !ok || p == "" || oddPath(p) != "" || strings.HasPrefix(p, "/") || strings.Contains(p, "..") || strings.Contains(p, "~")
}
