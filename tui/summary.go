package tui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// summary is a call on one line.
type summary struct {
	tool  string // safe to draw
	text  string // safe to draw
	added int    // lines, for edits
	gone  int
	edit  bool
	whole bool // text is all that the call says, but for what the agent says about it
	ready bool
}

// summaryOf is r on one line.
func summaryOf(r broker.Request) summary {
	tool, input := r.Call()
	return summarise(tool, input, r.CWD)
}

// mainFields are, for each tool, the fields that tell most about a call.
var mainFields = []string{
	"command", "file_path", "notebook_path", "path", "url", "pattern", "query", "plan", "question", "prompt", "description", "skill", "typed",
}

func newSummary(tool string) summary {
	return summary{tool: safe.Head(toolWord(tool), draw.MaxSummary), ready: true}
}

func summarise(tool string, input json.RawMessage, cwd string) summary {
	s := newSummary(tool)
	c := change.ReadInput(input)
	if c.Broken != "" {
		s.text = safe.Head(string(input), draw.MaxSummary)
		return s
	}
	if cs, ok := change.ReadChanges(tool, c); ok {
		return s.ofChanges(cs, cwd)
	}
	text := mainText(c, cwd)
	if tool == agents.AskUserQuestion {
		text = cmp.Or(forms.Gist(input), text)
	}
	s.text = safe.Head(text, draw.MaxSummary)
	s.whole = tellsAll(c, tool, text) && s.text == safe.Line(text)
	if server, name, ok := splitMCP(tool); ok {
		s.text = safe.Head(server+" "+name, draw.MaxSummary) + "  " + s.text
	}
	return s
}

// ofChanges is s of a call that changes files.
func (s summary) ofChanges(cs change.Changes, cwd string) summary {
	one := cs.List[0]
	s.text = safe.Head(within(one.Path, cwd), draw.MaxSummary)
	switch one.Kind {
	case change.Writes:
		s.text += "  " + draw.Plural(draw.CountLines(one.Text), "line")
		return s
	case change.EditsCell:
		s.text += "  " + safe.Head(one.Cell.Mode+" "+one.Cell.ID, draw.MaxSummary) + "  " + draw.Plural(draw.CountLines(one.Cell.Source), "line")
		return s
	case change.Replaces, change.Patches:
	}
	if n := len(cs.List) - 1; n > 0 {
		s.text += fmt.Sprintf(" and %s", draw.Plural(n, "more file"))
	}
	s.edit = true
	s.added, s.gone = cs.Tally()
	return s
}

// tellsAll reports whether text says all of a call of one field: its very value, in
// letters that are taken for no others.
func tellsAll(c change.Input, tool, text string) bool {
	rest := c.Fields
	if tool == "Bash" {
		rest = c.Without("description")
	}
	if len(rest) != 1 || !change.Contains(mainFields, rest[0].Key) || strings.HasPrefix(tool, "mcp__") {
		return false
	}
	value, ok := change.StringValue(rest[0].Value)
	return ok && value != "" && (value == text || strings.HasSuffix(value, "/"+text)) && len(safe.Notes(tool+"\n"+value)) == 0
}

// toolWord is a tool's name in a list: short for those of MCP servers, whose names
// begin alike and go on in the text beside it, and for a typed command, which is there.
func toolWord(tool string) string {
	if tool == agents.SlashCommand {
		return "Slash"
	}
	if _, _, ok := splitMCP(tool); ok {
		return "MCP"
	}
	return tool
}

// splitMCP takes apart a name such as mcp__github__create_issue.
func splitMCP(tool string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", "", false
	}
	server, name, ok = strings.Cut(rest, "__")
	return server, name, ok && server != "" && name != ""
}

// mainText is the field that tells most, or all of them.
func mainText(c change.Input, cwd string) string {
	for _, key := range mainFields {
		if v, ok := c.Text(key); ok && v != "" {
			if strings.HasSuffix(key, "path") {
				v = within(v, cwd)
			}
			return strings.TrimRight(v, "\n")
		}
	}
	var parts []string
	for _, f := range c.Fields {
		parts = append(parts, f.Key+"="+strings.TrimRight(change.ValueText(f.Value), "\n"))
	}
	return strings.Join(parts, " ")
}

// within leaves the working directory out of a path below it. The detail always
// shows the whole path.
func within(path, cwd string) string {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(cwd, "/")+"/")
	if cwd == "" || !ok || strings.Contains(path, "/../") || rest == "" {
		return path
	}
	return rest
}
