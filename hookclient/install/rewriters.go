package install

import (
	"fmt"
	"slices"
)

// OtherHooks names the hooks of others that hear of an agent's event in a project, each as
// "file:line: command": one of them could change a call after it was allowed. Looked at
// are the user's, the project's and the administrator's settings, and those of the files beside that have a gate of aoctl.
// Nothing is found of agents whose settings do not say it in one place.
func OtherHooks(agent, event, project string, beside ...string) []string {
	if agent != "claude" {
		return nil
	}
	list := claudeSources(project, "")
	own := len(list)
	for _, path := range beside {
		list = append(list, source{path: path})
	}
	c := &checker{o: CheckOptions{Project: project}} // what it has to say of the files is doctor's
	var found, seen []string
	for i, s := range list {
		if slices.Contains(seen, s.path) {
			continue
		}
		seen = append(seen, s.path)
		f := &claudeFile{source: s}
		if !c.readClaude(f) || f.dead || i >= own && len(claudeGatesIn(f)) == 0 { // a file of another agent
			continue
		}
		for _, group := range f.doc.root.member("hooks").member(event).children("") {
			for _, h := range group.children("hooks") {
				if !claudeAsksUs(h) {
					line, _ := locate(f.doc.src, h.start)
					found = append(found, fmt.Sprintf("%s:%d: %s", f.path, line, describeHandler(h)))
				}
			}
		}
	}
	return found
}
