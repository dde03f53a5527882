package callview

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/figures"
)

// gist is what a call is about, for the tools of which no single field tells that; "" for all others,
// and for an input of another shape. It is raw.
func gist(tool string, c change.Input, input json.RawMessage, cwd string) string {
	switch tool {
	case agents.AskUserQuestion:
		return forms.Gist(input)
	case agents.ExitPlanMode:
		return planGist(c, cwd)
	case "TodoWrite":
		return todoGist(c)
	case "Task", "Agent":
		return helperGist(c)
	case "Grep", "Glob":
		return searchGist(c, cwd)
	}
	return ""
}

// planHead is how much of a plan is looked at for its gist, in bytes: headings alone may fill a large one.
const planHead = 16 << 10

// unmarked takes Markdown's signs out of a line.
var unmarked = strings.NewReplacer("**", "", "`", "")

// planGist is the first heading or sentence of a plan. A heading that only says that it is a plan tells
// nothing.
func planGist(c change.Input, cwd string) string {
	text, given := c.Text("plan")
	if path, ok := c.Text("planFilePath"); ok && path != "" && !given {
		return "in " + Within(path, cwd)
	}
	if strings.TrimSpace(text) == "" {
		return "in the agent's own terminal"
	}
	first := ""
	for line := range strings.Lines(text[:min(len(text), planHead)]) {
		line = strings.TrimSpace(unmarked.Replace(line))
		heading := strings.HasPrefix(line, "#")
		if line = strings.TrimLeft(line, "#>*-=_ "); line == "" {
			continue
		}
		first = cmp.Or(first, line)
		if title, ok := planTitle(line); ok {
			return title
		} else if !heading && !strings.HasSuffix(line, ":") {
			return sentence(line)
		} else if heading && title != "" {
			return title
		}
	}
	return first
}

// planTitle is what a line such as "Plan: Move the timeouts" has behind its first words; false when
// that is nothing, or when the line has no such words.
func planTitle(line string) (title string, ok bool) {
	for _, lead := range []string{"implementation plan", "the plan", "plan", "overview", "summary", "context", "goal"} {
		if len(line) < len(lead) || !strings.EqualFold(line[:len(lead)], lead) {
			continue
		}
		rest := line[len(lead):]
		if title = strings.TrimLeft(rest, ":–— -"); title == "" {
			return "", false
		}
		if title != rest && strings.ContainsAny(rest[:len(rest)-len(title)], ":–—-") {
			return title, true
		}
	}
	return line, false
}

// sentence is the first sentence of a line.
func sentence(line string) string {
	if first, _, ok := strings.Cut(line, ". "); ok {
		return first + "."
	}
	return line
}

// todoGist is what the agent works on, and how much of its list is done.
func todoGist(c change.Input) string {
	raw, _ := c.Raw("todos")
	var list []struct{ Content, Status string }
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return ""
	}
	done, now, next := 0, "", ""
	for _, t := range list {
		switch t.Status {
		case "completed":
			done++
		case "in_progress":
			now = cmp.Or(now, t.Content)
		default:
			next = cmp.Or(next, t.Content)
		}
	}
	count := figures.Count(done) + " of " + figures.Count(len(list)) + " done"
	if text := cmp.Or(now, next); text != "" {
		return text + "  (" + count + ")"
	}
	return count
}

// helperGist is which sub-agent is to do what.
func helperGist(c change.Input) string {
	name, _ := c.Text("subagent_type")
	what, _ := c.Text("description")
	if what == "" {
		what, _ = c.Text("prompt")
	}
	if name == "" || what == "" {
		return what
	}
	return name + ": " + what
}

// searchGist is what is sought, and where.
func searchGist(c change.Input, cwd string) string {
	pattern, _ := c.Text("pattern")
	path, _ := c.Text("path")
	if pattern == "" || path == "" {
		return pattern
	}
	return pattern + "  in " + Within(path, cwd)
}
