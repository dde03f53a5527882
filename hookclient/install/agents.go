package install

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// agent is what installing for one agent takes. Fields that may be nil are those whose comments
// say "if set" or "is set for".
type agent struct {
	layout
	gate    map[Mode]string // the event that decides, per mode that the agent knows
	watched []string        // events that the console is only told of
	hooks   func(p Program, mode Mode, timeout time.Duration) []Hook
	notes   func(o Options, f *settingsFile, after []byte) []string // warnings about what is installed

	// cleanUp, if set, takes out what the agent itself put down about hooks of ours that
	// stood in f.
	cleanUp func(o Options, f *settingsFile, r *Report) error

	// unknown, if set, are the events that the agent of this version must not find in its
	// settings.
	unknown func(version string) []string

	// elsewhere is set for an agent that adds its settings up from several files. It names
	// those beside f in which aoctl stays installed; notes looks at them, too.
	elsewhere func(o Options, f *settingsFile) []string

	// moved, if set, warns of other people's hooks that change their place.
	moved func(path string, before, after []byte) []string

	// plugin is set for an agent that has a program of ours in place of hooks in settings.
	plugin *plugin
}

// installers has every agent by its name; each has a file of its own, which puts it there. They
// are functions, so that a package variable holds nothing that takes work to make.
var installers = map[string]func() agent{}

// agents are all of them, in the order in which they are offered.
func agents() []agent {
	var list []agent
	for _, name := range profile.Names() {
		list = append(list, installers[name]())
	}
	return list
}

// Agents lists the agents that hooks can be installed for.
func Agents() []string { return profile.Names() }

// Title is an agent's name as its makers write it, its short name for one that is unknown.
func Title(agent string) string { return cmp.Or(profile.Of(agent).Title, agent) }

// agentNamed finds an agent by its short name; false for one that nobody knows.
func agentNamed(name string) (agent, bool) {
	list := agents()
	if i := slices.IndexFunc(list, func(a agent) bool { return a.agent == name }); i >= 0 {
		return list[i], true
	}
	return agent{}, false
}

// modes lists what the agent can be asked to decide.
func (a agent) modes() []Mode {
	return slices.DeleteFunc(Modes(), func(m Mode) bool { return a.gate[m] == "" })
}

// own is what is done in every mode for an agent with one event that decides.
func own(event string) map[Mode]string { return map[Mode]string{Gate: event} }

// settings is where the agent's settings are.
func (a agent) settings() profile.Settings { return profile.Of(a.agent).Settings }

// home is the folder of the agent's settings.
func (a agent) home() (string, error) {
	if dir := machine.InHome(a.settings().Variable, a.settings().Home); dir != "" {
		return dir, nil
	}
	return "", fmt.Errorf("cannot tell where %s's settings are: HOME is not set; set it, or name a file with --settings", a.title())
}

// How long an agent waits for a hook that is only told, and how long the client then tries.
const (
	watchAgent  = 10 * time.Second
	watchClient = 3 * time.Second
	endAgent    = 3 * time.Second // at the end of a session, which waits for it: Codex takes no more, and warns of more at every start
	endClient   = 2 * time.Second
)

// watching lists hooks that are only told, one for each event; those in ends are the last
// of a session. write makes a hook of a line and of the time that the agent gives it. The lines
// end in success whatever happens to the client: an agent must not wait for, or fail over, a hook
// that only tells.
func watching(p Program, agent string, events, ends []string, write func(line string, timeout time.Duration) jsonc.Object) []Hook {
	var hooks []Hook
	for _, event := range events {
		client, limit := watchClient, watchAgent
		// An agent that is about to end waits for its last hooks, and its user for the agent.
		if slices.Contains(ends, event) {
			client, limit = endClient, endAgent
		}
		hooks = append(hooks, Hook{event, write(p.Watch(agent, client), limit)})
	}
	return hooks
}
