package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
)

func pid() int { return os.Getpid() }

func pause() { time.Sleep(5 * time.Millisecond) }

// deferred is the id of a call that was put off.
type deferred string

func (deferred) Error() string { return "the call was put off" }

var (
	errStopped   = errors.New("the host ended the turn")
	errCancelled = errors.New("the turn was interrupted")
)

// turn does what a message says and returns the exit code that its end stands for.
func (a *agent) turn(text string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a.mu.Lock()
	a.endTurn = cancel
	a.mu.Unlock()
	a.send(map[string]any{"type": "system", "subtype": "init", "session_id": a.session, "cwd": a.folder, "model": "standin", "permissionMode": "default", "tools": []any{"Bash"}})
	var err error
	if a.again == "" {
		err = a.tell(ctx, "UserPromptSubmit", map[string]any{"prompt": text})
	}
	rest := strings.Split(text, "\n")
	keep := ""
	for i := 0; i < len(rest) && err == nil; i++ {
		err = a.do(ctx, rest[i])
		if id, is := errors.AsType[deferred](err); is {
			keep = string(id) + "\n" + strings.Join(rest[i:], "\n")
		}
	}
	if e := os.WriteFile(a.kept, []byte(keep), 0o600); e != nil { //nolint:gosec // G703: in the trial's own home
		a.note("BROKEN %v", e)
	}
	switch {
	case keep != "":
		a.result("tool_deferred", false, nil)
	case errors.Is(err, errStopped):
		a.result("hook_stopped", false, nil)
	case err != nil:
		a.result("aborted_tools", true, nil)
		return 1
	default:
		_ = a.tell(ctx, "Stop", nil)
		a.result("completed", false, nil)
	}
	return 0
}

// do carries out one instruction.
func (a *agent) do(ctx context.Context, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "run":
		return a.bash(ctx, rest, "")
	case "mark":
		return a.bash(ctx, "mark "+rest, rest)
	case "fat":
		size, file, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(size)
		return a.bash(ctx, "touch "+file+" # "+strings.Repeat("x", n), "")
	case "ask":
		return a.ask(ctx, rest)
	case "say":
		a.say(rest)
	case "big":
		n, _ := strconv.Atoi(rest)
		a.say(strings.Repeat("x", n))
	case "line":
		a.print(rest + "\n")
	case "half":
		a.print(rest)
		os.Exit(3)
	case "unknown":
		a.send(map[string]any{"type": "news", "session_id": a.session})
		_, err := a.question(ctx, "unknown", map[string]any{"subtype": "sing"})
		return err
	case "die":
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "end":
		os.Exit(0)
	case "deaf":
		a.beDeaf()
	case "hang":
		<-ctx.Done()
		return errCancelled
	default:
		a.say("You said: " + line)
	}
	return nil
}

func (a *agent) print(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.out.Write([]byte(text))
}

// callID is a new call's id, or that of the call that was put off.
func (a *agent) callID() string {
	id := "toolu_" + uuid.NewString()
	if a.again != "" {
		id, a.again = a.again, ""
	}
	return id
}

// bash calls Bash. With a mark the answer must hold it.
func (a *agent) bash(ctx context.Context, command, mark string) error {
	id := a.callID()
	in := map[string]any{"command": command, "description": "run it"}
	got, err := a.gate(ctx, id, "Bash", in)
	if err != nil {
		return err
	}
	text := got.reason
	if mark != "" {
		a.came(id, text, !got.runs)
		a.judge(mark, text+string(got.input))
		return nil
	}
	if !got.runs {
		a.note("refused %.80s: %s", command, text)
		a.came(id, text, true)
		a.say("I may not: " + text)
		return nil
	}
	var edited struct{ Command string }
	if json.Unmarshal(got.input, &edited) == nil && edited.Command != "" {
		command = edited.Command
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command) //nolint:gosec // G204: what the trial says
	cmd.Dir = a.folder
	out, err := cmd.CombinedOutput()
	a.note("ran %.80s", command)
	a.came(id, string(out), err != nil)
	in["command"] = command
	return a.tell(ctx, "PostToolUse", map[string]any{
		"tool_name": "Bash", "tool_input": in, "tool_use_id": id,
		"tool_response": map[string]any{"stdout": string(out), "stderr": "", "interrupted": false},
	})
}

// ask calls AskUserQuestion and says what the answer is.
func (a *agent) ask(ctx context.Context, question string) error {
	option := func(label string) map[string]any { return map[string]any{"label": label, "description": label} }
	id := a.callID()
	got, err := a.gate(ctx, id, "AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": question, "header": "Choice", "multiSelect": false, "options": []any{option("yes"), option("no")},
	}}})
	if err != nil {
		return err
	}
	var in struct{ Answers map[string]string }
	_ = json.Unmarshal(got.input, &in)
	a.came(id, string(got.input)+got.reason, !got.runs)
	a.judge(question, in.Answers[question]+got.reason)
	return nil
}

