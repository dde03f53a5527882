// Package drill runs real coding agents against a scripted model: without network,
// without an account, and with nothing of the user's.
//
// An Agent knows how its program is started so that it asks nothing by itself; each
// agent has a file of its own, which says so for every Mode in which the agent can be
// started. A Ground has the folders that the agent takes for the user's home and
// project. The model (package fakemodel) has the agent call its shell tool with a
// command that leaves a file.
//
// Prepare writes the agent's settings onto the ground and returns how to start it. The
// caller then installs hooks there, as a user would, and starts the agent: with Run,
// or in a terminal of its own. The file says whether the gate holds: it is there if
// and only if the call ran.
//
// The agents are started in their most permissive mode. So nothing but the hook can
// have kept a call from running, and a gate that holds here holds in every stricter
// mode.
//
// "aoctl doctor --drill" and the trials with real agents use it. A new agent is a file
// beside claude.go.
package drill

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Mode is how an agent is started, each time in its most permissive mode.
type Mode int

// The modes of an agent.
const (
	Headless    Mode = iota // does what one prompt says, and ends
	Interactive             // in a terminal, and stays
	ACP                     // as an editor starts it: the Agent Client Protocol on standard input and output
)

func (m Mode) String() string { return [...]string{"headless", "interactive", "acp"}[m] }

// Prompt is what an agent is told to do. The script says what its model makes of it,
// so its words do not matter.
const Prompt = "do it"

// Agent is a coding agent that can be run offline. It comes from Agents or Named; the
// zero value cannot be started.
type Agent struct {
	Name  string                              // as aoctl knows it
	Hooks string                              // the file of its hooks, below the home
	Shell func(command string) fakemodel.Step // its model runs a command
	start func(r run) command
	lacks []Mode // how it cannot be started
}

// command is a program's arguments, its variables, and files that must be there
// before, by their names below the home.
type command struct {
	args, env []string
	files     map[string]string
	engine    string // a script below Home that node runs in the program's place, with that as its first argument; "" for none
}

// run is what an agent's start depends on.
type run struct {
	*Ground

	mode Mode
}

// Agents lists all of them, in the order in which aoctl names them. An agent with a
// page and without a file here would end the program.
func Agents() []Agent {
	var list []Agent
	for _, p := range profile.All() {
		a := agents[p.Name]()
		a.Name, a.Hooks = p.Name, path.Join(p.Settings.Home, p.Settings.File)
		list = append(list, a)
	}
	return list
}

// Named finds an agent by aoctl's name for it.
func Named(name string) (Agent, bool) {
	list := Agents()
	i := slices.IndexFunc(list, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return list[i], true
}

// Can reports whether the agent can be started so.
func (a Agent) Can(m Mode) bool { return !slices.Contains(a.lacks, m) }

// Ground is where agents run. Everything that they write lies below the folder that
// NewGround got.
type Ground struct {
	Home, Project, Temp string
	API                 string // the scripted model's address
}

// NewGround makes the folders of a ground in dir, which should be empty. api is where
// the scripted model listens. The caller removes dir.
func NewGround(dir, api string) (*Ground, error) {
	g := &Ground{Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "shop"), Temp: filepath.Join(dir, "tmp"), API: api}
	for _, d := range []string{g.Home, g.Project, g.Temp} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("make a folder: %w", err)
		}
	}
	return g, nil
}

// Env is all that programs on this ground know of the user: where programs lie, and
// nothing else. A key or a login in the user's environment could reach a real account.
func (g *Ground) Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.Home, "TMPDIR=" + g.Temp,
		"LANG=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color",
	}
}

// Prepare writes what the agent needs to run, and returns the words to start it with,
// in the ground's project, and the variables that it wants beside those of Env. For
// Cursor, program is the folder of @cursor/sdk. Hooks are installed after it: it
// writes settings of its own.
func (a Agent) Prepare(g *Ground, m Mode, program string) (argv, env []string, err error) {
	if !a.Can(m) {
		return nil, nil, fmt.Errorf("%s cannot be started %s", a.Name, m)
	}
	c := a.start(run{g, m})
	for name, text := range c.files {
		path := filepath.Join(g.Home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, nil, fmt.Errorf("write the agent's settings: %w", err)
		}
	}
	argv = append([]string{program}, c.args...)
	if c.engine != "" {
		argv = append([]string{"node", filepath.Join(g.Home, c.engine), program}, c.args...)
	}
	return argv, c.env, nil
}
