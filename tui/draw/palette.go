package draw

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/syntax"
)

// Palette gives each meaning its colour, in light and dark. Colours repeat what a
// word or a glyph says; none of them says anything alone.
type Palette struct {
	text, muted, faint      lipgloss.CompleteAdaptiveColor
	accent                  lipgloss.CompleteAdaptiveColor // focus, selection, keys
	ok, warn, danger        lipgloss.CompleteAdaptiveColor
	sign, signBack          lipgloss.CompleteAdaptiveColor // characters drawn as escapes
	selected                lipgloss.CompleteAdaptiveColor // background of the selected row
	added, removed          lipgloss.CompleteAdaptiveColor
	command, quoted, varies lipgloss.CompleteAdaptiveColor // parts of a command line
	frozen, frozenBack      lipgloss.CompleteAdaptiveColor // frames and the line across the top while everything is held
	number, name, Type      lipgloss.CompleteAdaptiveColor // parts of a program, with some of the above
	addedBack, removedBack  lipgloss.CompleteAdaptiveColor // backgrounds of lines of a comparison
	addedWord, removedWord  lipgloss.CompleteAdaptiveColor // and of what changed inside them
}

func shade(dark, dark256, dark16, light, light256, light16 string) lipgloss.CompleteAdaptiveColor {
	return lipgloss.CompleteAdaptiveColor{
		Dark:  lipgloss.CompleteColor{TrueColor: dark, ANSI256: dark256, ANSI: dark16},
		Light: lipgloss.CompleteColor{TrueColor: light, ANSI256: light256, ANSI: light16},
	}
}

// DefaultPalette is the one that aoctl comes with.
func DefaultPalette() Palette {
	return Palette{
		text:     shade("#d8dee9", "253", "7", "#24292f", "235", "0"),
		muted:    shade("#8b95a7", "246", "7", "#57606a", "241", "8"),
		faint:    shade("#566074", "240", "8", "#a0a8b0", "248", "7"),
		accent:   shade("#7cc4ff", "117", "14", "#0550ae", "25", "4"),
		ok:       shade("#8fd694", "114", "10", "#116329", "22", "2"),
		warn:     shade("#f2c265", "221", "11", "#8a5300", "94", "3"),
		danger:   shade("#ff7b72", "210", "9", "#c01c28", "160", "1"),
		sign:     shade("#1b1f27", "234", "0", "#ffffff", "231", "15"),
		signBack: shade("#f2a65a", "215", "11", "#b3541e", "130", "1"),
		selected: shade("#263145", "236", "", "#dfe9f7", "254", ""),
		added:    shade("#8fd694", "114", "10", "#116329", "22", "2"),
		removed:  shade("#ff9a94", "210", "9", "#a40e26", "124", "1"),
		command:  shade("#7cc4ff", "117", "14", "#0550ae", "25", "4"),
		quoted:   shade("#b5d99c", "150", "10", "#2b6a2b", "28", "2"),
		varies:   shade("#d7a6f2", "183", "13", "#7a3e9d", "97", "5"),
		frozen:   shade("#6fd3ff", "81", "14", "#00618a", "24", "6"), frozenBack: shade("#0e5a78", "24", "6", "#00618a", "24", "6"),
		number: shade("#f0a98c", "216", "", "#953800", "94", ""),
		name:   shade("#8ec7ff", "117", "", "#0550ae", "25", ""),
		Type:   shade("#6fd3c7", "80", "", "#0f6674", "23", ""),

		addedBack: shade("#17301f", "22", "", "#e2f8e6", "194", ""), removedBack: shade("#3a1c1f", "52", "", "#fdeaea", "224", ""),
		addedWord: shade("#2a5c38", "28", "", "#aeeebb", "157", ""), removedWord: shade("#73303a", "88", "", "#ffc4c1", "217", ""),
	}
}

// Ink is a meaning that text is drawn in.
type Ink uint8

// The inks.
const (
	Text Ink = iota
	Bold
	Muted
	Faint
	Border
	focused // border of the pane with the focus
	Title
	Key
	OK
	Warn
	Danger
	Alarm  // what nobody must overlook
	Frozen // what a freeze holds, and frames while one holds all
	Ice    // the line across the top of it
	Sign   // a character drawn as an escape
	blank  // blanks, tabs and line breaks made visible
	Added
	Removed
	Label
	Agent // the agent's own words
	Command
	Quoted
	Varies
	Operator
	Keyword
	Comment
	inkSyntax                                                    // the first of those of a program's text: see SyntaxInk
	inkCount  = inkSyntax + (Ink(syntax.Classes)+1)*Ink(grounds) // how many inks there are
)

