package callview

import (
	"encoding/json"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
)

// A row says what a call is about, whatever its tool.
func TestSubjects(t *testing.T) {
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	for _, tc := range []struct{ tool, input, want string }{
		{"Bash", `{"command":"go test"}`, "$ go test"},
		{"Bash", `{"command":""}`, "$ (empty)"},
		{"Bash", `{"command":"","description":"Nothing"}`, "$ (empty)"},
		{"NotebookEdit", `{"notebook_path":"/w/a.ipynb","cell_id":"c1","new_source":"x"}`, "▤ a.ipynb  replaces cell c1, 1 line"},
		{"NotebookEdit", `{"notebook_path":"/w/a.ipynb","cell_id":"c1","new_source":"x","edit_mode":"insert"}`, "▤ a.ipynb  new cell after c1, 1 line"},
		{"NotebookEdit", `{"notebook_path":"/w/a.ipynb","cell_id":"c1","edit_mode":"delete"}`, "▤ a.ipynb  deletes cell c1"},
		{"ExitPlanMode", `{"plan":"# Timeouts for the server\n\nFirst, I …"}`, "· plan Timeouts for the server"},
		{"ExitPlanMode", `{"plan":"## Plan\n\n- **Move** the timeouts. Then test."}`, "· plan Move the timeouts."},
		{"ExitPlanMode", `{"plan":"# Plan: Timeouts\nText"}`, "· plan Timeouts"},
		{"ExitPlanMode", `{"plan":"# Implementation plan\n## Context\n## Steps"}`, "· plan Steps"},
		{"ExitPlanMode", `{"plan":"Here is the plan:\nMove it"}`, "· plan Move it"},
		{"ExitPlanMode", `{"plan":"Plans are useless"}`, "· plan Plans are useless"},
		{"ExitPlanMode", `{"plan":"# Plan"}`, "· plan Plan"},
		{"ExitPlanMode", `{"plan":"# a\u001b[2Jb"}`, `· plan a\x1b[2Jb`},
		{"ExitPlanMode", `{}`, "· plan in the agent's own terminal"},
		{"ExitPlanMode", `{"planFilePath":"/w/plans/a.md"}`, "· plan in plans/a.md"},
		{"TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"},{"content":"c","status":"in_progress"}]}`, "· TodoWrite c  (1 of 3 done)"},
		{"TodoWrite", `{"todos":7}`, "· TodoWrite todos=7"},
		{"Task", `{"subagent_type":"reviewer","description":"Look at it","prompt":"You are"}`, "· Task reviewer: Look at it"},
		{"Agent", `{"prompt":"You are"}`, "· Agent You are"},
		{"WebFetch", `{"url":"https://x.example","prompt":"what"}`, "↗ https://x.example"},
		{"WebSearch", `{"query":"go 1.30"}`, "↗ search go 1.30"},
		{"Grep", `{"pattern":"TODO","path":"/w/src"}`, "· Grep TODO  in src"},
		{"mcp__github__create_issue", `{"title":"x"}`, "· MCP github create_issue  title=x"},
		{"AskUserQuestion", `{"questions":[{"question":"Which one?"}]}`, "? Which one?"},
	} {
		s := SummaryOf(broker.Request{ToolName: tc.tool, ToolInput: json.RawMessage(tc.input), CWD: "/w"})
		if got := s.putWhole(st, 70); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.tool, tc.input, got, tc.want)
		} else if s.Cells() != draw.Cells(got) {
			t.Errorf("%q is %d cells wide, not %d", got, draw.Cells(got), s.Cells())
		}
	}
}

// A long name is whole where there is room, and ends in an ellipsis where there is none.
func TestLongToolName(t *testing.T) {
	st := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
	s := SummaryOf(broker.Request{ToolName: "ListMcpResources", ToolInput: json.RawMessage(`{"server":"db"}`)})
	for room, want := range map[int]string{40: "· ListMcpResources server=db", 14: "· ListMcpReso…", 21: "· ListMcpResources s…"} {
		if got := s.putWhole(st, room); got != want {
			t.Errorf("in %d cells: %q, want %q", room, got, want)
		}
	}
}

func (s Summary) putWhole(st *draw.Styles, room int) string {
	r := st.Row(80)
	s.PutWhole(r, draw.Bold, draw.Text, room)
	return r.String()
}
