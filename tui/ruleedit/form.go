package ruleedit

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
)

// form is what is typed and chosen for one rule. It says nothing about the broker and
// the screen: rule makes a rule of it, fields says what there is to fill in. Texts in
// it are as they were typed and are made safe where they are drawn.
type form struct {
	old      rules.Rule // the rule that is changed; without an ID it becomes a new one
	focus    field
	decision choice
	state    choice // on or off, of a rule that is there already
	tool     text.Line
	effectsLine
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

// effectsLine is what a rule about effects has in place of a tool and patterns.
type effectsLine struct {
	about   bool      // the rule is about effects
	effects text.Line // their names
}

// whereLine is one parameter with its pattern.
type whereLine struct {
	name    string
	pattern text.Line
	follows bool // the name is the tool's main parameter and changes with the tool
}

// wrong is a problem with one field. A field with a negative n is none, and the
// problem then stands above the form.
type wrong struct {
	field   field
	problem string // safe to draw
}

// fieldKind is what a field of the form is about.
type fieldKind int

// The fields, in the order in which they are drawn. The zero value is the decision,
// which every form has.
const (
	fieldDecision fieldKind = iota
	fieldState
	fieldTool
	fieldEffects
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

// choice is one of several words, all safe to draw. The zero value has none to choose
// from.
type choice struct {
	names []string
	at    int
}

// chosen is the word that is chosen, "" when there is none.
func (c *choice) chosen() string {
	if c.at < len(c.names) {
		return c.names[c.at]
	}
	return ""
}

// turn steps by so many choices, around the end.
func (c *choice) turn(by int) { c.at = desk.Turned(c.at, by, len(c.names)) }

// choose takes the word called name; one that is not among them changes nothing.
func (c *choice) choose(name string) {
	if i := slices.Index(c.names, name); i >= 0 {
		c.at = i
	}
}

// addWhere takes the parameter that was typed into the line for one more. It is false,
// and nothing changes, when the text is no parameter or there are as many as a rule
// may have. A parameter whose line is still empty gets the pattern; one that has a
// pattern already is not written over.
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

// moreParameter takes "name = pattern" apart, at the first equals sign: a pattern may
// hold others.
func moreParameter(text string) (name, pattern string, ok bool) {
	name, pattern, ok = strings.Cut(text, "=")
	name, pattern = strings.TrimSpace(name), strings.TrimSpace(pattern)
	return name, pattern, ok && name != "" && pattern != ""
}

// fields are the fields that the form has now, in the order in which tab goes through
// them. Which there are depends on what is chosen: "once" makes no rule and has no
// pattern and no end, only a denial has a reason, and only something dangerous a code.
func (f *form) fields() []field {
	list := []field{{kind: fieldDecision}}
	if f.old.ID != "" {
		list = append(list, field{kind: fieldState})
	}
	switch {
	case f.once():
	case f.about:
		list = append(list, field{kind: fieldEffects})
	default:
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
	// Most rules keep the default priority, and a field that nobody needs would only
	// be in the way.
	if f.priority.String() != "" || f.old.Priority != rules.DefaultPriority {
		list = append(list, field{kind: fieldPriority})
	}
	if f.needsCode() {
		list = append(list, field{kind: fieldCode})
	}
	return list
}

// needsCode reports whether what the form says now takes a typed code. A rule that
// refuses a dangerous call takes none.
func (f *form) needsCode() bool { return f.code != "" && f.verdict() == rules.Allow }

// text is the text that a field edits, nil for one with choices. The pointer is good
// until the form is filled anew.
func (f *form) text(of field) *text.Line {
	switch of.kind {
	case fieldTool:
		return &f.tool
	case fieldEffects:
		return &f.effects
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
