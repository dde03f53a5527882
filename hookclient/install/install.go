// Package install writes aoctl's hooks into the settings of coding agents, and takes
// them out again.
//
// It changes nothing that is not aoctl's: a settings file is edited as text, so that
// order, formatting and other people's hooks survive byte for byte, and an installation
// that is removed leaves the file as it was. Files are replaced in one step, after a
// backup, and only when nobody else changed them in the meantime.
//
// A file that the agent would not read is refused with line and column: a gate that the
// agent ignores is worse than none, because a person relies on it.
//
// Install and Uninstall find the file of an agent (place.go), read it (file.go, jsonc), put
// hooks in or take them out in the way in which the agent's settings hold them (layout.go),
// and replace the file. Each agent has an installer of its own, which says what is written
// and what voids its settings; what is known of the agent beside that stands on its page in
// hookclient/profile. The line of a hook is hookline's, what doctor looks at is check's.
//
// An installation is known by its lines alone: what hookline reads as a line of ours is ours,
// wherever it stands, and nothing is marked or remembered elsewhere. So an installation of an
// older version, or one that was copied by hand, is brought up to date or taken out like any
// other.
//
// Agents differ most in what silences them. One wrong value can make an agent ignore its whole
// file without a word; which value that is was found by running it, and the files say with which
// version. Warnings name what would silence the hooks just written, or what runs unasked beside
// them.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// Mode says which calls are decided in the console.
type Mode string

// The modes.
const (
	Gate    Mode = "gate"    // every call, in every permission mode of the agent
	Prompts Mode = "prompts" // only what the agent would have asked the user about
)

// Modes lists the modes, the default first.
func Modes() []Mode { return []Mode{Gate, Prompts} }

// Scope says whose settings are meant.
type Scope int

// The scopes. The zero value is the user's own settings, for all projects.
const (
	User    Scope = iota
	Project       // the current folder, for this user alone
	File          // a file named by the user
)

// The bounds of Options.Timeout, and of Program.AtMost unless the timeout is longer.
const (
	MinTimeout     = hookline.MinTimeout
	MaxTimeout     = hookline.MaxTimeout
	DefaultTimeout = hookline.DefaultTimeout
	DefaultAtMost  = hookline.DefaultAtMost
)

// Program is what an agent is told to run.
type Program = hookline.Program

// Console is where that asks.
type Console = hookline.Console

// Options is what Install and Uninstall go by. Zero fields of an Uninstall are fine but for
// Agent; an Install needs Mode, Timeout and Program.
type Options struct {
	Agent   string        // one of Agents
	Scope   Scope         //
	File    string        // the settings file, with scope File
	Mode    Mode          // Install only
	Timeout time.Duration // Install only: how long a person has to answer
	DryRun  bool          // work everything out, write nothing
	Program Program       // Install only: what the agent runs; see FindProgram
	Version string        // Install only: the agent's own; "" when it is not known; see AgentVersion
	Now     time.Time     // names the backup

	// ManagedDir is the folder of an administrator's settings, which are only read for
	// warnings; empty means the platform's own.
	ManagedDir string
}

// Report is what was done, or with Options.DryRun would be. With an error it says as much as was
// found out before.
type Report struct {
	Agent    string // its full name: "Claude Code"
	File     string // absolute path of the settings file, as the user names it
	Target   string // the file behind File when that is a symbolic link, else empty
	Changed  bool
	Created  bool     // there was no such file
	Deleted  bool     // nothing was left in a file that the installation had created
	Restored bool     // the file is byte for byte what it was before the installation
	Backup   string   // path of the copy made of the earlier state; empty when there was none
	Backups  []string // Uninstall: all copies that are beside the file now, the oldest first
	Gates    []string // events that decide
	Watches  []string // events that are only told
	Had      int      // Install: hooks of aoctl that were in the file; 0 for a plugin
	Has      int      // Install: hooks of aoctl that are in it afterwards; 0 for a plugin
	Line     string   // Install: what the event that decides runs
	Removed  int      // Uninstall: how many hooks went
	Wait     time.Duration
	Diff     string   // unified; holds the settings' own text, which may hold anything
	Ungated  string   // Install: why calls of this version of the agent run unasked all the same, and what to do
	Warnings []string // what would silence the hooks, or get round them; Uninstall: where others are left
}

// UsageError is a request that makes no sense, with what to do instead.
type UsageError struct{ Text, Hint string }

func (e *UsageError) Error() string { return e.Text }

// ErrChanged means that somebody else wrote the settings file at the same moment. Nothing is half
// done then: the file is the other program's, whole.
var ErrChanged = errors.New("another program changed the file at the same moment; nothing was written, run this again")

// ErrTemporary means that the program would be gone soon after the installation.
var ErrTemporary = errors.New("this aoctl is a temporary build that Go deletes again, and with it gone every call would be refused; " +
	"install it first (go install, or go build -o ~/.local/bin/aoctl) and run that one")

