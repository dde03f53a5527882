package draw

import "github.com/charmbracelet/lipgloss"

// Palette gives each meaning its colour, for dark terminals and for light ones. Colours repeat
// what a word or a glyph says; none of them says anything alone.
//
// A colour has a value for each kind of terminal. An empty value means that such a terminal
// gets none: 16 colours leave no room for quiet backgrounds. Each ink has to be legible on
// every background that it is drawn on, with true colours and with 256: Palette.pairs lists
// them, and a test measures them all. Colours of the 16 are the user's own and are not measured.
type Palette struct {
	text, muted, faint lipgloss.CompleteAdaptiveColor
	edge               lipgloss.CompleteAdaptiveColor // frames, which are no text
	accent             lipgloss.CompleteAdaptiveColor // focus, selection, keys
	ok, warn, danger   lipgloss.CompleteAdaptiveColor
	added, removed     lipgloss.CompleteAdaptiveColor
	frozen             lipgloss.CompleteAdaptiveColor // frames while everything is held
	code               code

	sign, ice tile                // characters drawn as escapes; the line across the top while everything is held
	selected  tile                // the selected row; texts on it keep their own colours
	changed   [grounds]tile       // lines of a comparison, and what changed inside them
	papers    [2][]lipgloss.Color // backgrounds of terminals that it is made for: dark ones, light ones

	contrast float64 // what every text has at least: see contrastOf
}

// code is how parts of a command line and of a program's text look.
type code struct {
	command, quoted, varies     lipgloss.CompleteAdaptiveColor
	comment, number, name, kind lipgloss.CompleteAdaptiveColor
}

// tile is a background with the colour of the text on it. With no colour for the text,
// each ink keeps its own.
type tile struct {
	back, text lipgloss.CompleteAdaptiveColor
}

// shade is a colour for each kind of terminal: true colours, the 256 and the 16, on
// dark and on light.
func shade(dark, dark256, dark16, light, light256, light16 string) lipgloss.CompleteAdaptiveColor {
	return lipgloss.CompleteAdaptiveColor{
		Dark:  lipgloss.CompleteColor{TrueColor: dark, ANSI256: dark256, ANSI: dark16},
		Light: lipgloss.CompleteColor{TrueColor: light, ANSI256: light256, ANSI: light16},
	}
}

// usualPapers are backgrounds that people have: black, and the lightest of the
// well-known dark themes (VS Code, One Dark, Nord); white, and the darkest of the
// light ones (Solarized, Gruvbox, Catppuccin). Contrast is measured on each of them.
var usualPapers = [2][]lipgloss.Color{{"#000000", "#1e1e1e", "#282c34", "#2e3440"}, {"#ffffff", "#fdf6e3", "#fbf1c7", "#eff1f5"}}

// DefaultPalette is the one that aoctl comes with. A colour is changed here and
// nowhere else, and TestContrast says whether it can still be read.
func DefaultPalette() Palette {
	return Palette{
		text:    shade("#d8dee9", "253", "7", "#24292f", "235", "0"),
		muted:   shade("#a9b3c3", "249", "7", "#57606a", "240", "8"),
		faint:   shade("#98a2b3", "247", "8", "#5f6872", "241", "8"),
		edge:    shade("#7b869a", "245", "8", "#7d858f", "244", "7"),
		accent:  shade("#7cc4ff", "117", "14", "#0550ae", "25", "4"),
		ok:      shade("#8fd694", "114", "10", "#116329", "22", "2"),
		warn:    shade("#f2c265", "221", "11", "#7a4a00", "94", "3"),
		danger:  shade("#ff8a82", "210", "9", "#b3141f", "124", "1"),
		added:   shade("#8fd694", "114", "10", "#116329", "22", "2"),
		removed: shade("#ff9a94", "210", "9", "#a40e26", "124", "1"),
		frozen:  shade("#6fd3ff", "81", "14", "#00618a", "24", "6"),
		code: code{
			command: shade("#7cc4ff", "117", "14", "#0550ae", "25", "4"),
			quoted:  shade("#b5d99c", "150", "10", "#2b6a2b", "22", "2"),
			varies:  shade("#d7a6f2", "219", "13", "#7a3e9d", "91", "5"),
			comment: shade("#a9b3c3", "152", "7", "#515a64", "240", "8"),
			number:  shade("#f0a98c", "222", "", "#8a3400", "58", ""),
			name:    shade("#8ec7ff", "117", "", "#0550ae", "25", ""),
			kind:    shade("#6fd3c7", "80", "", "#0f6674", "23", ""),
		},
		sign:     tile{shade("#f2a65a", "215", "11", "#a34a17", "130", "1"), shade("#1b1f27", "234", "0", "#ffffff", "231", "15")},
		ice:      tile{shade("#0e5a78", "24", "6", "#00618a", "24", "6"), shade("#ffffff", "231", "15", "#ffffff", "231", "15")},
		selected: tile{back: shade("#263145", "236", "", "#dfe9f7", "254", "")},
		changed: [grounds]tile{
			GroundAdded:   {back: shade("#12281a", "22", "", "#e2f8e6", "194", "")},
			GroundRemoved: {back: shade("#341a1d", "52", "", "#fdeaea", "224", "")},
			// No two quiet greens of the 256 are far enough apart, so a changed word is turned around there.
			groundAddedWord:   {shade("#1d4d2b", "114", "", "#a8ecb6", "28", ""), shade("", "16", "", "", "231", "")},
			groundRemovedWord: {shade("#632a33", "210", "", "#ffcac6", "124", ""), shade("", "16", "", "", "231", "")},
		},
		papers:   usualPapers,
		contrast: 4.5,
	}
}

