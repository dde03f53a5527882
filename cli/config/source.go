package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// checkSource refuses what a person who looks at the file would not see.
func checkSource(data []byte) error {
	if len(data) > MaxFile {
		return tooLarge()
	}
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		at := FileError{Line: line, Column: i - start + 1}
		switch {
		case r == utf8.RuneError && size == 1:
			at.Text, at.Cure = "this is not UTF-8 text", "save the file as UTF-8"
			return &at
		case r == '\n':
			line, start = line+1, i+1
		case r == '\t', r == '\r' && i+1 < len(data) && data[i+1] == '\n', unicode.IsPrint(r):
		default:
			at.Text, at.Cure = fmt.Sprintf("the character %U cannot be seen", r), "remove it"
			return &at
		}
		i += size
	}
	return nil
}

func tooLarge() *FileError {
	return &FileError{Text: fmt.Sprintf("it is larger than %d KiB", MaxFile>>10), Cure: "settings need a few lines; move it away"}
}

// line is one expression of a file, where it stands.
type line struct {
	key          string // dotted, of a table as well
	table        bool   // a heading in brackets, or a key of several parts, which is the same
	line, column int
}

// linesOf walks a text that is known to be TOML.
func linesOf(data []byte) []line {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	var list []line
	var parser unstable.Parser
	parser.Reset(data)
	for parser.NextExpression() {
		node := parser.Expression()
		if node.Kind == unstable.Comment {
			continue
		}
		var parts []string
		offset := 0
		for it := node.Key(); it.Next(); {
			if len(parts) == 0 {
				offset = int(it.Node().Raw.Offset)
			}
			parts = append(parts, string(it.Node().Data))
		}
		i, found := slices.BinarySearch(starts, offset)
		if !found {
			i--
		}
		list = append(list, line{
			key: strings.Join(parts, "."), table: node.Kind != unstable.KeyValue || len(parts) != 1,
			line: i + 1, column: offset - starts[i] + 1,
		})
	}
	return list
}

const maxShown = 40 // characters of what stands in a file, in a message

// shown is a key for a message.
func shown(key string) string {
	if r := []rune(key); len(r) > maxShown {
		key = string(r[:maxShown-1]) + "…"
	}
	return printable(key)
}

// printable makes text from a file fit for one line of a message.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}
