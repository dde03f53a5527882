package risk

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// tested are the files that test, or [, looks at; "" for one that is not known.
func tested(argv []string) []string {
	if len(argv) == 0 || argv[0] != "test" && argv[0] != "[" {
		return nil
	}
	words := argv[1:]
	if argv[0] == "[" && len(words) > 0 {
		words = words[:len(words)-1]
	}
	if len(words) > 1 && words[0] == "!" {
		words = words[1:]
	}
	switch {
	case len(words) == 2 && words[0] != "-n" && words[0] != "-z":
		return words[1:]
	case len(words) == 3 && fileCompares.Has(words[1]):
		return []string{words[0], words[2]}
	}
	return nil
}

// fileCompares compare two files; the other operators compare texts and numbers.
var fileCompares = wordset.New("-nt -ot -ef")

// readsIn reports whether a command has the shell run the commands of a file itself.
func readsIn(argv []string) bool { return len(argv) > 0 && (argv[0] == "source" || argv[0] == ".") }

// patched are the files that a patch in Codex's format names, and whether each is deleted. It reads
// the headings alone and in any text, as readers of patches are lenient too.
func patched(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			for _, head := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
				// Some readers do without the blank.
				if p, ok := strings.CutPrefix(line, head); ok && !yield(strings.TrimPrefix(p, " "), strings.Contains(head, "Delete")) {
					return
				}
			}
		}
	}
}

// plain reports whether every text in v, names too, can be drawn as it is; anything else is for
// a person to judge. v is what JSON has.
func plain(v any) bool {
	switch v := v.(type) {
	case string:
		return !strings.ContainsFunc(v, func(r rune) bool {
			return r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\n' && r != '\t'
		})
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !plain(e) })
	case map[string]any:
		for name, e := range v {
			if !plain(name) || !plain(e) {
				return false
			}
		}
	}
	return true
}
