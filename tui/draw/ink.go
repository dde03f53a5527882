package draw

import "github.com/aoctl/aoctl/tui/syntax"

// Ink is a meaning that text is drawn in. The zero value is plain text.
type Ink uint8

// The inks. Behind the last of them come those of a program's text, one for each class
// on each ground.
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
