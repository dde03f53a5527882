package show

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/sessionnames"
)

// minPrefix is the fewest characters of an id that a table shows, and minEnd the fewest of
// its end that a person may write: as many as the screen has behind a session's name.
const (
	minPrefix = 8
	minEnd    = 4
)

// IDEnds maps every id to its shortest end that no other one shares, of at least minPrefix
// characters. The screen names sessions and rules by their ends as well: the beginnings tell
// only when they were made.
func IDEnds(ids []string) map[string]string {
	turned := make([]string, len(ids))
	for i, id := range ids {
		turned[i] = reversed(id)
	}
	ends := make(map[string]string, len(ids))
	for id, begins := range ShortIDs(turned) {
		ends[reversed(id)] = reversed(begins)
	}
	return ends
}

// reversed is an id backwards. Ids are ASCII; another one stays what it is byte for byte.
func reversed(id string) string {
	b := []byte(id)
	slices.Reverse(b)
	return string(b)
}

// NamesID reports whether a person who writes ref may mean the thing with this id: it is the
// id, its beginning, or enough of its end.
func NamesID(id, ref string) bool {
	return ref != "" && (strings.HasPrefix(id, ref) || len(ref) >= minEnd && strings.HasSuffix(id, ref))
}

// ShortIDs maps every id to its shortest prefix that no other one shares, of at least
// minPrefix characters. A prefix tells the given ids apart only; others may begin like it.
func ShortIDs(ids []string) map[string]string {
	// After sorting, the ids that begin most alike are neighbours, so two comparisons are
	// enough.
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	short := make(map[string]string, len(sorted))
	for i, id := range sorted {
		n := minPrefix
		if i > 0 {
			n = max(n, commonPrefix(id, sorted[i-1])+1)
		}
		if i+1 < len(sorted) {
			n = max(n, commonPrefix(id, sorted[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// commonPrefix is the number of bytes at which a and b begin alike. Ids are ASCII.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// SessionName is what people call s by itself: its name, else its id. Where several
// sessions are shown, SessionNames tells those of one name apart.
func SessionName(s broker.Session) string { return sessionnames.Of(&s) }

// TellingField is the input field by which a person knows a call of each tool. The names
// are those of Claude Code; calls of other agents are put into them where that can be said.
var TellingField = map[string]string{
	"Bash": "command", "Edit": "file_path", "Write": "file_path", "Read": "file_path",
	"NotebookEdit": "notebook_path", "WebFetch": "url", "WebSearch": "query",
	"Glob": "pattern", "Grep": "pattern", "Agent": "description", agents.ExitPlanMode: "plan",
}

// Call is a call on one line: the telling field of a tool that is known, the first question
// of an agent that asks its user, the whole input of any other call. The console shows all
// of it.
//
// The text is the agent's and may hold newlines and anything else. It is not safe for a
// terminal.
func Call(r broker.Request) string {
	var input map[string]json.RawMessage
	var text string
	tool, raw := r.Call()
	if asked := forms.Gist(raw); tool == agents.AskUserQuestion && asked != "" {
		return asked
	}
	if json.Unmarshal(raw, &input) == nil && json.Unmarshal(input[TellingField[tool]], &text) == nil && text != "" {
		return text
	}
	return string(r.ToolInput)
}

// SessionNames says what each session is called among these, as the screen does, by id.
// Commands take the same names, so all sessions should be given and not only those that are
// printed.
func SessionNames(sessions []broker.Session) map[string]string {
	return sessionnames.Labels(sessionnames.All(sessions))
}

// Rule is what a rule matches, on one line, its parameters in the order of the alphabet; of a rule
// about effects it is these. It is not safe for a terminal: rules come from files too.
func Rule(r rules.Rule) string {
	if r.Effects != 0 {
		return r.Effects.String()
	}
	tool := rules.PatternWords(r.Tool)
	if len(r.Where) == 0 {
		return tool
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		parts = append(parts, key+"="+rules.PatternWords(r.Where[key]))
	}
	return tool + " " + strings.Join(parts, " ")
}

// Scope is where a rule holds, on one line; "everywhere" for a scope that names nothing.
// Several parts must all fit.
func Scope(s rules.Scope) string {
	var parts []string
	for _, p := range []struct{ name, value string }{{"", s.Project}, {"session ", s.Session}, {"", s.Agent}} {
		if p.value != "" {
			parts = append(parts, p.name+p.value)
		}
	}
	if len(parts) == 0 {
		return "everywhere"
	}
	return strings.Join(parts, ", ")
}
