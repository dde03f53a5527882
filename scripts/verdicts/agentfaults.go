package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/scripts/internal/visit"
)

// agentFault is a fault as a real agent meets it.
type agentFault struct {
	fault

	mode    drill.Mode
	only    []string // agents that it is about; nil: all
	times   int      // for what happens only sometimes
	unheard bool     // the agent may end with it, and then tells its model nothing
	stays   bool     // what the model is told of one call is not the end
	waits   time.Duration
	known   string // the agent whose call runs, against which nothing helps (docs/agents.md)

	// befalls, once the agent runs: what happens to it.
	befalls func(ctx context.Context, s *scene) error
}

func (f agentFault) concerns(a realAgent) bool {
	if f.mode == drill.Interactive && a.Name == "cursor" && f.stays {
		return false // there is no terminal interface of it, so no second session in it
	}
	return a.Can(f.mode) && (f.only == nil || slices.Contains(f.only, a.Name))
}

// scene is an agent that a fault befalls.
type scene struct {
	*world
	*visit.Visit

	client client
}

var permitted = agentFault{fault: fault{name: "control: a person allows", want: allow, prepare: serving(allows), timeout: time.Minute}}

// Times that the installed hooks are given: one that is waited out, and one that is not.
const (
	soon   = 2 * time.Second
	longer = 45 * time.Second
	// forTwo is longer than a second session takes to start beside others.
	forTwo = 2 * time.Minute
	// beyondCaps is longer than any agent was seen to wait that has a limit of its own.
	beyondCaps = 66 * time.Second
)

// agentFaults are what can be shown in a run of a few seconds, and the agents' own limits.
func agentFaults() []agentFault {
	var list []agentFault
	for _, f := range clientFaults() {
		f.timeout = soon
		list = append(list, agentFault{fault: f})
	}
	list = append(list, deaths(drill.Interactive)...)
	list = append(list, deaths(drill.Headless)...)
	list = append(list, others()...)
	return append(list,
		agentFault{fault: fault{name: "an editor's prompt, and no console", timeout: soon}, mode: drill.ACP, unheard: true},
		agentFault{fault: fault{name: "an editor's prompt, and nobody answers", prepare: serving(holds), timeout: soon}, mode: drill.ACP, unheard: true},
		agentFault{fault: fault{name: "an editor's prompt, and a person denies", prepare: serving(denies), timeout: longer}, mode: drill.ACP, unheard: true},
		unanswered(drill.Headless), unanswered(drill.Interactive),
	)
}

