package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkSource refuses what a person who looks at the file would not see: bytes that are no
// text, characters without a picture, and those that turn a line around. It also refuses
// too much text.
func checkSource(data []byte) *FileError {
	if len(data) > MaxFile {
		return tooLarge()
	}
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			return &FileError{Line: line, Text: "this is not UTF-8 text", Cure: "save the file as UTF-8"}
		case r == '\n':
			line++
		case r == '\t', bytes.HasPrefix(data, []byte("\r\n")), unicode.IsPrint(r):
		default:
			return &FileError{Line: line, Text: fmt.Sprintf("the character %U cannot be seen", r), Cure: "remove it"}
		}
		data = data[size:]
	}
	return nil
}

// tooLarge is the error for a file of more than MaxFile bytes.
func tooLarge() *FileError {
	return &FileError{Text: fmt.Sprintf("it is larger than %d KiB", MaxFile>>10), Cure: "settings need a few lines; move it away"}
}

const maxShown = 40 // characters of what stands in a file, in a message

// shown is a key for a message, cut to maxShown characters, with a sign for each that
// cannot be seen.
func shown(key string) string {
	if r := []rune(key); len(r) > maxShown {
		key = string(r[:maxShown-1]) + "…"
	}
	return printable(key)
}

// printable makes text from a file fit for one line of a message. It is tui/safe's work in
// small: this room's errors go into logs and JSON too, where cells do not matter.
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
