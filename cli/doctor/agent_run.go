package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/tui/safe"
)

// gate opens the scene's console, if it has one, and installs the hook that asks
// there. end closes the console and must be called unless there is an error; it is
// never nil then. The console is the real one, and its timeout is at least as long as
// the scene lets a call wait.
func (d *agentDrill) gate(ctx context.Context, s drillScene, ground *drill.Ground, dir string) (end func(), err error) {
	socket := filepath.Join(dir, "broker.sock")
	end = func() {}
	if s.console {
		o := service.Options{Socket: socket, ApprovalTimeout: max(s.wait, install.DefaultTimeout)}
		if end, err = openBroker(ctx, socket, o, s.decide); err != nil {
			return nil, err
		}
	}
	if err = d.install(filepath.Join(ground.Home, d.Hooks), socket); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// install writes the hooks into file, the one before a tool as it stands in the user's
// own settings. Only the console that the line asks is changed, so what is drilled is
// what the user's agent runs, wrappers and timeouts and all. The file is written by
// the installer first, so that everything but the one line is as an installation would
// have it. A line that cannot be found again is an error.
func (d *agentDrill) install(file, socket string) error {
	program := ownProgram()
	program.Console.Socket = socket
	program.AtMost = install.DefaultAtMost
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if _, err := install.Install(install.Options{
		Agent: d.Name, Scope: install.File, File: file, Mode: install.Gate, Timeout: install.DefaultTimeout, Program: program, Now: time.Now(),
	}); err != nil || d.line == nil {
		return err
	}
	text, err := os.ReadFile(file) //nolint:gosec // G304: in our own folder
	if err != nil {
		return err
	}
	written, err := drill.GateLine(text)
	if err == nil {
		text, err = drill.Replace(text, written, d.line.With(hookline.Change{Socket: socket}))
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600) //nolint:gosec // G703: in our own folder
}

// decide is the person at the scene's console. It looks at what waits every tenth of a
// second and decides as the scene says, by the digest of the call that it saw. A scene
// whose answer is "" decides nothing. It returns when ctx ends.
func (s drillScene) decide(ctx context.Context, b *service.Broker) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for s.answer != "" {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, call := range b.Pending("") {
			d := broker.Decision{Verdict: s.answer, By: broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}, Digest: call.Digest}
			if s.answer == broker.Deny {
				d.Reason = drillDenied
			}
			_, _ = b.Decide(ctx, call.ID, d) // one that has ended meanwhile needs no answer
		}
	}
}

// report says what came of a scene, and whether that is well. OPEN stands for a call
// that ran although it must not, ALLOW for one that ran as it should, DENY for one
// that did not run. The time is that of the whole run, the agent's start included.
func (d *agentDrill) report(e *examination, s drillScene, seen agentSeen) {
	r := drillResult{Agent: d.Name, Fault: s.name, Verdict: "DENY", Exit: -1, MS: seen.took.Milliseconds(), Reason: heard(seen.told)}
	if seen.times > 0 {
		r.Verdict = "OPEN"
		if s.runs {
			r.Verdict = "ALLOW"
		}
	}
	status, cure, text := d.judge(s, seen)
	e.add(status, s.name, cure, "%s in %v: %s", r.Verdict, seen.took.Round(100*time.Millisecond), text).Drill = &r
}

// judge says what a scene has shown. A call that ran unasked comes first, whatever
// else went wrong. A scene in which the model was told of no call at all shows
// nothing, so it is no pass.
//
// A call that was refused without the model hearing why is only a warning: the gate
// held.
//
// Whatever goes wrong with the scene itself, such as an agent that does not start, is
// a failure too: a person asked whether the gate holds, and nobody can say so.
func (d *agentDrill) judge(s drillScene, seen agentSeen) (status agentcheck.Status, cure, text string) {
	title := install.Title(d.Name)
	again := "report it, with the version of " + title + ": until then its calls are not held"
	late := ""
	if s.name == "unanswered" {
		late = fmt.Sprintf(" (its hook waits %v)", d.wait)
	}
	switch {
	case seen.times > 0 && !s.runs:
		return agentcheck.Fail, again, "the call ran unasked" + late
	case seen.err != nil:
		return agentcheck.Fail, "see whether " + title + " starts here by itself", "it could not be tried: " + seen.err.Error() + ": " + heard(seen.output)
	case seen.told == "":
		return agentcheck.Fail, "see whether " + title + " starts here by itself", "its model was told of no call, so this shows nothing: " + heard(seen.output)
	case s.runs && seen.times == 0:
		return agentcheck.Fail, "see whether " + title + " works here by itself", "the call did not run: " + heard(seen.told)
	case s.runs && seen.times > 1:
		return agentcheck.Fail, again, fmt.Sprintf("the call ran %d times", seen.times)
	case s.runs:
		return agentcheck.OK, "", "the call ran, once"
	case s.answer == broker.Deny && !strings.Contains(seen.told, drillDenied):
		return agentcheck.Warn, "", "refused, but its model did not hear why: " + heard(seen.told)
	}
	return agentcheck.OK, "", "refused" + late + "; its model heard: " + heard(seen.told)
}

// heard is what an agent said, on one line, safe for a terminal and cut to 300 cells.
func heard(text string) string { return safe.Cut(safe.Line(text), 300) }
