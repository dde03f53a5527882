package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// asks is a call that asks one question with these options; the second has a preview.
func asks(question string, multi bool, labels ...string) modelStep {
	options := make([]any, len(labels))
	for i, l := range labels {
		o := map[string]any{"label": l, "description": "what " + l + " means"}
		if i == 1 && !multi {
			o["preview"] = "preview of " + l
		}
		options[i] = o
	}
	return useTool("AskUserQuestion", map[string]any{"questions": []any{
		map[string]any{"question": question, "header": "Choice", "multiSelect": multi, "options": options},
	}})
}

// A person answers the questions of an interactive Claude Code in the console, and the
// model reads the answers: one of several, several, and words of their own; one is
// declined, and one is asked in the agent's own terminal after all.
func TestE2EQuestions(t *testing.T) {
	several := useTool("AskUserQuestion", map[string]any{"questions": []any{
		map[string]any{"question": "Which host?", "header": "Host", "multiSelect": false, "options": []any{
			map[string]any{"label": "alpha", "description": "a"}, map[string]any{"label": "beta", "description": "b"},
		}},
		map[string]any{"question": "Which ports?", "header": "Ports", "multiSelect": true, "options": []any{
			map[string]any{"label": "80", "description": "a"}, map[string]any{"label": "443", "description": "b"},
		}},
	}})
	r := newRig(t, findE2E(t), map[string]modelScript{"": {
		asks("Which database?", false, "Postgres", "SQLite"),
		asks("Which parts?", true, "API", "UI", "Docs"),
		asks("Which name?", false, "shop", "store"),
		several,
		asks("Really?", false, "yes", "no"),
		asks("Here?", false, "here", "there"),
		{Text: "all done"},
	}})
	console := r.console("console")
	agent := r.interactive("do it")

	q := r.opens(console, "Which database?")
	console.marks("2", "(•) SQLite")
	console.shows("preview of SQLite")
	console.press("Enter", q)

	q = r.opens(console, "Which parts?")
	console.marks("3", "[x] Docs")
	console.marks("1", "[x] API")
	console.press("Enter", q)

	q = r.opens(console, "Which name?")
	console.marks("o", "other:")
	console.write("corner shop")
	console.until("Enter", "the words in the form", func() bool { return strings.Contains(console.screen(), "(•) corner shop") })
	console.press("Enter", q)

	q = r.opens(console, "Which host?")
	console.marks("2", "(•) beta")
	console.until("Enter", "the second question", func() bool { return strings.Contains(console.screen(), "Which ports?") })
	console.marks("1", "[x] 80")
	console.marks("2", "[x] 443")
	console.until("Enter", "the overview", func() bool { return strings.Contains(console.screen(), "Your answers") })
	console.shows("→  80, 443")
	console.press("Enter", q)

	q = r.opens(console, "Really?")
	console.until("D", "a line for the reason", func() bool { return strings.Contains(console.screen(), "because:") })
	console.write("ask my boss")
	console.press("Enter", q)

	q = r.waiting("Here?")
	console.shows("Here?")
	console.press("a", q)
	agent.shows("2. there")
	agent.marks("2", "❯ 2. there")
	agent.until("Enter", "the end of the turn", func() bool { return strings.Contains(agent.screen(), "all done") })

	r.told(
		`"Which database?"="SQLite"`, "preview of SQLite", `"Which parts?"="API, Docs"`, `"Which name?"="corner shop"`,
		`"Which host?"="beta"`, `"Which ports?"="80, 443"`, "The user declined to answer: ask my boss", `"Here?"="there"`,
	)
	if r.alarmed() {
		t.Errorf("an answered question is an alarm%s", r.lastScreen())
	}
	by := r.decided("Which database?")
	if !bytes.Contains(by.Outcome.UpdatedInput, []byte(`"answers":{"Which database?":"SQLite"}`)) {
		t.Errorf("the record has %s", by.Outcome.UpdatedInput)
	}
}

