package ruleedit

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
)

// form is what is typed and chosen for one rule.
type form struct {
	old        rules.Rule // the rule that is changed; without an ID it becomes a new one
	focus      field
	decision   choice
	state      choice // on or off, of a rule that is there already
	tool       text.Line
	where      []whereLine
	more       text.Line // one more parameter, typed as name=pattern
	dangerous  bool      // the rule may speak about dangerous calls
	scopes     []scopeOption
	scope      int
	agent      choice
	agentKinds []string // raw, as in agent; "" is any
	life       lifeKind
	lifeSet    bool // the operator chose it; else it follows decision and scope
	reason     text.Line
	priority   text.Line
	typed      text.Line // the code
	code       string    // what must be typed to allow something dangerous; empty: nothing
	wrong      *wrong    // what the broker, or the form itself, has against the rule
}

// whereLine is one parameter with its pattern.
type whereLine struct {
	name    string
	pattern text.Line
	follows bool // the name is the tool's main parameter and changes with the tool
}

// wrong is a problem with one field.
type wrong struct {
	field   field
	problem string // safe to draw
}

// fieldKind is what a field of the form is about.
type fieldKind int

// The fields, in the order in which they are drawn.
const (
	fieldDecision fieldKind = iota
	fieldState
	fieldTool
	fieldWhere
	fieldMore
	fieldScope
	fieldAgent
	fieldLife
	fieldReason
	fieldPriority
	fieldCode
)

// field is one field; n counts those of a kind.
type field struct {
	kind fieldKind
	n    int
}

// choice is one of several words, all safe to draw.
type choice struct {
	names []string
	at    int
}

func (c *choice) chosen() string {
	if c.at < len(c.names) {
		return c.names[c.at]
	}
	return ""
}

func (c *choice) turn(by int) { c.at = desk.Turned(c.at, by, len(c.names)) }

func (c *choice) choose(name string) {
	if i := slices.Index(c.names, name); i >= 0 {
		c.at = i
	}
}

// addWhere takes the parameter that was typed into the line for one more.
func (f *form) addWhere() bool {
	name, pattern, ok := moreParameter(f.more.String())
	if !ok || len(f.where) >= rules.MaxWhere {
		return false
	}
	for i, w := range f.where {
		if w.name == name {
			if !w.pattern.Blank() {
				return false
			}
			f.where[i].pattern, f.more = newPattern(pattern), text.NewLine("")
			return true
		}
	}
	f.where = append(f.where, whereLine{name: name, pattern: newPattern(pattern)})
	f.more = text.NewLine("")
	return true
}

// moreParameter takes "name = pattern" apart.
func moreParameter(text string) (name, pattern string, ok bool) {
	name, pattern, ok = strings.Cut(text, "=")
	name, pattern = strings.TrimSpace(name), strings.TrimSpace(pattern)
	return name, pattern, ok && name != "" && pattern != ""
}

// fields are the fields that the form has now.
func (f *form) fields() []field {
	list := []field{{kind: fieldDecision}}
	if f.old.ID != "" {
		list = append(list, field{kind: fieldState})
	}
	if !f.once() {
		list = append(list, field{kind: fieldTool})
		for i := range f.where {
			list = append(list, field{kind: fieldWhere, n: i})
		}
		list = append(list, field{kind: fieldMore})
	}
	list = append(list, field{kind: fieldScope})
	if !f.once() {
		if len(f.agent.names) > 1 {
			list = append(list, field{kind: fieldAgent})
		}
		list = append(list, field{kind: fieldLife})
	}
	if f.verdict() == rules.Deny {
		list = append(list, field{kind: fieldReason})
	}
	if f.priority.String() != "" || f.old.Priority != rules.DefaultPriority {
		list = append(list, field{kind: fieldPriority})
	}
	if f.needsCode() {
		list = append(list, field{kind: fieldCode})
	}
	return list
}

// needsCode reports whether what the form says now takes a typed code.
func (f *form) needsCode() bool { return f.code != "" && f.verdict() == rules.Allow }

// text is the text that a field edits, nil for one with choices.
func (f *form) text(of field) *text.Line {
	switch of.kind {
	case fieldTool:
		return &f.tool
	case fieldWhere:
		if of.n < len(f.where) {
			return &f.where[of.n].pattern
		}
	case fieldMore:
		return &f.more
	case fieldReason:
		return &f.reason
	case fieldPriority:
		return &f.priority
	case fieldCode:
		return &f.typed
	case fieldDecision, fieldState, fieldScope, fieldAgent, fieldLife:
	}
	return nil
}
