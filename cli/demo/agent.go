package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/usage"
)

const (
	hookTimeout = "10m"
	hookAtMost  = "1h"
	toolTime    = 400 * time.Millisecond // what an allowed call pretends to take
	goodbye     = 4 * time.Second        // from the last answer to the end of the session
	stopTime    = 3 * time.Second        // what agents have to leave in when the demo ends
)

// newDemoAgentCommand is one of the demo's agents: a process of its own, as real
// agents are, so that the console sees it come and go. It ends with its standard
// input, and so with the demo even when that was killed. --pace is for tests, which do
// not wait.
func newDemoAgentCommand() *cobra.Command {
	var folder, speed string
	cmd := &cobra.Command{
		Use:     "demo-agent NAME",
		Short:   "Play one of the demo's agents",
		Hidden:  true,
		Long:    "demo-agent plays one of the demo's agents against the console whose folder is given. It runs nothing but the hook client.",
		Example: "  aoctl demo-agent docs --folder /tmp/aoctl-demo-1",
		Args:    usage.OneArg("an agent's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pace, err := strconv.ParseFloat(speed, 64)
			if err != nil || pace < 0 {
				return usage.Error{Text: fmt.Sprintf("--pace %q is no number", speed), Hint: usage.HelpHint(cmd)}
			}
			for _, s := range script {
				if s.name == args[0] {
					d := demoFolder(folder)
					// The demo has set the same for us. An agent that is started by
					// hand must not reach the user's own console either.
					if err := d.enter(); err != nil {
						return err
					}
					return play(cmd.Context(), d, s, pace, cmd.InOrStdin())
				}
			}
			return usage.Error{Text: fmt.Sprintf("the demo has no agent called %q", args[0])}
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "the demo's folder")
	cmd.Flags().StringVar(&speed, "pace", "1", "factor on all waiting times")
	// Without a folder there is no console to ask, and no project to work in.
	_ = cmd.MarkFlagRequired("folder")
	return cmd
}

// agents are the running agents of one demo. It is used by one goroutine.
type agents struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// startAgents starts a process for each of the demo's agents. Call stop on what it
// returns, also with an error: some may run already.
func startAgents(ctx context.Context, folder demoFolder) (*agents, error) {
	ctx, cancel := context.WithCancel(ctx)
	agents := &agents{cancel: cancel}
	// The agents are this very program, so they speak the console's protocol whatever
	// is installed.
	exe, err := os.Executable()
	if err != nil {
		return agents, fmt.Errorf("find the program itself: %w", err)
	}
	for _, s := range script {
		cmd := exec.CommandContext(ctx, exe, "demo-agent", s.name, "--folder", string(folder)) //nolint:gosec // our own program
		// An agent that is asked to end can still tell the console so.
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = stopTime
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // away from the console's terminal
		if _, err := cmd.StdinPipe(); err != nil {           // held open; its end tells the agent that the demo is over
			return agents, fmt.Errorf("start the demo's agents: %w", err)
		}
		if err := cmd.Start(); err != nil {
			return agents, fmt.Errorf("start the demo's agents: %w", err)
		}
		// Somebody has to wait for each process, or it would stay in the table until
		// the demo ends.
		agents.wg.Go(func() { _ = cmd.Wait() })
	}
	return agents, nil
}

// stop ends all agents and waits until they are gone, for their folder is removed
// next.
func (a *agents) stop() {
	a.cancel()
	a.wg.Wait()
}

// agent is one agent while it plays. Its lanes run at the same time, so only stopped
// changes.
type agent struct {
	script   session
	folder   demoFolder
	exe      string
	pace     float64
	id       string // the session's
	promptID string
	stopped  atomic.Bool // the console ended the turn
}

// play goes through s as Claude Code would: it asks before every call, waits for the
// answer, reports what came of it, and runs nothing. It returns when the script is
// over, when ctx ends or when stdin does.
func play(ctx context.Context, folder demoFolder, s session, pace float64, stdin io.Reader) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program itself: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Standard input is a pipe of the demo's that nobody writes to, so only its end
	// can come.
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer cancel()
		_, _ = io.Copy(io.Discard, stdin) // its end is the news
	}()
	// Every run of the demo has sessions of its own, as real agents do.
	a := &agent{script: s, folder: folder, exe: exe, pace: pace, id: uuid.NewString(), promptID: uuid.NewString()}
	a.tell(ctx, "SessionStart", map[string]any{"source": "startup", "model": "claude-opus-5-5"})
	a.tell(ctx, "UserPromptSubmit", map[string]any{"prompt": s.prompt})
	var lanes sync.WaitGroup
	// All lanes ask at once, so that several calls wait at the same time.
	for _, lane := range s.lanes {
		lanes.Go(func() { a.playLane(ctx, lane) })
	}
	lanes.Wait()
	// The turn ends when all lanes have, also when one of them was stopped.
	a.tell(ctx, "Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "Done."})
	if a.stopped.Load() {
		<-over // a stopped agent stays at its prompt
		return nil
	}
	a.pause(ctx, goodbye)
	a.tell(ctx, "SessionEnd", map[string]any{"reason": "prompt_input_exit"})
	return nil
}

