package rules

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/wire"
)

// Unread is the call of q when nothing of it may be parsed, why being the reason as the end of
// a sentence about it. It is dangerous, and no rule may allow it; rules that refuse search the
// raw text of its command line. It is for calls at which the parse guard (package vet) has
// failed, so nothing here may use a parser of shell or patch.
func Unread(q Question, why string) *Call {
	c := newCall(q)
	c.unsure, c.unread = why, why
	c.elems[0].unsure = why
	if param, ok := CommandParam(q.Tool); ok {
		raw := rawParam(q.Input, param)
		c.line.Line = &shell.Line{Raw: raw, Elements: []shell.Element{{Kind: shell.Unknown, Text: raw, Unsure: why}}}
		c.line.text = patterns.ReadText(raw)
		c.elems[0].kind = shell.Unknown
	}
	text := risk.Finding{Class: risk.Dangerous, Why: why}
	c.risk = risk.Risk{Class: risk.Dangerous, Why: why, Findings: []risk.Finding{text}}
	c.risk.Parts = []effects.Set{effects.Of(effects.Unknown)}
	c.risk.Does = []risk.Does{{Effect: effects.Unknown, Why: why}}
	c.blame()
	c.need()
	return c
}

// Unread is why nothing of the call was parsed, "" when it was.
func (c *Call) Unread() string { return c.unread }

// rawParam is the text of one parameter, or all of the input when it is no text. It reads no
// more than the outermost object.
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
