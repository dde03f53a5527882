package usage

import (
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/tui/safe"
)

// The width of help texts: that of the terminal between these two, and in a pipe pipeWidth.
const (
	leastWidth = 40
	mostWidth  = 100 // longer lines are hard to read
	pipeWidth  = 80
)

// WrapHelp makes the help of root and of all commands below it fit the terminal. Examples
// stay as they are: half a command is none. The width is asked when a help is printed. It
// must be called once, before the root runs, as cobra keeps template functions for the
// whole process.
func WrapHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("flagUsages", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(helpWidth()) })
	cobra.AddTemplateFunc("reflow", func(text string) string { return Reflow(text, helpWidth()) })
	// cobra's own template stays in force but for the one place where flags are printed, so
	// a new release of cobra keeps its layout.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages |", "Flags | flagUsages |"))
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. |", "{{. | reflow |", 1))
}

// helpWidth is how wide the help of this moment is to be, in cells.
func helpWidth() int {
	width, _ := show.Terminal(os.Stdout)
	if width == 0 {
		return pipeWidth
	}
	return max(leastWidth, min(width, mostWidth))
}

// listItem is a line of a list in a help text: a name, a gap, and what is said of it. Two
// blanks are a gap, one is part of the name.
var listItem = regexp.MustCompile(`^ +\S+(?: \S+)*?  +`)

// block is lines that are one paragraph, or one item of a list. A hang of -1 is a block
// that the next line does not continue.
type block struct {
	lead string // of the first line
	hang int    // blanks before the others
	text []string
}

// Reflow breaks the lines of a help text anew where one is wider than width. Lists keep
// their columns. A text that fits is returned as it was, with the breaks that its author
// chose.
func Reflow(text string, width int) string {
	var out []string
	var b *block
	wide := false
	for line := range strings.SplitSeq(text, "\n") {
		wide = wide || safe.Width(line) > width
		rest := strings.TrimLeft(line, " ")
		if b != nil && rest != "" && len(line)-len(rest) == b.hang && !listItem.MatchString(line) {
			b.text = append(b.text, rest)
			continue
		}
		out, b = append(out, b.lines(width)...), newBlock(line)
	}
	if !wide {
		return text
	}
	return strings.Join(append(out, b.lines(width)...), "\n")
}

// newBlock begins with a line. A blank line is a block that nothing continues. An indented
// line is one by itself, unless it is an item of a list: it may be an example.
func newBlock(line string) *block {
	if strings.TrimSpace(line) == "" {
		return &block{hang: -1}
	}
	if lead := listItem.FindString(line); lead != "" {
		return &block{lead: lead, hang: len(lead), text: []string{line[len(lead):]}}
	}
	rest := strings.TrimLeft(line, " ")
	b := &block{lead: line[:len(line)-len(rest)], text: []string{rest}}
	if b.hang = len(b.lead); b.hang > 0 {
		b.hang = -1 // nothing says that the next line goes on with it
	}
	return b
}

// lines are those of b within width, as far as its words allow that: a word that is wider
// stands on a line of its own and is not broken. A nil block has none.
func (b *block) lines(width int) []string {
	if b == nil {
		return nil
	}
	line, begun := b.lead, false
	var lines []string
	for _, word := range strings.Fields(strings.Join(b.text, " ")) {
		switch {
		case !begun:
			line += word
		case safe.Width(line)+1+safe.Width(word) > width:
			lines = append(lines, line)
			line = strings.Repeat(" ", max(b.hang, len(b.lead))) + word
		default:
			line += " " + word
		}
		begun = true
	}
	return append(lines, line)
}
