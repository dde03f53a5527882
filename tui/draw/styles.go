package draw

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/syntax"
)

// SGR attributes besides colour.
const (
	bold       = "1"
	italic     = "3"
	underlined = "4"
	reverse    = "7"
)

// Styles is a Palette made ready for one terminal. It is never changed and may be used
// by any goroutine. The zero value draws without colours.
type Styles struct {
	Plain    [inkCount]string // SGR sequences that switch an ink on
	selected [inkCount]string // the same on the selected row's background
	reset    string
}

// attributes are what an ink looks like.
type attributes struct {
	color lipgloss.CompleteAdaptiveColor
	back  lipgloss.CompleteAdaptiveColor // none: what the ink is drawn on shows through
	codes string                         // of bold, italic and their like; may be empty
	line  bool                           // frames: less contrast than text needs will do
}

// on is text in the colour of its tile.
func (t tile) on(codes string) attributes {
	return attributes{color: t.text, back: t.back, codes: codes}
}

// NewStyles prepares p for a terminal that shows colours as profile says. With
// NO_COLOR there is still bold and underline; without a terminal there is nothing.
func NewStyles(p Palette, profile termenv.Profile, dark, attrs bool) *Styles {
	s := &Styles{}
	if profile == termenv.Ascii && !attrs {
		return s
	}
	s.reset = "\x1b[0m"
	for i, a := range p.table(profile, dark) {
		s.Plain[i] = a.sequence(profile, dark)
		s.selected[i] = a.chosen(&p, profile, dark).sequence(profile, dark)
	}
	return s
}

// table is what each ink looks like at a terminal. It is the one place that knows.
func (p *Palette) table(profile termenv.Profile, dark bool) [inkCount]attributes {
	loud := bold
	if profile == termenv.Ascii {
		loud = reverse // without a colour for the ground, bold alone would be overlooked
	}
	table := [inkCount]attributes{
		Text: {color: p.text}, Bold: {color: p.text, codes: bold}, Title: {color: p.text, codes: bold},
		Muted: {color: p.muted}, Label: {color: p.muted}, Agent: {color: p.muted, codes: italic},
		Comment: {color: p.muted, codes: italic},
		Faint:   {color: p.faint}, blank: {color: p.faint},
		Border: {color: p.edge, line: true}, focused: {color: p.accent, line: true},
		Key: {color: p.accent, codes: bold},
		OK:  {color: p.ok}, Warn: {color: p.warn}, Danger: {color: p.danger, codes: bold},
		Frozen: {color: p.frozen, codes: bold}, Ice: p.ice.on(loud),
		Alarm: p.sign.on(loud), Sign: p.sign.on(loud),
		Added: {color: p.added}, Removed: {color: p.removed},
		Command: {color: p.code.command, codes: bold}, Quoted: {color: p.code.quoted},
		Varies: {color: p.code.varies}, Operator: {color: p.warn, codes: bold}, Keyword: {color: p.code.varies, codes: bold},
	}
	for c, color := range p.classes() {
		for g := range grounds {
			table[SyntaxInk(syntax.Class(c), g)] = p.compared(color, g, profile, dark)
		}
	}
	return table
}

// classes are the colours of a program's text. The last is that of blanks made
// visible.
func (p *Palette) classes() [syntax.Classes + 1]lipgloss.CompleteAdaptiveColor {
	return [...]lipgloss.CompleteAdaptiveColor{
		syntax.Text: p.text, syntax.Keyword: p.code.varies, syntax.String: p.code.quoted, syntax.Comment: p.code.comment,
		syntax.Number: p.code.number, syntax.Name: p.code.name, syntax.Type: p.code.kind, syntax.Classes: p.code.comment,
	}
}

// compared is a piece of a program's text on the ground that a comparison gives it. What changed
// inside a line is bold, so that it is found without telling two greens apart. A terminal
// without such a ground draws the line in one colour, and underlines what changed.
func (p *Palette) compared(color lipgloss.CompleteAdaptiveColor, g Ground, profile termenv.Profile, dark bool) attributes {
	a := attributes{color: color}
	if g == GroundPlain {
		return a
	}
	t := p.changed[g]
	if g == groundAddedWord || g == groundRemovedWord {
		a.codes = bold
	}
	switch {
	case value(t.text, profile, dark) != "":
		a.color, a.back = t.text, t.back
	case value(t.back, profile, dark) != "":
		a.back = t.back
	case g == GroundAdded || g == groundAddedWord:
		a.color = p.added
	default:
		a.color = p.removed
	}
	if a.codes != "" && value(a.back, profile, dark) == "" {
		a.codes = underlined
	}
	return a
}

// chosen is a on the selected row: on its ground, unless a brings one of its own.
func (a attributes) chosen(p *Palette, profile termenv.Profile, dark bool) attributes {
	if value(a.back, profile, dark) == "" {
		a.back = p.selected.back
	}
	return a
}

// sequence switches an ink on: one SGR sequence (ECMA-48) with all that the ink is, or
// "" for an ink that looks like plain text at this terminal.
func (a attributes) sequence(profile termenv.Profile, dark bool) string {
	var codes []string
	if a.codes != "" {
		codes = append(codes, a.codes)
	}
	if v := value(a.color, profile, dark); v != "" {
		codes = append(codes, profile.Color(v).Sequence(false))
	}
	if v := value(a.back, profile, dark); v != "" {
		codes = append(codes, profile.Color(v).Sequence(true))
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// value is what a colour is at a terminal, or empty when it gets none.
func value(c lipgloss.CompleteAdaptiveColor, profile termenv.Profile, dark bool) string {
	one := c.Light
	if dark {
		one = c.Dark
	}
	switch profile {
	case termenv.TrueColor:
		return one.TrueColor
	case termenv.ANSI256:
		return one.ANSI256
	case termenv.ANSI:
		return one.ANSI
	case termenv.Ascii:
	}
	return ""
}
