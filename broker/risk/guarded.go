package risk

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// touchesAoctl is the reason of guarded findings about aoctl itself.
const touchesAoctl = "touches aoctl's own files"

// settings are files by which an agent's hooks, and so aoctl itself, can be switched off or led
// astray. Those of agents come from their profiles.
var settings = sync.OnceValue(func() *pathtable.Table {
	return pathtable.New(
		pathtable.Rows(touchesAoctl,
			".aoctl/", "aoctl.db*", "~/.config/aoctl/", "~/.local/state/aoctl/",
			"~/.local/bin/aoctl*", "~/bin/aoctl*", "~/go/bin/aoctl*", "/usr/bin/aoctl*",
			"/usr/local/bin/aoctl*", "/opt/homebrew/bin/aoctl*"),
		pathtable.Rows(commands.TouchesSettings, profile.Gather(settingsOf)...),
	)
})

// settingsOf are the patterns of an agent's settings.
func settingsOf(p *profile.Profile) []string {
	patterns := slices.Clone(p.Settings.Files)
	for _, name := range p.Settings.Guarded {
		if path.Ext(name) != ".json" {
			// Folders are guarded with all that lies below.
			name += "/"
		}
		patterns = append(patterns, name)
	}
	return patterns
}

// Guarded reports whether path is one of aoctl's own files or a file by which an agent's hooks
// can be switched off, or a folder that holds one of aoctl's own. A relative path starts in
// at.CWD, and a leading tilde is the user's home. The project's folder itself is never guarded
// for what lies in it. It follows links by at.Real.
func Guarded(path string, at Place) bool {
	j := newResolver(at)
	_, yes := j.guarded(j.resolve(path, spot{dir: at.CWD, tilde: true, glob: true}), true, false)
	return yes
}

// Private reports whether a file is guarded, and is not one of the texts in the project's folder of an agent that
// may be read like any other file.
func Private(file string, at Place) bool {
	j := newResolver(at)
	t := j.resolve(file, spot{dir: at.CWD, tilde: true, glob: true})
	_, yes := j.guarded(t, true, false)
	return yes && (!talks[strings.ToLower(path.Ext(file))] && !j.checkedOut(t) || !j.onlySeen(t))
}

// guarded says whether and why t is guarded. A wide operation also reaches what lies below t;
// one that changes things has no excuse for the project's own folder. Any way to read the path
// is enough.
func (r *resolver) guarded(t target, wide, changes bool) (string, bool) {
	for _, f := range t.forms {
		if aPlan(f) {
			continue
		}
		if e, ok := settings().FindForm(r.mask(f)); ok {
			return e.Why, true
		}
		// A loose form has no root, so it lies above or below nothing for sure.
		if !f.Loose && r.reachesOwn(f, wide, changes) {
			return touchesAoctl, true
		}
	}
	return "", false
}

// onlySeen reports whether t is one of the project's files in an agent's folder that may be read and listed like
// any other: a skill, a command, the folder itself. Not what says how the agent works, as it may
// hold tokens, and nothing of aoctl's.
func (r *resolver) onlySeen(t target) bool {
	return !t.glob && r.inProject(t) && !slices.ContainsFunc(t.forms, func(f pathtable.Form) bool {
		if f.Loose || len(f.Names) == 0 || r.reachesOwn(f, false, false) {
			return true
		}
		if below, ok := r.inWorktree(f); ok {
			_, guarded := settings().FindForm(below)
			return guarded
		}
		name := f.Names[len(f.Names)-1]
		ext := path.Ext(name)
		e, ok := settings().FindForm(r.mask(f))
		return ok && e.Why != commands.TouchesSettings || ext != name && ext != "" && !talks[ext] || keepsLogin().MatchString(name)
	})
}

