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

// fill puts tool and patterns of r into the form.
func (f *form) fill(r rules.Rule) {
	f.tool, f.more, f.dangerous = text.NewLine(r.Tool), text.NewLine(""), r.Dangerous
	f.where = nil
	for _, name := range words.Where(r) {
		f.where = append(f.where, whereLine{name: name, pattern: newPattern(r.Where[name])})
	}
	if name := mainParameter(r.Tool); len(f.where) == 0 && name != "" && r.ID == "" {
		f.where = []whereLine{{name: name, pattern: newPattern(""), follows: true}}
	}
	if f.focus.kind == fieldWhere && f.focus.n >= len(f.where) {
		f.focus = field{}
	}
}

func newPattern(s string) text.Line {
	l := text.NewLine(s)
	l.Most = patterns.MaxPattern
	return l
}

// mainParameter is the parameter that rules about a tool are mostly about.
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
// better is offered.
func exactRule(r broker.Request) rules.Rule {
	tool, input := r.Call()
	rule := rules.Rule{Tool: exactPattern("tool", tool), Decision: rules.Deny}
	c := change.ReadInput(input)
	for _, name := range callview.MainFields {
		if v, ok := c.Text(name); ok && v != "" {
			p := exactPattern(name, v)
			if len(p) > patterns.MaxPattern || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsPrint(r) }) {
				p = "" // no pattern may hold it: the operator has to find one
			}
			rule.Where = map[string]string{name: p}
			return rule
		}
	}
	return rule
}

// exactPattern is the pattern that fits the value v of a parameter and nothing else.
func exactPattern(name, v string) string {
	special := `\*|`
	switch {
	case name == "command":
		return "line:" + v
	case strings.HasSuffix(name, "path"):
		special = `\*?[]{},|`
	}
	var b strings.Builder
	if strings.HasPrefix(v, "re:") {
		b.WriteByte('\\')
	}
	for i := range len(v) {
		if strings.IndexByte(special, v[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(v[i])
	}
	return b.String()
}