// Styles is a Palette made ready for one terminal.
type Styles struct {
	Plain    [inkCount]string // SGR sequences that switch an ink on
	selected [inkCount]string // the same on the selected row's background
	reset    string
}

type attributes struct {
	color lipgloss.CompleteAdaptiveColor
	back  *lipgloss.CompleteAdaptiveColor
	codes string // SGR attributes besides colour
}

// NewStyles prepares p for a terminal that shows colours as profile says. With
// NO_COLOR there is still bold and underline; without a terminal there is nothing.
func NewStyles(p Palette, profile termenv.Profile, dark, attrs bool) *Styles {
	const bold, italic, reverse = "1", "3", "7"
	sign := attributes{color: p.sign, back: &p.signBack, codes: bold}
	ice := attributes{color: shade("#ffffff", "231", "15", "#ffffff", "231", "15"), back: &p.frozenBack, codes: bold}
	if profile == termenv.Ascii {
		sign.codes, ice.codes = reverse, reverse
	}
	table := [inkCount]attributes{
		Text: {color: p.text}, Bold: {color: p.text, codes: bold},
		Muted: {color: p.muted}, Faint: {color: p.faint},
		Border: {color: p.faint}, focused: {color: p.accent}, Title: {color: p.text, codes: bold},
		Key: {color: p.accent, codes: bold},
		OK:  {color: p.ok}, Warn: {color: p.warn}, Danger: {color: p.danger, codes: bold},
		Frozen: {color: p.frozen, codes: bold}, Ice: ice,
		Alarm: sign, Sign: sign, blank: {color: p.faint},
		Added: {color: p.added}, Removed: {color: p.removed},
		Label: {color: p.muted}, Agent: {color: p.muted, codes: italic},
		Command: {color: p.command, codes: bold}, Quoted: {color: p.quoted},
		Varies: {color: p.varies}, Operator: {color: p.warn, codes: bold},
		Keyword: {color: p.varies, codes: bold}, Comment: {color: p.muted, codes: italic},
	}
	p.syntax(&table, profile)
	s := &Styles{}
	if profile == termenv.Ascii && !attrs {
		return s
	}
	s.reset = "\x1b[0m"
	for i, a := range table {
		s.Plain[i] = a.sequence(profile, dark, nil)
		s.selected[i] = a.sequence(profile, dark, &p.selected)
	}
	return s
}

// syntax fills in the inks of a program's text. Where there is no room for another
// background, lines of a comparison have one colour, and what changed inside them is
// underlined.
func (p *Palette) syntax(table *[inkCount]attributes, profile termenv.Profile) {
	const underlined = "4"
	text := [syntax.Classes + 1]lipgloss.CompleteAdaptiveColor{
		syntax.Text: p.text, syntax.Keyword: p.varies, syntax.String: p.quoted, syntax.Comment: p.muted,
		syntax.Number: p.number, syntax.Name: p.name, syntax.Type: p.Type, syntax.Classes: p.faint,
	}
	few := profile == termenv.ANSI || profile == termenv.Ascii
	for c, color := range text {
		for g := range grounds {
			a := attributes{color: color}
			word := g == groundAddedWord || g == groundRemovedWord
			switch {
			case g == GroundPlain:
			case few && (g == GroundAdded || g == groundAddedWord):
				a.color = p.added
			case few:
				a.color = p.removed
			default:
				a.back = map[Ground]*lipgloss.CompleteAdaptiveColor{
					GroundAdded: &p.addedBack, GroundRemoved: &p.removedBack,
					groundAddedWord: &p.addedWord, groundRemovedWord: &p.removedWord,
				}[g]
			}
			if few && word {
				a.codes = underlined
			}
			table[SyntaxInk(syntax.Class(c), g)] = a
		}
	}
}

func (a attributes) sequence(profile termenv.Profile, dark bool, back *lipgloss.CompleteAdaptiveColor) string {
	var codes []string
	if a.codes != "" {
		codes = append(codes, a.codes)
	}
	if c := colorSequence(a.color, profile, dark, false); c != "" {
		codes = append(codes, c)
	}
	if a.back != nil {
		back = a.back
	}
	if back != nil {
		if c := colorSequence(*back, profile, dark, true); c != "" {
			codes = append(codes, c)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

func colorSequence(c lipgloss.CompleteAdaptiveColor, profile termenv.Profile, dark, back bool) string {
	one := c.Light
	if dark {
		one = c.Dark
	}
	value := ""
	switch profile {
	case termenv.TrueColor:
		value = one.TrueColor
	case termenv.ANSI256:
		value = one.ANSI256
	case termenv.ANSI:
		value = one.ANSI
	case termenv.Ascii:
	}
	if value == "" {
		return ""
	}
	return profile.Color(value).Sequence(back)
}
