package orders

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
)

// ResumeLine is the command line that resumes a session by hand, for a POSIX shell.
func ResumeLine(r broker.Resumption) string {
	return "cd " + shellWord(r.CWD) + " && " + shellWords(r.Command) + " </dev/null"
}

// ShortLine is the command line for a session that was opened. It has what the operator calls the
// session, unless a shell would have to read that with care.
func (o *Orders) ShortLine(session string) string { return shellWords(o.shortWords(session)) }

func (o *Orders) shortWords(session string) []string {
	name := o.Board.Label(session)
	if shellWord(name) != name || strings.HasPrefix(name, "-") {
		name = session
	}
	words := o.opened.told.Aoctl
	if len(words) == 0 {
		words = []string{"aoctl"}
	}
	command := append([]string{words[0], "resume"}, words[1:]...)
	if strings.HasPrefix(name, "-") {
		command = append(command, "--")
	}
	return append(command, name)
}

// lineRows is a command line in rows of at most width cells, which a shell joins again: a row ends with a
// backslash, also in the middle of a long word.
type lineRows struct {
	width int
	rows  []string
	row   string // the one that is being filled
}

// sign puts what a shell is not to read as a plain word.
func (l *lineRows) sign(text string) {
	switch {
	case l.row == "":
		l.row = text
	case draw.Cells(l.row+" "+text+" \\") <= l.width:
		l.row += " " + text
	default:
		l.rows, l.row = append(l.rows, l.row+" \\"), text
	}
}

func (l *lineRows) words(list ...string) {
	for _, word := range list {
		for draw.Cells(shellWord(word)+" \\") > l.width {
			head, rest := cut(word, l.width-1)
			l.sign(shellWord(head))
			l.rows, l.row, word = append(l.rows, l.row+"\\"), "", rest
		}
		l.sign(shellWord(word))
	}
}

func (l *lineRows) done() []string { return append(l.rows, l.row) }

// wrapped is ResumeLine in rows.
func wrapped(r broker.Resumption, width int) []string {
	l := lineRows{width: width}
	l.sign("cd")
	l.words(r.CWD)
	l.sign("&&")
	l.words(r.Command...)
	l.sign("</dev/null")
	return l.done()
}

// shortRows is ShortLine in rows: what is selected with the mouse must not end in the middle.
func (o *Orders) shortRows(session string, width int) []string {
	l := lineRows{width: width}
	l.words(o.shortWords(session)...)
	return l.done()
}

// cut takes as much of word as a shell reads as one in so many cells, and at least one character.
func cut(word string, cells int) (head, rest string) {
	at := 0
	for i, r := range word {
		next := i + len(string(r))
		if at > 0 && draw.Cells(shellWord(word[:next])) > cells {
			break
		}
		at = next
	}
	return word[:at], word[at:]
}

func shellWords(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// shellWord quotes w so that a POSIX shell reads it as one word.
func shellWord(w string) string {
	plain := w != ""
	for _, r := range w {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		plain = plain && (letter || strings.ContainsRune("-_./,:=@%+", r))
	}
	if plain {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