// came says what a call came to.
func (a *agent) came(id, text string, failed bool) {
	a.send(map[string]any{"type": "user", "session_id": a.session, "parent_tool_use_id": nil, "message": map[string]any{
		"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}},
	}})
}

// judge notes whether an answer was for the question that has this mark.
func (a *agent) judge(mark, answer string) {
	if strings.Contains(answer, "answer "+mark) {
		a.note("right %s", mark)
	} else {
		a.note("WRONG %s: %s", mark, answer)
	}
}

// ruling is what the host says about a call.
type ruling struct {
	runs   bool
	reason string
	input  json.RawMessage // in place of what was asked
}

// gate asks the host about a call.
func (a *agent) gate(ctx context.Context, id, tool string, in map[string]any) (ruling, error) {
	a.mu.Lock()
	cb, hooked := a.hooks["PreToolUse"]
	a.mu.Unlock()
	a.send(map[string]any{"type": "assistant", "session_id": a.session, "parent_tool_use_id": nil, "message": map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "standin",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": in}},
	}})
	if !hooked {
		return ruling{runs: true, reason: "nobody wanted to know"}, nil
	}
	r, err := a.callback(ctx, cb, "PreToolUse", map[string]any{"tool_name": tool, "tool_input": in, "tool_use_id": id})
	if err != nil {
		return ruling{}, err
	}
	var h struct {
		Continue *bool  `json:"continue"`
		Stop     string `json:"stopReason"`
		Specific struct {
			Decision string          `json:"permissionDecision"`
			Reason   string          `json:"permissionDecisionReason"`
			Input    json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if failed := r.Subtype != "success" || json.Unmarshal(r.Response, &h) != nil; failed {
		return ruling{runs: !cb.block, reason: "hook failed: " + r.Error}, nil
	}
	if h.Continue != nil && !*h.Continue {
		a.note("refused and stopped: %s", h.Stop)
		return ruling{}, errStopped
	}
	switch h.Specific.Decision {
	case "deny":
		return ruling{reason: h.Specific.Reason}, nil
	case "defer":
		return ruling{}, deferred(id)
	case "ask":
		return ruling{reason: "nobody is there to be asked"}, nil
	}
	return ruling{runs: true, reason: h.Specific.Reason, input: bytes.TrimSpace(h.Specific.Input)}, nil
}

// tell lets the host hear of an event, and waits until it has.
func (a *agent) tell(ctx context.Context, event string, more map[string]any) error {
	a.mu.Lock()
	cb, hooked := a.hooks[event]
	a.mu.Unlock()
	if !hooked {
		return nil
	}
	_, err := a.callback(ctx, cb, event, more)
	return err
}

func (a *agent) callback(ctx context.Context, cb callback, event string, more map[string]any) (reply, error) {
	in := map[string]any{"session_id": a.session, "transcript_path": "", "cwd": a.folder, "permission_mode": "default", "hook_event_name": event}
	for k, v := range more {
		in[k] = v
	}
	return a.question(ctx, event, map[string]any{"subtype": "hook_callback", "callback_id": cb.id, "input": in, "tool_use_id": more["tool_use_id"]})
}

// question asks the host and waits; a turn that ends meanwhile takes it back.
func (a *agent) question(ctx context.Context, what string, request map[string]any) (reply, error) {
	answer := make(chan reply, 1)
	a.mu.Lock()
	a.asked++
	id := fmt.Sprintf("q-%d-%s", a.asked, uuid.NewString()[:8])
	a.waiting[id] = question{a.asked, answer}
	a.mu.Unlock()
	a.send(map[string]any{"type": "control_request", "request_id": id, "request": request})
	select {
	case r := <-answer:
		return r, nil
	case <-ctx.Done():
		a.takeBack(id)
		a.send(map[string]any{"type": "control_cancel_request", "request_id": id})
		a.note("took back %s", what)
		return reply{}, errCancelled
	}
}

func (a *agent) takeBack(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, waits := a.waiting[id]; waits {
		delete(a.waiting, id)
		a.takenBack[id] = a.asked
	}
}

// answered finds the question that r answers, nil when none waits for it. expected says that
// one did, or was taken back while the answer was under way: a host that has answered a
// later question knows that it was.
func (a *agent) answered(r reply) (answer chan<- reply, expected bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q, waits := a.waiting[r.RequestID]; waits {
		delete(a.waiting, r.RequestID)
		maps.DeleteFunc(a.takenBack, func(_ string, asked int) bool { return asked < q.number })
		return q.answer, true
	}
	_, crossed := a.takenBack[r.RequestID]
	delete(a.takenBack, r.RequestID)
	return nil, crossed
}
