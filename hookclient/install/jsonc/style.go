package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// style is how the author of a file writes JSON. It is found once, from the text as it was parsed
// first, so that edits do not change it.
type style struct {
	pretty  bool   // one member per line
	indent  string // of one level, pretty only
	newline string // "\n" or "\r\n"
	colon   string // with its spaces
	comma   string // between children on one line, with its space
}

// detectStyle reads the style off the first members of the outermost object. An empty file gets
// two blanks a level.
func detectStyle(src []byte, root *Node) style {
	s := style{pretty: true, indent: "  ", newline: "\n", colon: ": ", comma: ", "}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if root.Kind != ObjectKind || len(root.Items) == 0 {
		return s
	}
	if colon := string(src[root.Keys[0].End:root.Items[0].Start]); !strings.ContainsAny(colon, "\r\n/") {
		s.colon = colon
	}
	lead := string(src[root.Start+1 : root.Keys[0].Start])
	if strings.Contains(lead, "\n") {
		if unit := strings.TrimPrefix(lineIndent(src, root.Keys[0].Start), lineIndent(src, root.Start)); unit != "" {
			s.indent = unit
		}
		return s
	}
	s.pretty = false
	if s.colon == ":" {
		s.comma = ","
	}
	return s
}

// lineIndent is the white space at the beginning of the line that holds offset.
func lineIndent(src []byte, offset int) string {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// Object is a JSON object in a fixed order, to be put into a document. A map would be written in
// another order each time.
type Object []Field

// Field is a member of an Object: its name, which is a string, and its value.
type Field [2]any

// Array is a JSON array, to be put into a document.
type Array []any

// Compact writes v on one line, without a space. It is the form in which two values are compared.
func Compact(v any) []byte {
	d := &Document{style: style{colon: ":", comma: ","}}
	return []byte(d.compact(v))
}

// render writes v in the document's style; indent is that of the line it begins on.
func (d *Document) render(v any, indent string) string {
	if !d.style.pretty {
		return d.compact(v)
	}
	inner := indent + d.style.indent
	return d.write(v, d.style.newline+inner, ","+d.style.newline+inner, d.style.newline+indent,
		func(child any) string { return d.render(child, inner) })
}

// compact writes v on one line.
func (d *Document) compact(v any) string { return d.write(v, "", d.style.comma, "", d.compact) }

// write is v as JSON, with what the style puts after an opening bracket, between two items and
// before a closing one. child writes an item. A type that is neither Object, Array nor a scalar
// panics in Quote: only our own code calls it.
func (d *Document) write(v any, first, between, last string, child func(any) string) string {
	var parts []string
	brackets := "[]"
	switch v := v.(type) {
	case Object:
		brackets = "{}"
		for _, f := range v {
			parts = append(parts, d.quote(f[0])+d.style.colon+child(f[1]))
		}
	case Array:
		for _, item := range v {
			parts = append(parts, child(item))
		}
	default:
		return d.quote(v)
	}
	if len(parts) == 0 {
		return brackets
	}
	return brackets[:1] + first + strings.Join(parts, between) + last + brackets[1:]
}

// quote encodes a string, number or boolean so that the agent reads it as it is. Where "//" cuts
// a line off, an escaped slash says the same and is not cut.
func (d *Document) quote(v any) string {
	if d.syntax == Slashes {
		return strings.ReplaceAll(Quote(v), "//", `/\/`)
	}
	return Quote(v)
}

// Quote encodes a string, number or boolean, with <, > and & as they are: a command
// line should stay readable.
func Quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("jsonc: %T is no JSON scalar: %v", v, err)) // a programming error: callers pass scalars
	}
	return strings.TrimSuffix(b.String(), "\n")
}
