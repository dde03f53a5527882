package callview

import (
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// signs stand for the tools that most calls are made with. Any other tool is named.
var signs = map[string]string{
	"Bash": "$", "Edit": "±", "MultiEdit": "±", "Write": "+", "NotebookEdit": "▤",
	"WebFetch": "↗", "WebSearch": "↗", agents.AskUserQuestion: "?",
}

// toolNames are what tools are called in a row whose own names do not say what they are for.
var toolNames = map[string]string{agents.ExitPlanMode: "plan", "WebSearch": "search"}

// TellsTool reports whether a sign stands for one tool alone.
func TellsTool(sign string) bool {
	n := 0
	for _, s := range signs {
		if s == sign {
			n++
		}
	}
	return n == 1
}

// Lead is what stands before a call's text in a row: the sign of its tool, and a name where the sign
// does not tell which tool it is; safe to draw.
func (s Summary) Lead() (sign, name string) {
	sign, name = signs[s.Tool], toolNames[s.Tool]
	switch {
	case sign != "":
	case s.Edit:
		sign = "±"
	case name == "":
		return "·", s.Tool
	default:
		sign = "·"
	}
	return sign, name
}

// PutWhole draws the lead and the summary on a row, in at most room cells.
func (s Summary) PutWhole(r *draw.Row, tool, text draw.Ink, room int) {
	end := r.Width + room
	sign, name := s.Lead()
	r.Fit(tool, sign+" ", end-r.Width)
	if name != "" {
		r.Fit(tool, name+" ", max(0, min(draw.Cells(name)+1, end-r.Width)))
	}
	s.Put(r, text, max(0, end-r.Width))
}

// Cells is how wide a row's subject is, whole.
func (s Summary) Cells() int {
	sign, name := s.Lead()
	n := draw.Cells(sign+" "+name) + draw.Cells(s.Text)
	if name != "" {
		n++
	}
	if s.Edit {
		n += draw.Cells("  +" + figures.Count(s.Added) + " −" + figures.Count(s.Gone))
	}
	return n
}