// clientFaults befall the hook client or its console.
func clientFaults() []fault {
	list := []fault{
		{name: "console stopped past the deadline", prepare: serving(waits), meanwhile: whenWaiting((*console).pause)},
		{name: "console killed while the call waits", prepare: serving(waits), meanwhile: whenWaiting((*console).kill)},
		{name: "client killed while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGKILL))},
		{name: "client aborted while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGABRT))},
		{name: "client told to end while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGTERM))},
		{name: "memory: 16 MiB", alter: generous(func(_ *world, s *start) { s.line = "ulimit -v 16384; " + s.line })},
	}
	also := []string{
		"no console", "a regular file", "junk", "an allow without HTTP", "an empty 200", "HTML", "500 and an allow", "truncated JSON",
		"an answer for another call", "silence", "wait, for ever", "the program is missing", "the program is another one that fails",
	}
	for _, f := range allFaults() {
		if slices.Contains(also, f.name) {
			list = append(list, f)
		}
	}
	return list
}

// deaths are what ends the agent, its hook or both while the call waits.
func deaths(m drill.Mode) []agentFault {
	var list []agentFault
	add := func(times int, unheard bool, name string, befalls func(ctx context.Context, s *scene) error) {
		list = append(list, agentFault{
			fault: fault{name: name, prepare: serving(holds), timeout: longer}, mode: m, times: times, unheard: unheard, befalls: befalls,
		})
	}
	if m == drill.Interactive {
		add(3, true, "its terminal is closed", whileWaiting(func(ctx context.Context, s *scene, _ int) error { return s.CloseTerminal(ctx, "first") }))
		add(1, true, "the terminal's program is killed", whileWaiting(func(ctx context.Context, s *scene, _ int) error {
			pid, err := s.TerminalProgram(ctx)
			if err == nil {
				visit.Signal(syscall.SIGKILL, pid)
			}
			return err
		}))
	}
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		add(2, true, name(sig)+" to the agent's group", whileWaiting(func(_ context.Context, s *scene, _ int) error {
			for _, leader := range s.Agents() {
				visit.Signal(sig, -leader)
			}
			return nil
		}))
		add(2, true, name(sig)+" to all its processes", whileWaiting(func(_ context.Context, s *scene, _ int) error {
			visit.Signal(sig, s.Processes()...)
			return nil
		}))
	}
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		add(1, sig == syscall.SIGINT, name(sig)+" to the hook's shell", whileWaiting(func(_ context.Context, s *scene, client int) error {
			visit.Signal(sig, s.Shell(client))
			return nil
		}))
		add(1, true, name(sig)+" to the hook's group", whileWaiting(func(_ context.Context, s *scene, client int) error {
			visit.Signal(sig, -s.Group(client))
			return nil
		}))
	}
	for i := range list {
		if strings.HasPrefix(list[i].name, name(syscall.SIGKILL)+" to the hook's ") {
			list[i].known = "codex" // it looks at how a hook exits alone, and a signal is no exit
		}
	}
	return list
}

// others are what happens to another session of the same agent, whose call waits too.
func others() []agentFault {
	two := func(name string, act func(ctx context.Context, s *scene) error) agentFault {
		return agentFault{
			fault: fault{name: name, prepare: serving(holds), timeout: forTwo}, mode: drill.Interactive, times: 2, unheard: true, stays: true,
			befalls: func(ctx context.Context, s *scene) error {
				// Soon: one that is slow to start must not outlast the other's wait. But not at once: of two
				// that make the same new folder ready, one may never draw anything (opencode).
				if err := s.AwaitScreen(ctx); err != nil {
					return err
				}
				if err := s.OpenTerminal(ctx, "second"); err != nil {
					return err
				}
				for n := range 2 {
					if _, err := s.waiting(n + 1); err != nil {
						return err
					}
				}
				return act(ctx, s)
			},
		}
	}
	return []agentFault{
		two("another session's terminal is closed", func(ctx context.Context, s *scene) error { return s.CloseTerminal(ctx, "second") }),
		two("another session is ended in the console", func(ctx context.Context, s *scene) error { return s.aoctl(ctx, "stop", "--kill", "--yes") }),
		two("another session is stopped", func(ctx context.Context, s *scene) error { return s.aoctl(ctx, "stop") }),
	}
}

// unanswered is a call that nobody answers, with what aoctl installs by itself.
func unanswered(m drill.Mode) agentFault {
	return agentFault{
		fault: fault{name: "nobody answers for " + beyondCaps.String(), prepare: serving(holds)}, mode: m, unheard: true, waits: beyondCaps,
		befalls: func(ctx context.Context, s *scene) error {
			if _, err := s.waiting(1); err != nil {
				return err
			}
			for end := time.Now().Add(beyondCaps); time.Now().Before(end) && ctx.Err() == nil && !s.Over() && s.Told() == ""; {
				if ran, err := s.Ran(); ran || err != nil {
					return err
				}
				sleep(ctx, watchStep)
			}
			return nil
		},
	}
}

// whileWaiting acts once the call waits at the console; client is its hook client.
func whileWaiting(act func(ctx context.Context, s *scene, client int) error) func(context.Context, *scene) error {
	return func(ctx context.Context, s *scene) error {
		clients, err := s.waiting(1)
		if err != nil {
			return err
		}
		return act(ctx, s, clients[0])
	}
}

// waiting waits for one more call at the console, and until n clients wait there: those of
// hooks that only tell something wait for nothing, and are given no more time.
func (s *scene) waiting(n int) ([]int, error) {
	if err := s.console.await("pending"); err != nil {
		return nil, err
	}
	for end := time.Now().Add(agentPatience); time.Now().Before(end); time.Sleep(watchStep) {
		if clients := s.Clients(s.client.program(), "--at-most"); len(clients) >= n {
			return clients, nil
		}
	}
	return nil, errors.New("the call waits, and no client asks for it")
}

// aoctl does something to the session that asked last.
func (s *scene) aoctl(ctx context.Context, words ...string) error {
	run := func(words ...string) (string, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(s.client.program()), "aoctl"), words...) //nolint:gosec // G204: the program under trial
		cmd.Env = []string{"HOME=" + s.dir, "AOCTL_HOME=" + s.home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("aoctl %s: %w: %s", strings.Join(words, " "), err, out)
		}
		return string(out), nil
	}
	id, err := lastSession(run("pending", "--json"))
	if err == nil {
		_, err = run(append(words, id)...)
	}
	return err
}

// lastSession is the session of the call that has waited the shortest, as aoctl prints it.
func lastSession(pending string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var calls []struct {
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(pending), &calls); err != nil || len(calls) == 0 {
		return "", errors.Join(fmt.Errorf("no session asks: %s", pending), err)
	}
	return calls[len(calls)-1].SessionID, nil
}
