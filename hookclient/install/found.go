package install

import (
	"os"
	"path/filepath"
)

// Found is an agent on this machine.
type Found struct {
	Agent     string // short name: "codex"
	Title     string // as its makers write it
	Program   string // where it lies; "" when only its folder is there
	File      string // where hooks of the user's own go; "" when that cannot be told
	Installed bool   // hooks of aoctl are in File
}

// Find lists the agents that are on this machine: their program can be found, or they have
// a folder of settings.
func Find() []Found {
	var list []Found
	for _, c := range agentChecks() {
		a, ok := agentNamed(c.agent)
		if !ok {
			continue
		}
		f := Found{Agent: a.agent, Title: a.title, Program: findAgent(c.programs)}
		there := f.Program != ""
		if dir, err := a.home(); err == nil {
			f.File = filepath.Join(dir, a.file)
			info, err := os.Stat(filepath.Join(dir, a.folder))
			there = there || err == nil && info.IsDir()
		}
		if !there {
			continue
		}
		if data, err := readBounded(f.File, maxSettings); err == nil {
			f.Installed = len(a.programs(data)) > 0
		}
		list = append(list, f)
	}
	return list
}

// AgentProgram is where an agent's program lies, "" when it is not found.
func AgentProgram(agent string) string {
	for _, c := range agentChecks() {
		if c.agent == agent {
			return findAgent(c.programs)
		}
	}
	return ""
}
