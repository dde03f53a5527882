package brings

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// copyOptions are short options of cp that say nothing about where it writes.
const copyOptions = "rRapvfniu"

// copyLongOptions are long ones.
var copyLongOptions = wordset.New("--recursive --archive --verbose --force --no-clobber")

// CopiedFolder returns the operands of a cp that copies one thing to one place, as it
// was written in the line. It knows the plain form only: a few options, then two words
// that are no patterns, run by nothing else.
func CopiedFolder(e shell.Element) (from, to string, ok bool) {
	if e.Kind != shell.Command || len(e.Argv) < 3 || e.Argv[0] != "cp" || len(e.Via) > 0 || e.Host != "" || e.Glob {
		return "", "", false
	}
	words := e.Argv[1:]
	for len(words) > 2 {
		if !plainCopyOption(words[0]) {
			return "", "", false
		}
		words = words[1:]
	}
	from, to = words[0], words[1]
	if from == "" || to == "" || from[0] == '-' || to[0] == '-' {
		return "", "", false
	}
	return from, to, true
}

// plainCopyOption reports whether an option of cp says nothing about where it writes.
func plainCopyOption(w string) bool {
	if strings.HasPrefix(w, "--") {
		return copyLongOptions.Has(w)
	}
	return len(w) > 1 && w[0] == '-' && strings.Trim(w[1:], copyOptions) == ""
}
