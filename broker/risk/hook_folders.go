package risk

import (
	"path"
	"slices"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

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
			return !f.Loose && (n == len(names) || c.wide && !c.deletes) && leadsAlong(f, names[:n])
		}) {
			return true
		}
	}
	return false
}
