package check

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// GateHook is one hook that decides, as it stands in a settings file. Command is the line as it
// stands in the file. A drill runs it, so it must not run one that is not Own without asking.
type GateHook struct {
	Agent   string // short name, as in "aoctl hook claude"
	Event   string
	File    string
	Command string
	// Own reports whether the file is the user's or the administrator's, and not part of
	// a project that somebody else may have written. A gate in a project may come from anybody
	// who wrote to that project.
	Own bool
}

// Report is all that was seen of one agent. The order of Findings is that in which they were
// found, which is the order for reading.
type Report struct {
	Agent    string // short name
	Name     string // full name
	Program  string // where it lies; "" when it was not found
	Version  string // what it says of itself; "" when it was not asked
	Findings []Finding
	Gates    []GateHook // hooks that decide, for a drill
}

// Options is what All goes by. Project and Program are needed; zero fields of the rest take the
// machine's own.
type Options struct {
	Project  string // absolute path of the project's folder
	Settings string // a further settings file of Claude Code, for "claude --settings FILE"; may be empty
	Program  install.Program
	Now      time.Time
	// Quick leaves out what takes time: asking the agents for their versions.
	Quick bool
	// Step, when there is one, hears the name of each agent as its check begins, and the
	// function that it returns is called when that check is over.
	Step func(name string) (end func())

	// ManagedDir is as in Options. Processes and Version stand in for the machine's own
	// in tests.
	ManagedDir string
	Processes  func() ([]Process, error)
	Version    func(ctx context.Context, program string) (string, error)
	CodexHooks func(program, home, project string) ([]install.CodexHook, error)
}

// checks has what looks at each agent, by its short name; each has a file of its own, which
// puts it there. An agent with a profile and without an entry here is a mistake of the
// programmer, which the first run shows.
var checks = map[string]func(*checker){}

// All looks at every known agent: where its program is, whether a gate of aoctl stands
// in its settings, and what in the project could silence that gate. It changes nothing.
//
// Agents are looked at beside each other, since each waits for a program of its own. Reports are
// in the order of the profiles all the same.
func All(ctx context.Context, o Options) []Report {
	if o.Processes == nil {
		o.Processes = runningProcesses
	}
	if o.Version == nil {
		o.Version = machine.Version
	}
	if o.CodexHooks == nil {
		o.CodexHooks = install.CodexHooks
	}
	if o.Step == nil {
		o.Step = func(string) func() { return func() {} }
	}
	// The list is read once for all agents.
	processes, err := o.Processes()
	known := profile.All()
	reports := make([]Report, len(known))
	var all sync.WaitGroup
	for i, a := range known {
		all.Go(func() {
			// The step begins here and ends with the function, whatever the check does.
			defer o.Step(a.Title)()
			c := &checker{o: o, a: a, processes: processes, processErr: err, r: Report{Agent: a.Name, Name: a.Title}}
			// The version comes first: whether a gate works can depend on it.
			c.program(ctx)
			checks[a.Name](c)
			reports[i] = c.r
		})
	}
	all.Wait()
	return reports
}

// checker looks at one agent. It belongs to one goroutine. processErr says why processes is
// empty, where it is not known.
type checker struct {
	o          Options
	a          *profile.Profile
	processes  []Process
	processErr error
	r          Report
}

// add notes a finding. The pointer that it returns is good until the next call.
func (c *checker) add(s Status, name, cure, format string, args ...any) *Finding {
	c.r.Findings = append(c.r.Findings, Finding{Name: name, Status: s, Cure: cure, Seen: fmt.Sprintf(format, args...)})
	return &c.r.Findings[len(c.r.Findings)-1]
}

// mend gives the problems that were found since begin their repair. Findings that say that all is
// well get none.
func (c *checker) mend(begin int, repair *Repair) {
	for i := begin; i < len(c.r.Findings); i++ {
		if f := &c.r.Findings[i]; f.Status == Warn || f.Status == Fail {
			f.Repair = repair
		}
	}
}

// program looks for the agent itself.
func (c *checker) program(ctx context.Context) {
	path := machine.FindProgram(c.a.Programs)
	if path == "" {
		c.add(Skipped, "program", "", "not found on PATH or in the usual places")
		return
	}
	c.r.Program = path
	// Without a version nothing is said of releases that are too old.
	if c.o.Quick {
		return
	}
	version, err := c.o.Version(ctx, path)
	switch {
	// A program that cannot be asked is no reason to stop: its settings are looked at all the
	// same.
	case err != nil:
		c.add(Warn, "program", "run it yourself: "+path+" --version", "%s does not say its version: %v", path, err)
		return
	// There is no release of this agent that aoctl was tried with.
	case c.a.Tried == "":
		c.add(OK, "program", "", "%s, version %s", path, version)
	default:
		c.add(OK, "program", "", "%s, version %s%s", path, version, compared(version, c.a.Tried))
	}
	c.r.Version = version
}

// noGate says that nothing of aoctl is in the agent's settings. It reports false when
// something is, and the caller goes on. files is how many hooks of ours were found that decide
// nothing.
func (c *checker) noGate(files int) bool {
	if len(c.r.Gates) > 0 {
		return false
	}
	switch {
	// The caller goes on only where there is a gate to judge.
	case files > 0: // said already: a hook of ours that decides nothing
	case c.r.Program == "": // said already
	default:
		c.add(Warn, "gate", "aoctl install "+c.a.Name, "no aoctl hook is installed: aoctl does not see its calls")
	}
	return true
}

// ungated reports an agent here that is too old for the gate that stands in its settings.
func (c *checker) ungated() {
	if why, cure := install.Ungated(c.a.Name, c.r.Version); why != "" {
		c.add(Fail, "version", cure, "%s", why)
	}
}
