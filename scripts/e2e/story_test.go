package e2e

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

const ownTitle = "owned-by-the-tool"

// badDay is a turn in which a call is refused, one fails, and one prints what a terminal
// would obey.
var badDay = map[string]modelScript{"": {
	useBash("echo hi > canary"),
	useBash("echo some words; echo broken >&2; false&&zz; exit 3"),
	useBash(`true || no-such-program; printf '\033]0;` + ownTitle + `\007\033[2J\033[31mred\000\377'`),
	{Text: "I give up."},
}}

func TestE2EStory(t *testing.T) {
	p := findE2E(t)
	for _, tt := range []struct {
		name    string
		play    func(r *rig)
		model   map[string]modelScript
		install []string
	}{
		{"what happened", e2eEvents, badDay, nil},
		{"answered in the agent's terminal", e2eAnsweredThere, oneCall, []string{"--mode", "prompts"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.play(newRig(t, p, tt.model, tt.install...))
		})
	}
}

// line is the first row of the screen that holds all parts, "" when none does.
func (t *terminal) line(parts ...string) string {
	t.rig.t.Helper()
next:
	for row := range strings.Lines(t.screen()) {
		for _, part := range parts {
			if !strings.Contains(row, part) {
				continue next
			}
		}
		return row
	}
	return ""
}

// has waits for a row with all parts.
func (t *terminal) has(parts ...string) {
	t.rig.t.Helper()
	t.rig.until(strings.Join(parts, " … ")+" in a row of "+t.name, func() bool { return t.line(parts...) != "" })
}

// A denied call's next move stands right below it; a failed call says so and has its
// output; what a tool printed draws nothing; the transcript's end is there.
func e2eEvents(r *rig) {
	console := r.console("console")
	agent := r.agent()
	console.press("d", r.waiting("canary"))
	console.press("a", r.waiting("some words"))
	third := r.waiting("printf")
	console.shows("you asked")
	console.has("before", "failed", "echo some words")
	console.until("E", "the session's events", func() bool { return strings.Contains(console.screen(), "Events of") })
	console.has("»", "you asked", `"do it"`)
	rows := strings.Split(console.screen(), "\n")
	for i, row := range rows {
		if strings.Contains(row, "✗ denied") && !strings.Contains(rows[i+1], "echo some words") {
			r.t.Errorf("below the denied call is %q", rows[i+1])
		}
	}
	console.has("✗ denied", "echo hi > canary", "you")
	console.has("✗ failed", "echo some words", "Exit code 3")
	console.until("Escape", "the queue", func() bool { return strings.Contains(console.screen(), "Waiting 1") })
	console.press("a", third)
	agent.completed()

	console.selects()
	console.until("E", "the session's events", func() bool { return strings.Contains(console.screen(), "Events of") })
	console.has("turn end", `"I give up."`)
	console.until("k", "the row of the failed call", func() bool { return strings.Contains(console.line("✗ failed", "echo some words"), "▌") })
	console.key("Enter")
	console.has("│ some words")
	console.has("│ broken")
	r.hostileResult(third)
	console.until("G", "the end", func() bool { return console.line("big dump", "5.1 MB") != "" })
	console.key("Enter")
	console.has("5.1 MB, of which")
	console.has(`\x1b]0;` + ownTitle + `\x07\x1b[2J`)
	if title := console.tmux("display-message", "-p", "-t", console.name, "#{pane_title}"); strings.Contains(title, ownTitle) {
		r.t.Errorf("the terminal's title is %q", title)
	}
	console.until("T", "the transcript", func() bool { return strings.Contains(console.screen(), "Transcript of") })
	console.has("I give up.")
	console.has(".jsonl")
	r.eventsAgree(third.SessionID)
}

// hostileResult reports, as the session's own hook would, a call with five megabytes of
// what no terminal should see.
func (r *rig) hostileResult(of broker.Request) {
	r.t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": of.SessionID, "cwd": r.project, "hook_event_name": "PostToolUse", "tool_name": "mcp__big__dump", "tool_input": map[string]any{},
		"tool_use_id": "toolu_dump", "tool_response": "\x1b]0;" + ownTitle + "\a\x1b[2J" + strings.Repeat("\x00\x1b[31m binary \u202e", 300_000), "duration_ms": 5,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), e2eWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.aoctl, "hook", "claude")
	cmd.Env, cmd.Dir, cmd.Stdin = append(r.env(), "CLAUDECODE=1"), r.project, strings.NewReader(string(payload))
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("the hook: %v\n%s", err, out)
	}
}

// eventsAgree checks that the API and the log tell the same story, and that the log holds.
func (r *rig) eventsAgree(session string) {
	r.t.Helper()
	var events []broker.Event
	if err := r.api.get("/sessions/"+session+"/events", &events); err != nil {
		r.t.Fatal(err)
	}
	var ends []string
	for _, e := range events {
		if e.Type != broker.EventPostTool {
			continue
		}
		var d broker.RanData
		if err := json.Unmarshal(e.Data, &d); err != nil || len(e.Data) > 64<<10 {
			r.t.Errorf("event %d: %d bytes, %v", e.Seq, len(e.Data), err)
		}
		if d.ToolName == "Bash" && (e.RequestID == "" || d.DurationMS == 0) {
			r.t.Errorf("event %d is about no call, or tells no time: %s", e.Seq, e.Data)
		}
		ends = append(ends, map[bool]string{true: "failed", false: "ran"}[d.Failed]+" "+d.ToolName)
	}
	if got := strings.Join(ends, ", "); got != "failed Bash, ran Bash, ran mcp__big__dump" {
		r.t.Errorf("the API tells: %s", got)
	}
	if log := r.run(r.aoctl, "log", "--session", filepath.Base(r.project)); !strings.Contains(log, "failed after") || strings.Contains(log, "\x1b") {
		r.t.Errorf("the log tells:\n%q", log)
	}
	r.run(r.aoctl, "log", "verify")
}

// The person says yes in the agent's own terminal: the card goes, and the record says how.
func e2eAnsweredThere(r *rig) {
	console := r.console("console")
	agent := r.interactive("do it", "--permission-mode", "default")
	q := r.waiting("canary")
	console.shows("echo hi > canary")
	agent.shows("1. Yes")
	agent.until("Enter", "the end of the call", func() bool { return r.exists("canary") })
	r.until("the end of the card", func() bool { return !r.isPending(q.ID) })
	console.selects()
	console.until("E", "the session's events", func() bool { return strings.Contains(console.screen(), "Events of") })
	console.has("✓ ran", "echo hi > canary")
	console.until("Escape", "the main screen", func() bool { return strings.Contains(console.screen(), "Sessions") })
	console.until("h", "the history", func() bool { return strings.Contains(console.screen(), "Decided") })
	console.until("Enter", "the call", func() bool { return strings.Contains(console.screen(), "was answered in the agent's own terminal") })
	console.shows("it ran to its end")
}