// playLane makes the calls of one agent or sub-agent, one after the other. A refused
// call is passed over, as an agent would try something else; an answer that ends the
// turn ends all lanes.
func (a *agent) playLane(ctx context.Context, lane lane) {
	identity := map[string]any{}
	if lane.subagent != "" {
		identity["agent_id"] = lane.subagentID
		identity["agent_type"] = lane.subagent
		a.tell(ctx, "SubagentStart", identity)
		defer a.tell(ctx, "SubagentStop", merge(identity, map[string]any{"stop_hook_active": false}))
	}
	for _, call := range lane.calls {
		a.pause(ctx, call.after)
		if ctx.Err() != nil || a.stopped.Load() {
			return
		}
		asked := a.localize(call.input)
		fields := merge(identity, map[string]any{
			"tool_name": call.tool, "tool_input": asked,
			"tool_use_id": "toolu_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:24],
		})
		answer := a.tell(ctx, "PreToolUse", fields)
		if answer.ends() {
			a.stopped.Store(true)
			return
		}
		if !answer.allows() {
			continue
		}
		a.pause(ctx, toolTime)
		fields["tool_input"] = answer.runs(asked)
		fields["tool_response"] = map[string]any{"stdout": "(the demo runs nothing)", "stderr": "", "interrupted": false}
		fields["duration_ms"] = toolTime.Milliseconds()
		if a.tell(ctx, "PostToolUse", fields).ends() {
			a.stopped.Store(true)
			return
		}
	}
}

// localize is input as JSON, with paths in the demo's own folder. HTML is not escaped,
// as Claude Code does not: the screen is to show what a real one would send.
func (a *agent) localize(input any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(input); err != nil {
		panic(err) // the script is part of the program
	}
	return json.RawMessage(strings.ReplaceAll(strings.TrimSpace(b.String()), projectMark, a.folder.project(a.script.name)))
}

// pause waits d at the demo's pace, or until ctx ends. A pace of 0 does not wait.
func (a *agent) pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(time.Duration(float64(d) * a.pace))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// verdict is what the hook client printed; the zero value refuses, as an agent with a
// fail-closed hook does. The form is that of Claude Code's hook reference.
type verdict struct {
	Continue *bool `json:"continue"`
	Specific struct {
		Decision string          `json:"permissionDecision"`
		Updated  json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// allows reports whether the call may run: anything but "allow" is a refusal. ends
// reports whether the console ended the turn: a missing member means that it did not.
func (d verdict) allows() bool { return d.Specific.Decision == "allow" }

// runs is the input that the call runs with: the one that came back, else the one asked with.
func (d verdict) runs(asked json.RawMessage) json.RawMessage {
	if len(d.Specific.Updated) > 0 {
		return d.Specific.Updated
	}
	return asked
}

func (d verdict) ends() bool { return d.Continue != nil && !*d.Continue }

// tell runs the hook client with one event, as Claude Code does: a line of JSON in, a
// line of JSON out. Whatever goes wrong gives the zero verdict, which refuses.
func (a *agent) tell(ctx context.Context, event string, extra map[string]any) verdict {
	cwd := a.folder.project(a.script.name)
	// The members are those that Claude Code sends with every event.
	payload := merge(extra, map[string]any{
		"session_id": a.id, "transcript_path": cwd + "/.transcript.jsonl", "cwd": cwd,
		"prompt_id": a.promptID, "permission_mode": "default", "hook_event_name": event,
	})
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(payload); err != nil {
		panic(err) // made of what the script holds
	}
	cmd := exec.CommandContext(ctx, a.exe, "hook", "claude", "--timeout", hookTimeout, "--at-most", hookAtMost) //nolint:gosec // our own program
	cmd.Dir = cwd
	cmd.Env = a.environ(cwd)
	cmd.Stdin = &line
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTime / 2
	out, err := cmd.Output()
	var answer verdict
	// A client that refuses exits with an error, and its standard output is empty.
	if err != nil || json.Unmarshal(out, &answer) != nil {
		return verdict{}
	}
	return answer
}

// environ is this process's environment with Claude Code's tell-tales instead of those
// of whatever agent the demo may have been started from.
func (a *agent) environ(cwd string) []string {
	return append(client.WithoutAgent(os.Environ()), "CLAUDECODE=1", "CLAUDE_PID="+strconv.Itoa(os.Getpid()),
		"CLAUDE_PROJECT_DIR="+cwd, "CLAUDE_CODE_SESSION_ID="+a.id)
}

// merge is a new map with the entries of all maps; later ones win. The parts stay as
// they are.
func merge(parts ...map[string]any) map[string]any {
	all := map[string]any{}
	for _, m := range parts {
		maps.Copy(all, m)
	}
	return all
}
