package show

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// JSON writes items as one JSON array with an element per line, "[]" when there are none. A
// line each makes the output fit for diff and grep, and a reader of a pipe sees the first
// elements early.
func JSON[T any](w io.Writer, items []T) error {
	// Many short writes become few. An error stays with the writer, and Flush returns it.
	out := bufio.NewWriter(w)
	for i, item := range items {
		line, err := JSONLine(item)
		if err != nil {
			return err
		}
		before := ",\n "
		if i == 0 {
			before = "["
		}
		_, _ = out.WriteString(before) // Flush reports it
		_, _ = out.Write(line)
	}
	if len(items) == 0 {
		_, _ = out.WriteString("[")
	}
	_, _ = out.WriteString("]\n")
	return out.Flush()
}

// Object writes v as one line of JSON. A stream is one such line for each object.
func Object(w io.Writer, v any) error {
	line, err := JSONLine(v)
	if err != nil {
		return err
	}
	return Line(w, string(line))
}

// JSONLine is v as compact JSON on one line, safe to look at in a terminal. HTML is not
// escaped: <, > and & are common in commands, and nobody puts this into a page.
func JSONLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return Escape(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// Escape writes every character of compact JSON that a terminal might act on or hide as
// \uXXXX. Such characters can only be part of strings, so the document means the same
// afterwards. Bytes that are no UTF-8 become U+FFFD.
func Escape(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\ufffd`...)
		case unicode.IsPrint(r):
			out = append(out, doc[:size]...)
		case r > 0xFFFF:
			hi, lo := surrogates(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[size:]
	}
	return out
}

// surrogates splits r, which lies above U+FFFF, the way JSON escapes it (RFC 8259, section
// 7).
func surrogates(r rune) (hi, lo rune) {
	r -= 0x10000
	return 0xD800 + r>>10, 0xDC00 + r&0x3FF
}