// validate returns the agent that o is about, or a *UsageError that says what to write instead.
// It looks at no file, so a mistake in the command line costs nothing.
func (o Options) validate() (agent, error) {
	a, ok := agentNamed(o.Agent)
	switch {
	case !ok:
		return a, &UsageError{
			Text: fmt.Sprintf("unknown agent %q", o.Agent),
			Hint: "known agents: " + strings.Join(Agents(), ", "),
		}
	case o.Scope == File && o.File == "":
		return a, &UsageError{Text: "no settings file named", Hint: "--settings needs the path of a file"}
	case o.Scope == Project && a.settings().Project == "":
		return a, &UsageError{
			Text: a.title() + " has no settings for a project that are yours alone",
			Hint: "leave --project out for all your projects, or name a file with --settings",
		}
	}
	return a, nil
}

// validateInstall is validate for what only an installation needs: mode, times, the client's
// program and where its console is. All of it is checked before a file is opened.
func (o Options) validateInstall() (agent, error) {
	a, err := o.validate()
	if err != nil {
		return a, err
	}
	if !slices.Contains(Modes(), o.Mode) {
		return a, &UsageError{Text: fmt.Sprintf("unknown mode %q", o.Mode), Hint: "known modes: gate, prompts"}
	}
	if a.gate[o.Mode] == "" {
		return a, &UsageError{
			Text: fmt.Sprintf("%[2]s has no mode %[1]s", o.Mode, a.title()),
			Hint: fmt.Sprintf("install it with --mode %s", a.modes()[0]),
		}
	}
	if o.Timeout < MinTimeout || o.Timeout > MaxTimeout {
		return a, &UsageError{
			Text: fmt.Sprintf("a timeout of %v is out of range", o.Timeout),
			Hint: fmt.Sprintf("it must lie between %v and %v", MinTimeout, MaxTimeout),
		}
	}
	if o.Program.AtMost != 0 && (o.Program.AtMost < o.Timeout || o.Program.AtMost > MaxTimeout) {
		return a, &UsageError{
			Text: fmt.Sprintf("a time of at most %v is out of range", o.Program.AtMost),
			Hint: fmt.Sprintf("it must lie between the timeout, %v, and %v", o.Timeout, MaxTimeout),
		}
	}
	if o.Program.AskDown && (o.Mode != Gate || !profile.Of(o.Agent).Traits.Ask) {
		return a, &UsageError{
			Text: fmt.Sprintf("%s in mode %s leaves nothing to its own prompt when no console is open", a.title(), o.Mode),
			Hint: "--on-down ask is for claude in mode gate: only Claude Code's prompt holds every call",
		}
	}
	if err = checkProgram(o.Program); err != nil {
		return a, err
	}
	return a, checkConsole(o.Program.Console)
}

// Install writes the hooks, or brings them up to date. A *jsonc.SyntaxError says where a
// settings file cannot be read; a *UsageError is the caller's mistake; ErrChanged asks
// for another try. The settings are never left half written.
//
// Options.DryRun goes the same way up to the write, so what it shows is what would be done.
func Install(o Options) (Report, error) {
	a, err := o.validateInstall()
	if err != nil {
		return Report{}, err
	}
	f, err := openSettings(a, o)
	if err != nil {
		return Report{}, err
	}
	after, err := a.write(f, o)
	if err != nil {
		return Report{}, f.explain(err)
	}
	r := f.report(a)
	// A report says what the installation consists of, also where nothing had to be written.
	r.Gates, r.Watches = []string{a.gate[o.Mode]}, a.watched
	r.Wait = a.wait(o.Program.Longest(o.Timeout))
	r.Had, r.Has, r.Line = a.count(f.data), a.count(after), a.gateLine(o)
	r.Changed = !f.exists || !bytes.Equal(after, f.data)
	r.Created = !f.exists
	r.Warnings = append(programWarnings(o.Program), consoleWarnings(o.Program.Console)...)
	if why, cure := Ungated(a.agent, o.Version); why != "" {
		r.Ungated = why + "; " + cure
	}
	r.Warnings = append(r.Warnings, age(o)...)
	r.Warnings = append(r.Warnings, typedWarnings(a.agent)...)
	r.Warnings = append(r.Warnings, a.notes(o, f, after)...)
	// An agent that adds up several files tells of others' hooks itself, over all of them.
	if a.elsewhere == nil && a.plugin == nil {
		r.Warnings = append(r.Warnings, a.foreign(f.path, after, o)...)
	}
	// The same installation twice writes nothing and keeps no backup.
	if !r.Changed {
		return r, nil
	}
	r.Warnings = append(r.Warnings, a.moveWarnings(f.path, f.data, after)...)
	r.Diff = f.diff(after)
	if o.DryRun {
		return r, nil
	}
	r.Backup, err = f.write(after, o.Now)
	return r, err
}

