package rules

import (
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/wire"
)

// Unread is the call of q when nothing of it may be parsed, why being the reason as the
// end of a sentence about it. It is dangerous, and no rule may allow it; rules that refuse
// search the raw text of its command line.
func Unread(q Question, why string) *Call {
	c := &Call{q: q, dir: q.Place.CWD, unread: why}
	c.project = [2]string{q.Place.Project, strings.ToLower(first(q.Place.Project, q.Place.CWD))}
	c.doubt(why)
	c.elems = []elem{{kind: toolKind, unsure: why}}
	if param, ok := CommandParam(q.Tool); ok {
		c.raw = rawParam(q.Input, param)
		c.trimmed = strings.TrimSpace(c.raw)
		c.line = &shell.Line{Raw: c.raw, Elements: []shell.Element{{Kind: shell.Unknown, Text: c.raw, Unsure: why}}}
		c.elems[0].kind = shell.Unknown
		c.unclear, c.text = true, patterns.ReadText(c.raw)
	}
	text := risk.Finding{Class: risk.Dangerous, Why: why}
	c.risk = risk.Risk{Class: risk.Dangerous, Why: why, Findings: []risk.Finding{text}}
	return c
}

// Unread is why nothing of the call was parsed, "" when it was.
func (c *Call) Unread() string { return c.unread }

// rawParam is the text of one parameter, or all of the input when it is no text.
func rawParam(input json.RawMessage, param string) string {
	fields, err := wire.Fields(input)
	for _, f := range fields {
		var s string
		if err == nil && f.Key == param && json.Unmarshal(f.Value, &s) == nil {
			return s
		}
	}
	return string(input)
}