// keepsLogin is the name of a file by which an agent is somebody.
var keepsLogin = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)credential|token|secret|auth|oauth|cookie|apikey|api_key`)
})

// inWorktree reports whether f is a checkout of the project that Claude Code made in its folder, or lies in one. below
// is f without the names of that folder.
func (r *resolver) inWorktree(f pathtable.Form) (below pathtable.Form, ok bool) {
	at := len(r.project)
	if len(f.Names) < at+3 || !pathtable.SamePrefix(r.project, f.Names) || f.Names[at] != ".claude" || f.Names[at+1] != "worktrees" {
		return f, false
	}
	below = r.mask(f)
	below.Names = slices.Clone(below.Names)
	clear(below.Names[at : at+2])
	return below, true
}

// checkedOut reports whether t lies in such a checkout, however it is read. What is below it is no agent's folder.
func (r *resolver) checkedOut(t target) bool {
	return len(t.forms) > 0 && !slices.ContainsFunc(t.forms, func(f pathtable.Form) bool {
		_, ok := r.inWorktree(f)
		return f.Loose || !ok
	})
}

// talks are the endings of files that tell an agent something, and set nothing.
var talks = wordset.Map(".md .mdc .txt .sh .py .js .ts .log")

// plans are the folders of plans, in a user's own, by their folded names.
var plans = sync.OnceValue(func() (list [][]string) {
	for _, folder := range profile.Gather(func(p *profile.Profile) []string { return []string{p.Settings.Plans} }) {
		list = append(list, pathtable.Split(folder))
	}
	return list
})

// aPlan reports whether f is a plan that an agent wrote down in its folder for that. It is a name
// that is known whole; where a link leads is a form of its own.
func aPlan(f pathtable.Form) bool {
	last := len(f.Names) - 1
	if f.Glob || f.Loose || f.Home < 0 || last < f.Home || path.Ext(f.Names[last]) != ".md" {
		return false
	}
	return slices.ContainsFunc(plans(), func(folder []string) bool { return slices.Equal(folder, f.Names[f.Home:last]) })
}

// mask blanks the folders above a project that lies well inside an agent's folder, as a
// worktree in .claude/worktrees does: everything in it would be guarded otherwise. A project
// that is such a folder, or lies right in it, stays guarded. Forms without a root are left as
// they are.
func (r *resolver) mask(f pathtable.Form) pathtable.Form {
	if f.Loose || len(r.blank) == 0 || !pathtable.SamePrefix(r.project, f.Names) {
		return f
	}
	f.Names = slices.Clone(f.Names)
	for _, i := range r.blank {
		f.Names[i] = ""
	}
	return f
}

// agentFolders are the indexes of the names of a project's folder that mask blanks. The last
// two names never are: a project right in such a folder is part of it.
func agentFolders(project []string) []int {
	var list []int
	for i := range len(project) - 2 {
		if _, ok := settings().FindForm(pathtable.Form{Names: project[i : i+1], Home: -1}); ok {
			list = append(list, i)
		}
	}
	return list
}

// reachesOwn reports whether f is, lies in or, with wide, holds one of aoctl's own files or the
// home of an agent's settings. A path above them is fine for a narrow operation.
func (r *resolver) reachesOwn(f pathtable.Form, wide, changes bool) bool {
	if !changes && len(f.Names) == len(r.project) && pathtable.SamePrefix(r.project, f.Names) {
		// Reading or listing the project is everyday work, even with aoctl's own files in it.
		wide = false
	}
	for _, own := range r.own {
		n := min(len(own), len(f.Names))
		if (wide || len(f.Names) >= len(own)) && f.Along(own[:n]) {
			return true
		}
	}
	return false
}

// homes are the folded names, in a user's folder, of what holds agents' settings there.
var homes = sync.OnceValue(func() (list [][]string) {
	for _, name := range profile.Gather(func(p *profile.Profile) []string { return p.Settings.Guarded }) {
		list = append(list, pathtable.Split(name))
	}
	for _, name := range profile.Gather(func(p *profile.Profile) []string { return p.Settings.Files }) {
		if below, ok := strings.CutPrefix(name, "~/"); ok {
			list = append(list, pathtable.Split(below))
		}
	}
	return list
})

// ownPaths are the folded names of what must not be reached from above: to delete or move a
// folder that holds them is to touch them.
func ownPaths(at Place) [][]string {
	var out [][]string
	for _, p := range at.Own {
		if path.IsAbs(p) && path.Clean(p) != "/" {
			out = append(out, pathtable.Split(path.Clean(p)))
		}
	}
	if at.Home != "" {
		home := slices.Clip(pathtable.Split(path.Clean(at.Home)))
		for _, names := range homes() {
			out = append(out, append(home, names...))
		}
	}
	return out
}

// changesHooks is the reason of a call that changes what git runs by itself.
const changesHooks = "changes what git hooks run"

// reachesHooks reports whether t lies, or may lie, in a folder of hooks that git's settings name, or is one.
// Its name says nothing, so only the settings can tell. A tree that is written may bring one along.
func (r *resolver) reachesHooks(t target, c change) bool {
	if r.at.HookFolders == nil {
		return false
	}
	for _, dir := range r.at.HookFolders() {
		names := pathtable.Split(path.Clean(dir))
		if slices.ContainsFunc(t.forms, func(f pathtable.Form) bool {
			n := min(len(names), len(f.Names))
			return !f.Loose && (n == len(names) || c.wide && !c.deletes) && f.Along(names[:n])
		}) {
			return true
		}
	}
	return false
}
