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

// GateHook is one hook that decides, as it stands in a settings file.
type GateHook struct {
	Agent   string // short name, as in "aoctl hook claude"
	Event   string
	File    string
	Command string
	// Own reports whether the file is the user's or the administrator's, and not part of
	// a project that somebody else may have written.
	Own bool
}

// Report is all that was seen of one agent.
type Report struct {
	Agent    string // short name
	Name     string // full name
	Program  string // where it lies; "" when it was not found
	Version  string // what it says of itself; "" when it was not asked
	Findings []Finding
	Gates    []GateHook // hooks that decide, for a drill
}

// Options is what All goes by.
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
// puts it there.
var checks = map[string]func(*checker){}

// All looks at every known agent: where its program is, whether a gate of aoctl stands
// in its settings, and what in the project could silence that gate. It changes nothing.
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
	processes, err := o.Processes()
	known := profile.All()
	reports := make([]Report, len(known))
	var all sync.WaitGroup
	for i, a := range known {
		all.Go(func() {
			defer o.Step(a.Title)()
			c := &checker{o: o, a: a, processes: processes, processErr: err, r: Report{Agent: a.Name, Name: a.Title}}
			c.program(ctx)
			checks[a.Name](c)
			reports[i] = c.r
		})
	}
	all.Wait()
	return reports
}

// checker looks at one agent.
type checker struct {
	o          Options
	a          *profile.Profile
	processes  []Process
	processErr error
	r          Report
}

func (c *checker) add(s Status, name, cure, format string, args ...any) *Finding {
	c.r.Findings = append(c.r.Findings, Finding{Name: name, Status: s, Cure: cure, Seen: fmt.Sprintf(format, args...)})
	return &c.r.Findings[len(c.r.Findings)-1]
}

// mend gives the problems that were found since begin their repair.
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
	if c.o.Quick {
		return
	}
	version, err := c.o.Version(ctx, path)
	switch {
	case err != nil:
		c.add(Warn, "program", "run it yourself: "+path+" --version", "%s does not say its version: %v", path, err)
		return
	case c.a.Tried == "":
		c.add(OK, "program", "", "%s, version %s", path, version)
	default:
		c.add(OK, "program", "", "%s, version %s%s", path, version, compared(version, c.a.Tried))
	}
	c.r.Version = version
}

// noGate says that nothing of aoctl is in the agent's settings. It reports false when
// something is, and the caller goes on.
func (c *checker) noGate(files int) bool {
	if len(c.r.Gates) > 0 {
		return false
	}
	switch {
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