// opens waits for a question and opens its form.
func (r *rig) opens(console *terminal, question string) broker.Request {
	r.t.Helper()
	q := r.waiting(question)
	if q.ToolName != "AskUserQuestion" {
		r.t.Fatalf("%s waits, want the question", q.ToolName)
	}
	console.shows(question)
	console.until("Enter", "the form", func() bool { return strings.Contains(console.screen(), "▸ 1 ") })
	return q
}

// marks presses a key once and waits for what it does; a second press would undo it.
func (t *terminal) marks(key, shows string) {
	t.rig.t.Helper()
	t.rig.until(key+" bringing "+shows, func() bool {
		if strings.Contains(t.screen(), shows) {
			return true
		}
		t.key(key)
		return t.rig.within(e2eRepeat, func() bool { return strings.Contains(t.screen(), shows) })
	})
}

const planText = "# The plan\n\n1. Look **around**\n2. Write `made`\n"

// A plan goes back with what is to change, the next one is approved, and the permission
// mode is then the one that asks: the approval widened nothing.
func TestE2EPlan(t *testing.T) {
	r := newRig(t, findE2E(t), nil)
	r.model.Play(map[string]modelScript{"": {
		{Calls: []fakemodel.Call{{Tool: "Write", Input: map[string]any{"file_path": fakemodel.PlanFile, "content": planText}}}},
		useTool("ExitPlanMode", map[string]any{}),
		useTool("ExitPlanMode", map[string]any{}),
		useBash("echo hi > canary"),
		{Text: "all done"},
	}})
	log := filepath.Join(r.dir, "modes")
	script := filepath.Join(r.dir, "modes.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat >> "+log+"\necho >> "+log+"\necho '{}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.alsoHook("PostToolUse", script)
	console := r.console("console")
	agent := r.interactive("do it", "--permission-mode", "plan")

	console.press("a", r.waiting("The plan"))
	q := r.waiting("The plan")
	if q.ToolName != "ExitPlanMode" || q.Mode != "plan" {
		t.Fatalf("%s waits in mode %s, want the plan", q.ToolName, q.Mode)
	}
	console.shows("1. Look around")
	console.until("d", "a line for the comment", func() bool { return strings.Contains(console.screen(), "changes to the plan:") })
	const comment = "look twice (and ask)"
	console.write(comment)
	console.shows(comment)
	console.press("Enter", q)
	r.until("the next plan", func() bool {
		list := r.pending()
		return len(list) == 1 && list[0].ID != q.ID
	})
	again := r.pending()[0]
	if again.ToolName != "ExitPlanMode" || again.Mode != "plan" {
		t.Errorf("%s waits in mode %s, want the plan again", again.ToolName, again.Mode)
	}
	console.shows("1. Look around")
	console.press("a", again)
	call := r.waiting("canary")
	if call.Mode != "default" {
		t.Errorf("after the approval the mode is %q, want default", call.Mode)
	}
	console.press("d", call)
	agent.shows("all done")
	r.told("The user wants changes to the plan: "+comment, "A person denied this call in aoctl")
	if r.exists("canary") {
		t.Error("the denied call ran")
	}
	if r.alarmed() {
		t.Errorf("an approved plan is an alarm%s", r.lastScreen())
	}
	if modes := r.modesAfter(log, "ExitPlanMode"); modes != "default" {
		t.Errorf("the plan's end was reported in mode %q, want default", modes)
	}
}

// modesAfter are the permission modes in which a tool's end was reported.
func (r *rig) modesAfter(log, tool string) string {
	r.t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		r.t.Fatal(err)
	}
	var modes []string
	for line := range strings.Lines(string(text)) {
		var h struct {
			Tool string `json:"tool_name"`
			Mode string `json:"permission_mode"`
		}
		if json.Unmarshal([]byte(line), &h) == nil && h.Tool == tool {
			modes = append(modes, h.Mode)
		}
	}
	return strings.Join(modes, " ")
}
