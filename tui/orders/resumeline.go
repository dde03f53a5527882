package orders

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// ResumeLine is the command line that resumes a session by hand, for a POSIX shell.
func ResumeLine(r broker.Resumption) string {
	words := make([]string, len(r.Command))
	for i, w := range r.Command {
		words[i] = shellWord(w)
	}
	return "cd " + shellWord(r.CWD) + " && " + strings.Join(words, " ") + " </dev/null"
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