// HighContrast is for eyes and screens that need more: every text has at least 7:1, on a
// terminal that is nearly black or nearly white. What changed inside a line is dark on a
// strong ground, or the other way round.
func HighContrast() Palette {
	return Palette{
		text:    shade("#ffffff", "231", "15", "#000000", "16", "0"),
		muted:   shade("#d0d7e2", "252", "7", "#32383f", "236", "0"),
		faint:   shade("#bcc5d3", "250", "7", "#3c434b", "237", "0"),
		edge:    shade("#bcc5d3", "250", "7", "#3c434b", "237", "0"),
		accent:  shade("#8fd0ff", "117", "14", "#023b95", "18", "4"),
		ok:      shade("#8ce99a", "120", "10", "#024c1a", "22", "2"),
		warn:    shade("#ffd43b", "221", "11", "#4e2c00", "52", "3"),
		danger:  shade("#ff9a92", "217", "9", "#86061d", "88", "1"),
		added:   shade("#8ce99a", "120", "10", "#024c1a", "22", "2"),
		removed: shade("#ff9a92", "217", "9", "#86061d", "88", "1"),
		frozen:  shade("#66d9ff", "81", "14", "#003b5c", "17", "6"),
		code: code{
			command: shade("#8fd0ff", "117", "14", "#023b95", "18", "4"),
			quoted:  shade("#c0eb75", "156", "10", "#0b4a0b", "22", "2"),
			varies:  shade("#e5b8ff", "183", "13", "#5a189a", "54", "5"),
			comment: shade("#d0d7e2", "252", "7", "#32383f", "236", "0"),
			number:  shade("#ffc078", "216", "", "#6b2700", "52", ""),
			name:    shade("#8fd0ff", "117", "", "#023b95", "18", ""),
			kind:    shade("#63e6be", "80", "", "#003f48", "23", ""),
		},
		sign:     tile{shade("#ffc14d", "215", "11", "#7a2e00", "52", "1"), shade("#000000", "16", "0", "#ffffff", "231", "15")},
		ice:      tile{shade("#00466b", "17", "6", "#003b5c", "17", "6"), shade("#ffffff", "231", "15", "#ffffff", "231", "15")},
		selected: tile{back: shade("#00204f", "17", "", "#cfe3ff", "195", "")},
		changed: [grounds]tile{
			GroundAdded:       {back: shade("#002410", "", "", "#e2f8e6", "", "")},
			GroundRemoved:     {back: shade("#38060c", "", "", "#fdeaea", "", "")},
			groundAddedWord:   {shade("#8ce99a", "120", "", "#024c1a", "22", ""), shade("#000000", "16", "", "#ffffff", "231", "")},
			groundRemovedWord: {shade("#ff9a92", "217", "", "#86061d", "88", ""), shade("#000000", "16", "", "#ffffff", "231", "")},
		},
		papers:   [2][]lipgloss.Color{{"#000000", "#1e1e1e"}, {"#ffffff", "#f6f8fa"}},
		contrast: 7,
	}
}
