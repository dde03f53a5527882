package agents

import (
	"bytes"
	"encoding/json"

	"github.com/aoctl/aoctl/broker/wire"
)

// A tool of an agent, in the words that all agents share. A tool that is missing in a table keeps
// its name and is vouched for by nobody: rules for it must name it as its agent does.
type tool struct {
	name   string            // what Claude Code calls such a tool
	params map[string]string // the agent's name of a parameter → the common one, where they differ
}

// The common names of the tools by which an agent puts something to its user.
const (
	AskUserQuestion = "AskUserQuestion"
	ExitPlanMode    = "ExitPlanMode"
)

// commonNames are the tools whose names mean something to rules, risk and the screen. An agent's
// own tool with one of these names that its table does not list gets the agent's name before it,
// so that no rule for "Read" speaks about it.
var commonNames = map[string]bool{
	"Bash": true, "Read": true, "Edit": true, "MultiEdit": true, "Write": true, "NotebookEdit": true, "Glob": true, "Grep": true,
	"LS": true, "NotebookRead": true, "WebFetch": true, "WebSearch": true, "Agent": true, "Task": true, "Monitor": true, "PowerShell": true,
	"AskUserQuestion": true, "ExitPlanMode": true, "TodoWrite": true, "apply_patch": true,
	"BashOutput": true, "TodoRead": true, "TaskCreate": true, "TaskUpdate": true, "TaskGet": true, "TaskList": true, "TaskOutput": true,
	"ToolSearch": true, "EnterPlanMode": true, "CronCreate": true, "ScheduleWakeup": true,
}

// Common puts a call of agent into the words that rules, risk and the screen know:
// those of Claude Code. sure reports whether agent's dialect vouches for what the tool
// does; one that it does not know keeps its own name, or gets the agent's name before it
// where it would be taken for a tool that it is not. Parameters that have no common name
// stay as they are, but for those that would be taken for one that the tool reads: they
// get the agent's name before theirs.
//
// The names of agents that have no dialect mean what their caller says.
func Common(agent, name string, input json.RawMessage) (common string, in json.RawMessage, sure bool) {
	d, ok := dialects[agent]
	if !ok {
		return name, input, false
	}
	common, in, sure = d.Common(name, input)
	// A dialog is known as one even where its input has a shape of its own, so that no rule
	// allows it.
	if dialog := known[agent].dialogs[name]; !sure && dialog != "" {
		return dialog, input, true
	}
	return common, in, sure
}

// startNames are the names that rules and risk know for such a parameter.
var startNames = []string{"workdir", "cwd", "dir", "directory", "dir_path"}

// commonIn is Common by agent's table of tools. known is false when any parameter had to be
// renamed away: what the tool does with it, nobody knows.
func commonIn(tools map[string]tool, agent, name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	t, ok := tools[name]
	if ok {
		strange := t.strange(agent, input)
		if in, ok = renamed(input, t.params, strange); ok {
			return t.name, in, len(strange) == 0
		}
	}
	if commonNames[name] {
		name = agent + ":" + name
	}
	return name, input, false
}

// strange are the parameters of input that agent's tool does not read, although their
// common names say otherwise, and what they are called instead: one that has the common
// name of another that is there too, and a folder that the command line does not start in.
func (t tool) strange(agent string, input json.RawMessage) map[string]string {
	fields, err := wire.Fields(input)
	if err != nil {
		return nil
	}
	has := make(map[string]bool, len(fields))
	for _, f := range fields {
		has[f.Key] = true
	}
	list := map[string]string{}
	add := func(key string) {
		if has[key] && t.params[key] == "" {
			list[key] = agent + ":" + key
		}
	}
	for own, key := range t.params {
		if has[own] && own != key {
			add(key)
		}
	}
	// The folder in which a line starts decides what its paths mean, so one that the tool does
	// not read must not look like it.
	if t.name == "Bash" || t.name == "Monitor" {
		for _, key := range startNames {
			if key != known[agent].startsIn {
				add(key)
			}
		}
	}
	return list
}

// renamed is input with other names for some keys, by the first of the lists that has
// them, in the same order and with the very bytes of their values; false when that cannot
// be told from another input: a name that is there already, or an input that is not one
// strict object.
//
// Bytes of values are never changed, because the digest, the screen and the agent must speak of
// the same ones.
func renamed(input json.RawMessage, lists ...map[string]string) (json.RawMessage, bool) {
	fields, err := wire.Fields(input)
	if err != nil {
		return input, false
	}
	name := func(key string) string {
		for _, names := range lists {
			if to := names[key]; to != "" {
				return to
			}
		}
		return key
	}
	changed := false
	for _, f := range fields {
		changed = changed || name(f.Key) != f.Key
	}
	if !changed {
		return input, true
	}
	taken := make(map[string]bool, len(fields))
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fields {
		key := name(f.Key)
		if taken[key] {
			return input, false
		}
		taken[key] = true
		if i > 0 {
			b.WriteByte(',')
		}
		word, _ := json.Marshal(key) //nolint:errchkjson // strings never fail
		b.Write(word)
		b.WriteByte(':')
		b.Write(f.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), true
}
