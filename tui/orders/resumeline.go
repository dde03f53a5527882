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
func (o *Orders) ShortLine(session string) string {
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
	return shellWords(append(command, name))
}

// wrapped is ResumeLine in rows of at most width cells, which a shell joins again: a row ends with a
// backslash, also in the middle of a long word.
func wrapped(r broker.Resumption, width int) []string {
	rows, row := []string{}, ""
	put := func(word string) {
		switch {
		case row == "":
			row = word
		case draw.Cells(row+" "+word+" \\") <= width:
			row += " " + word
		default:
			rows, row = append(rows, row+" \\"), word
		}
	}
	long := func(word string) {
		for draw.Cells(shellWord(word)+" \\") > width {
			head, rest := cut(word, width-1)
			put(shellWord(head))
			rows, row, word = append(rows, row+"\\"), "", rest
		}
		put(shellWord(word))
	}
	put("cd")
	long(r.CWD)
	put("&&")
	for _, word := range r.Command {
		long(word)
	}
	put("</dev/null")
	return append(rows, row)
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
