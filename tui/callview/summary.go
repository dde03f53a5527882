package callview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// Summary is a call on one line.
type Summary struct {
	Tool  string // safe to draw
	Text  string // safe to draw
	Added int    // lines, for edits
	Gone  int
	Edit  bool
	Whole bool // text is all that the call says, but for what the agent says about it
	Ready bool
}

// Put draws the summary on a row, in at most room cells; an edit's counts stay in sight when its
// path is cut.
func (s Summary) Put(r *draw.Row, i draw.Ink, room int) {
	if !s.Edit {
		r.Fit(i, s.Text, room)
		return
	}
	plus, minus := "+"+figures.Count(s.Added), "−"+figures.Count(s.Gone)
	n := draw.Cells(plus+minus) + 3
	r.Fit(i, s.Text, room-n).Put(draw.Text, "  ").Put(draw.Added, plus).Put(draw.Text, " ").Put(draw.Removed, minus)
}

// SummaryOf is r on one line.
func SummaryOf(r broker.Request) Summary {
	if r.Outcome != nil && len(r.Outcome.UpdatedInput) > 0 { // it ran as edited, not as asked
		r.ToolInput = r.Outcome.UpdatedInput
	}
	tool, input := r.Call()
	return summarise(tool, input, r.CWD)
}

// MainFields are, for each tool, the fields that tell most about a call.
var MainFields = []string{
	"command", "file_path", "notebook_path", "path", "url", "pattern", "query", "plan", "question", "prompt", "description", "skill", "typed",
}

// NewSummary is the summary of a call of which only the tool is known.
func NewSummary(tool string) Summary {
	return Summary{Tool: safe.Head(ToolWord(tool), draw.MaxSummary), Ready: true}
}

func summarise(tool string, input json.RawMessage, cwd string) Summary {
	s := NewSummary(tool)
	c := change.ReadInput(input)
	if c.Broken != "" {
		s.Text = safe.Head(string(input), draw.MaxSummary)
		return s
	}
	if cs, ok := change.ReadChanges(tool, c); ok {
		return s.OfChanges(cs, cwd)
	}
	text := cmp.Or(gist(tool, c, input, cwd), MainText(c, cwd))
	s.Text = safe.Head(text, draw.MaxSummary)
	s.Whole = tellsAll(c, tool, text) && s.Text == safe.Line(text)
	if server, name, ok := SplitMCP(tool); ok {
		s.Text = safe.Head(server+" "+name, draw.MaxSummary) + "  " + s.Text
	}
	return s
}

// OfChanges is s of a call that changes files.
func (s Summary) OfChanges(cs change.Changes, cwd string) Summary {
	one := cs.List[0]
	s.Text = safe.Head(Within(one.Path, cwd), draw.MaxSummary)
	switch one.Kind {
	case change.Writes:
		s.Text += "  " + figures.Plural(draw.CountLines(one.Text), "line")
		return s
	case change.EditsCell:
		s.Text += "  " + cellWords(one.Cell)
		return s
	case change.Replaces, change.Patches:
	}
	if n := len(cs.List) - 1; n > 0 {
		s.Text += fmt.Sprintf(" and %s", figures.Plural(n, "more file"))
	}
	s.Edit = true
	s.Added, s.Gone = cs.Tally()
	return s
}

// cellWords say what becomes of a notebook's cell; safe to draw.
func cellWords(c change.Cell) string {
	id, lines := safe.Head(c.ID, draw.MaxSummary), figures.Plural(draw.CountLines(c.Source), "line")
	name := strings.TrimSpace("cell " + id)
	if strings.HasPrefix(id, "cell") {
		name = id
	}
	switch {
	case c.Mode == "delete":
		return "deletes " + name
	case c.Mode == "insert" && id == "":
		return "new cell, " + lines
	case c.Mode == "insert":
		return "new cell after " + id + ", " + lines
	case c.Mode == "replace":
		return "replaces " + name + ", " + lines
	}
	return safe.Head(c.Mode, draw.MaxSummary) + " " + id + ", " + lines
}

// tellsAll reports whether text says all of a call of one field: its very value, in
// letters that are taken for no others.
func tellsAll(c change.Input, tool, text string) bool {
	rest := c.Fields
	if tool == "Bash" {
		rest = c.Without("description")
	}
	if tool == agents.ExitPlanMode || len(rest) != 1 || !slices.Contains(MainFields, rest[0].Key) || strings.HasPrefix(tool, "mcp__") {
		return false
	}
	value, ok := change.StringValue(rest[0].Value)
	return ok && value != "" && (value == text || strings.HasSuffix(value, "/"+text)) && len(safe.Notes(tool+"\n"+value)) == 0
}

// ToolWord is a tool's name in a list: short for those of MCP servers, whose names
// begin alike and go on in the text beside it, and for a typed command, which is there.
func ToolWord(tool string) string {
	if tool == agents.SlashCommand {
		return "Slash"
	}
	if _, _, ok := SplitMCP(tool); ok {
		return "MCP"
	}
	return tool
}

// SplitMCP takes apart a name such as mcp__github__create_issue.
func SplitMCP(tool string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", "", false
	}
	server, name, ok = strings.Cut(rest, "__")
	return server, name, ok && server != "" && name != ""
}

// MainText is the field that tells most, or all of them. What an agent says about its call never stands
// for an empty field.
func MainText(c change.Input, cwd string) string {
	empty := false
	for _, key := range MainFields {
		v, ok := c.Text(key)
		if !ok || empty && key == "description" {
			continue
		}
		if v == "" {
			empty = true
			continue
		}
		if strings.HasSuffix(key, "path") {
			v = Within(v, cwd)
		}
		return strings.TrimRight(v, "\n")
	}
	if empty && len(c.Without("description")) == 1 {
		return "(empty)"
	}
	var parts []string
	for _, f := range c.Fields {
		parts = append(parts, f.Key+"="+strings.TrimRight(change.ValueText(f.Value), "\n"))
	}
	return strings.Join(parts, " ")
}

// Within leaves the working directory out of a path below it. The detail always
// shows the whole path.
func Within(path, cwd string) string {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(cwd, "/")+"/")
	if cwd == "" || !ok || strings.Contains(path, "/../") || rest == "" {
		return path
	}
	return rest
}
