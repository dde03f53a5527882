package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Status says how one check came out.
type Status string

// The statuses. A warning is something to know or to mend; a failure is a way in which a
// call may run unasked, or a gate that refuses everything.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Skipped Status = "skipped" // nothing to look at, or no way to
)

// Finding is one thing that was looked at. Its texts may hold anything that stood in a
// file or in a process's command line.
type Finding struct {
	Name   string // short and stable: "timeout"
	Status Status
	Seen   string // one line
	Cure   string // what to do, a command where there is one; may be empty
	Repair *Repair
}

// Repair mends what a Finding is about. Findings with the same Key share one.
type Repair struct {
	Key string
	Do  func() (did string, err error)
}

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

// AgentReport is all that was seen of one agent.
type AgentReport struct {
	Agent    string // short name
	Name     string // full name
	Program  string // where it lies; "" when it was not found
	Version  string // what it says of itself; "" when it was not asked
	Findings []Finding
	Gates    []GateHook // hooks that decide, for a drill
}

// CheckOptions is what Check goes by.
type CheckOptions struct {
	Project  string // absolute path of the project's folder
	Settings string // a further settings file of Claude Code, for "claude --settings FILE"; may be empty
	Program  Program
	Now      time.Time
	// Quick leaves out what takes time: asking the agents for their versions.
	Quick bool

	// ManagedDir is as in Options. Processes and Version stand in for the machine's own
	// in tests.
	ManagedDir string
	Processes  func() ([]Process, error)
	Version    func(ctx context.Context, program string) (string, error)
	CodexHooks func(program, home, project string) ([]codexHook, error)
}

// agentCheck is what is known of one agent.
type agentCheck struct {
	agent    string
	name     string
	programs []string // names it is installed under
	tried    string   // the version that aoctl was tried with; "" for none
	check    func(*checker)
}

// agentChecks is the table of agents; each has a file of its own.
func agentChecks() []agentCheck {
	return []agentCheck{
		{"claude", "Claude Code", []string{"claude"}, "2.1.329", checkClaude},
		{"codex", "Codex", []string{"codex"}, "0.169.0", checkCodex},
		{"gemini", "Gemini CLI", []string{"gemini"}, "0.61.0", checkGemini},
		{"qwen", "Qwen Code", []string{"qwen"}, "0.24.4", checkQwen},
		{"opencode", "opencode", []string{"opencode"}, "1.18.33", checkOpencode},
		{"copilot", "Copilot CLI", []string{"copilot"}, "1.0.102", checkCopilot},
		{"cursor", "Cursor", []string{"cursor-agent", "cursor"}, "", checkCursor},
	}
}

// Check looks at every known agent: where its program is, whether a gate of aoctl stands
// in its settings, and what in the project could silence that gate. It changes nothing.
func Check(ctx context.Context, o CheckOptions) []AgentReport {
	if o.Processes == nil {
		o.Processes = runningProcesses
	}
	if o.Version == nil {
		o.Version = askVersion
	}
	if o.CodexHooks == nil {
		o.CodexHooks = listCodexHooks
	}
	processes, err := o.Processes()
	table := agentChecks()
	reports := make([]AgentReport, len(table))
	var all sync.WaitGroup
	for i, a := range table {
		all.Go(func() {
			c := &checker{o: o, a: a, processes: processes, processErr: err, r: AgentReport{Agent: a.agent, Name: a.name}}
			c.program(ctx)
			a.check(c)
			reports[i] = c.r
		})
	}
	all.Wait()
	return reports
}

// checker looks at one agent.
type checker struct {
	o          CheckOptions
	a          agentCheck
	processes  []Process
	processErr error
	r          AgentReport
}

func (c *checker) add(s Status, name, cure, format string, args ...any) *Finding {
	c.r.Findings = append(c.r.Findings, Finding{Name: name, Status: s, Cure: cure, Seen: fmt.Sprintf(format, args...)})
	return &c.r.Findings[len(c.r.Findings)-1]
}

// program looks for the agent itself.
func (c *checker) program(ctx context.Context) {
	path := findAgent(c.a.programs)
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
		c.add(Warn, "program", "run it yourself: "+path+" --version", "%s does not tell its version: %v", path, err)
		return
	case c.a.tried == "":
		c.add(OK, "program", "", "%s, version %s", path, version)
	default:
		c.add(OK, "program", "", "%s, version %s%s", path, version, compared(version, c.a.tried))
	}
	c.r.Version = version
}

// homeDir is the user's folder, "" when it is not known.
func homeDir() string {
	if h := os.Getenv("HOME"); filepath.IsAbs(h) {
		return h
	}
	return ""
}

// inHome is the folder that the variable names, else name in the user's folder, else "".
func inHome(variable, name string) string {
	if dir := os.Getenv(variable); variable != "" && dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	}
	if h := homeDir(); h != "" {
		return filepath.Join(h, name)
	}
	return ""
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
		c.add(Warn, "gate", "aoctl install "+c.a.agent, "no gate installed: aoctl is not asked about anything here")
	}
	return true
}

// shorten keeps a foreign text to what a line of a report can hold.
func shorten(s string) string {
	const limit = 100
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