// Uninstall takes the hooks of aoctl out of the settings, and nothing else. When the
// file was not changed in other ways since, it gets back the very bytes it had before.
//
// A backup has the very bytes, comments and spacing included. An edit that only takes hooks out
// could leave an empty object behind that the user never wrote.
func Uninstall(o Options) (Report, error) {
	a, err := o.validate()
	if err != nil {
		return Report{}, err
	}
	f, err := openSettings(a, o)
	if err != nil {
		return Report{}, err
	}
	r := f.report(a)
	// Hooks may stand in a second file of which nobody thinks, and go on asking.
	r.Warnings = a.leftIn(o, f)
	if !f.exists {
		return r, nil
	}
	after, err := a.takeOut(f, &r)
	// explain passes nil on, so no error is no error.
	if err != nil || r.Removed == 0 {
		return r, f.explain(err)
	}
	r.Changed = true
	r.Warnings = append(r.Warnings, a.moveWarnings(f.path, f.data, after)...)
	r.Diff = f.diff(after)
	// It is decided on the text as it was read, before anything goes.
	f.disposable = a.nothingForeign(f.data)
	switch {
	case o.DryRun:
	case r.Deleted:
		// The file was ours from its first byte, so its backups hold nothing that anybody could
		// want.
		f.forget(a.nothingForeign)
		r.Backup, err = f.remove(o.Now)
	default:
		r.Backup, err = f.write(after, o.Now)
	}
	r.Backups = f.backups()
	if err == nil && a.cleanUp != nil {
		err = a.cleanUp(o, f, &r)
	}
	return r, err
}

// write is the text of f with the hooks in it. Errors are *jsonc.SyntaxError, for a file that its
// agent would not read as it is.
func (a agent) write(f *settingsFile, o Options) ([]byte, error) {
	if a.plugin != nil {
		return a.plugin.write(f.data, o)
	}
	hooks := a.hooks(o.Program, o.Mode, o.Timeout)
	if a.unknown != nil {
		unknown := a.unknown(o.Version)
		// One event that this release does not know would void the whole file.
		hooks = slices.DeleteFunc(hooks, func(h Hook) bool { return slices.Contains(unknown, h.Event) })
	}
	return a.install(f.data, hooks)
}

// wait is how long the agent itself waits for an answer; 0 is for ever. An agent with a hard cap
// waits that long whatever its settings say.
func (a agent) wait(timeout time.Duration) time.Duration {
	limit := profile.Of(a.agent).HardCap
	switch {
	case a.plugin != nil:
		return timeout + a.plugin.grace
	case limit > 0:
		return limit
	}
	return timeout + hookline.Grace
}

// takeOut is the text of f without the hooks, nil when nothing is left. It puts down in r
// what became of them. r.Removed is 0 when there was nothing of ours; then the text must not be
// written.
func (a agent) takeOut(f *settingsFile, r *Report) (after []byte, err error) {
	if a.plugin != nil {
		if a.plugin.ours(f.data) {
			r.Removed, r.Deleted = 1, true
		}
		return nil, nil
	}
	d, err := a.document(f.data)
	if err != nil {
		return nil, err
	}
	if r.Removed, err = a.remove(d, func(string, *jsonc.Node) bool { return false }); err != nil || r.Removed == 0 {
		return nil, err
	}
	// The text before the installation comes first; an edit is for files that have changed since.
	if after, r.Restored = f.earlier(a.layout); r.Restored {
		return after, nil
	}
	if r.Deleted = a.nothing(d); r.Deleted {
		return nil, nil
	}
	return d.Src, nil
}

// nothingForeign reports whether data, which has hooks of ours, has nothing else in it. It
// decides whether a backup is kept, so a file that cannot be read is not one.
func (a agent) nothingForeign(data []byte) bool {
	if a.plugin != nil {
		return a.plugin.intact(data)
	}
	d, err := a.document(data)
	if err != nil {
		return false
	}
	n, err := a.remove(d, func(string, *jsonc.Node) bool { return false })
	return err == nil && n > 0 && a.nothing(d)
}

// report begins a report on f.
func (f *settingsFile) report(a agent) Report {
	r := Report{Agent: a.title(), File: f.path}
	if f.target != f.path {
		r.Target = f.target
	}
	return r
}

// explain names the file in a syntax error.
func (f *settingsFile) explain(err error) error {
	var syntax *jsonc.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Path = f.path
	}
	return err
}

// diff shows what writing after would change. A file that is made or deleted stands against the
// null device, as in any diff.
func (f *settingsFile) diff(after []byte) string {
	before, name := f.path, f.path
	if !f.exists {
		before = os.DevNull
	}
	if after == nil {
		name = os.DevNull
	}
	return udiff.Unified(before, name, string(f.data), string(after))
}
