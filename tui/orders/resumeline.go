package orders

import (
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// ResumeLine is the command line that resumes a session by hand, for a POSIX shell.
func ResumeLine(r broker.Resumption) string {
	return "cd " + shellWord(r.CWD) + " && " + shellWords(r.Command) + " </dev/null"
}

// resumeWords is what a user must know of that line where it does not fit and the terminal takes no
// clipboard: the program without its folder, and its arguments.
func resumeWords(r broker.Resumption) string {
	if len(r.Command) == 0 {
		return ""
	}
	return shellWords(append([]string{filepath.Base(r.Command[0])}, r.Command[1:]...))
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
