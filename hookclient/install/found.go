package install

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
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
	for _, a := range agents() {
		f := Found{Agent: a.agent, Title: a.title(), Program: machine.FindProgram(profile.Of(a.agent).Programs)}
		there := f.Program != ""
		if dir, err := a.home(); err == nil {
			f.File = filepath.Join(dir, a.settings().File)
			info, err := os.Stat(filepath.Join(dir, a.settings().Folder))
			there = there || err == nil && info.IsDir()
		}
		if !there {
			continue
		}
		f.Installed = a.hooked(f.File)
		list = append(list, f)
	}
	return list
}

// AgentProgram is where an agent's program lies, "" when it is not found.
func AgentProgram(agent string) string {
	return machine.FindProgram(profile.Of(agent).Programs)
}

// Hooked are the agents with hooks of aoctl in the settings of the user's own, or in one of files,
// which aoctl has written before. It reads a handful of small files and runs nothing.
func Hooked(files ...string) []string {
	var list []string
	for _, a := range agents() {
		if slices.ContainsFunc(append(a.usual(), files...), a.hooked) {
			list = append(list, a.agent)
		}
	}
	return list
}

// usual is the file of the user's own settings; nothing when that cannot be told.
func (a agent) usual() []string {
	dir, err := a.home()
	if err != nil {
		return nil
	}
	return []string{filepath.Join(dir, a.settings().File)}
}

// hooked reports whether hooks of aoctl that name a are in a file.
func (a agent) hooked(file string) bool {
	data, err := machine.ReadBounded(file, MaxSettings)
	return err == nil && len(a.programs(data)) > 0
}
