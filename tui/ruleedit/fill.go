package ruleedit

import (
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// fill puts tool and patterns of r into the form. Everything else stays, so that
// another pattern can be looked at without losing what was chosen beside it. It keeps
// the focus where it still exists.
func (f *form) fill(r rules.Rule) {
	f.tool, f.more, f.dangerous = text.NewLine(r.Tool), text.NewLine(""), r.Dangerous
	f.about, f.effects = r.Effects != 0, text.NewLine(r.Effects.String())
	f.effects.Most = mostEffects
	f.where = nil
	for _, name := range words.Where(r) {
		f.where = append(f.where, whereLine{name: name, pattern: newPattern(r.Where[name])})
	}
	// A new rule without a pattern gets an empty line for the parameter that it will
	// most likely be about. A rule that holds is shown as it is.
	if name := mainParameter(r.Tool); len(f.where) == 0 && name != "" && r.ID == "" {
		f.where = []whereLine{{name: name, pattern: newPattern(""), follows: true}}
	}
	// Another pattern may have fewer parameters than the one before.
	if f.focus.kind == fieldWhere && f.focus.n >= len(f.where) {
		f.focus = field{}
	}
}

// mostEffects is enough for the names of all effects.
const mostEffects = 150

// newPattern is a line for a pattern, no longer than a rule takes.
func newPattern(s string) text.Line {
	l := text.NewLine(s)
	l.Most = patterns.MaxPattern
	return l
}

// mainParameter is the parameter that rules about a tool are mostly about; "" for a
// tool that is not known. The names are those of Claude Code's tools.
func mainParameter(tool string) string {
	switch tool {
	case "Bash", "PowerShell":
		return "command"
	case "Read", "Edit", "Write", "MultiEdit":
		return "file_path"
	case "NotebookEdit":
		return "notebook_path"
	case "Glob", "Grep", "LS":
		return "path"
	case "WebFetch":
		return "url"
	case "WebSearch":
		return "query"
	}
	return ""
}

// exactRule names one call and no other: what a refusing rule begins with when nothing
// better is offered. It never begins with a wider one, for which the operator has to
// ask. A call whose tool has no field that says most gets a rule for the tool alone.
func exactRule(r broker.Request) rules.Rule {
	// Call has the tool by the common name and the input that is in force.
	tool, input := r.Call()
	rule := rules.Rule{Tool: exactPattern("tool", tool), Decision: rules.Deny}
	c := change.ReadInput(input)
	for _, name := range callview.MainFields {
		if v, ok := c.Text(name); ok && v != "" {
			p := exactPattern(name, v)
			// The rule would be refused when it is saved, and its pattern could not be
			// read on the screen.
			if len(p) > patterns.MaxPattern || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsPrint(r) }) {
				p = "" // no pattern may hold it: the operator has to find one
			}
			rule.Where = map[string]string{name: p}
			return rule
		}
	}
	return rule
}

// exactPattern is the pattern that fits the value v of a parameter and nothing else. A
// command is compared as a line; in paths and in everything else other signs have a
// meaning, so each kind escapes its own.
func exactPattern(name, v string) string {
	special := `\*|`
	switch {
	case name == "command":
		return "line:" + v
	case strings.HasSuffix(name, "path"):
		special = `\*?[]{},|`
	}
	var b strings.Builder
	// A value that looks like a regular expression must not become one.
	if strings.HasPrefix(v, "re:") {
		b.WriteByte('\\')
	}
	// Bytes are enough: all special signs are ASCII, and no byte of a longer sign is
	// one of them.
	for i := range len(v) {
		if strings.IndexByte(special, v[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(v[i])
	}
	return b.String()
}
