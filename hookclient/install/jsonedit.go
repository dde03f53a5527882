package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// document is a JSON text under the knife: every edit splices bytes in or out and
// leaves all others as they were, so that order, spacing and number formats of what
// is not ours survive. Nodes are void after an edit; look them up again.
type document struct {
	src    []byte
	plain  []byte // src as strict JSON, every value in its place
	root   *node
	style  style
	syntax syntax
	title  string // of the agent whose file it is
}

// style is how the author of a file writes JSON.
type style struct {
	pretty  bool   // one member per line
	indent  string // of one level, pretty only
	newline string // "\n" or "\r\n"
	colon   string // with its spaces
	comma   string // between children on one line, with its space
}

// newDocument parses src as Claude Code does. A blank text counts as an empty object.
func newDocument(src []byte) (*document, error) {
	return newDocumentAs(src, strictJSON, "Claude Code")
}

// newDocumentAs parses src the way that the agent of that title does.
func newDocumentAs(src []byte, syntax syntax, title string) (*document, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	d := &document{syntax: syntax, title: title}
	if err := d.read(src); err != nil {
		return nil, err
	}
	d.style = detectStyle(d.plain, d.root)
	if len(d.root.keys) > 0 && len(d.remarks(d.root.keys[0].end, d.root.items[0].start)) > 0 {
		d.style.colon = ": "
	}
	return d, nil
}

// read parses src and puts it in the place of what d was.
func (d *document) read(src []byte) error {
	plain := d.syntax.plain(src)
	root, err := parse(plain, d.title)
	if err == nil {
		d.src, d.plain, d.root = src, plain, root
	}
	return err
}

// detectStyle reads the style off the first members of the outermost object of a strict
// JSON text.
func detectStyle(src []byte, root *node) style {
	s := style{pretty: true, indent: "  ", newline: "\n", colon: ": ", comma: ", "}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if root.kind != kindObject || len(root.items) == 0 {
		return s
	}
	if colon := string(src[root.keys[0].end:root.items[0].start]); !strings.ContainsAny(colon, "\r\n") {
		s.colon = colon
	}
	lead := string(src[root.start+1 : root.keys[0].start])
	if at := strings.LastIndexByte(lead, '\n'); at >= 0 {
		unit := strings.TrimPrefix(lead[at+1:], lineIndent(src, root.start))
		if unit != "" {
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

// splice replaces src[start:end] and reads the result again.
func (d *document) splice(start, end int, text string) error {
	src := make([]byte, 0, len(d.src)+len(text))
	src = append(append(append(src, d.src[:start]...), text...), d.src[end:]...)
	if err := d.read(src); err != nil {
		return fmt.Errorf("edit of the settings text: %w", err)
	}
	return nil
}

// appendMember adds name: v as the last member of obj.
func (d *document) appendMember(obj *node, name string, v any) error {
	return d.appendChild(obj, d.quote(name)+d.style.colon, v)
}

// appendItem adds v as the last item of arr.
func (d *document) appendItem(arr *node, v any) error { return d.appendChild(arr, "", v) }

func (d *document) appendChild(n *node, prefix string, v any) error {
	if len(n.items) == 0 {
		return d.fillEmpty(n, prefix, v)
	}
	end := n.items[len(n.items)-1].end
	if indent, ok := d.childIndent(n); ok {
		text := d.style.newline + indent + prefix + d.render(v, indent)
		after, comma := d.remarkAfter(n)
		if comma {
			return d.splice(after, after, text+",")
		}
		return d.splice(end, after, ","+string(d.src[end:after])+text)
	}
	return d.splice(end, end, d.style.comma+prefix+d.compact(v))
}

// fillEmpty gives an empty container its first child, behind the comments in it.
func (d *document) fillEmpty(n *node, prefix string, v any) error {
	inner := prefix + d.compact(v)
	remarks := strings.TrimRight(string(d.src[n.start+1:n.end-1]), " \t\r\n")
	if remarks != "" {
		inner = remarks + d.style.newline + inner
	}
	if d.style.pretty {
		outer := lineIndent(d.src, n.start)
		indent := outer + d.style.indent
		inner = remarks + d.style.newline + indent + prefix + d.render(v, indent) + d.style.newline + outer
	}
	return d.splice(n.start+1, n.end-1, inner)
}

// childIndent is the indentation of n's children, when they stand on lines of their own.
func (d *document) childIndent(n *node) (string, bool) {
	from := n.start + 1
	for i := range n.items {
		lead := string(d.plain[from:n.childStart(i)])
		if at := strings.LastIndexByte(lead, '\n'); at >= 0 && !strings.Contains(lead[at:], ",") {
			return lineIndent(d.src, n.childStart(i)), true
		}
		from = n.items[i].end
	}
	return "", false
}

// replace puts v in the place of n.
func (d *document) replace(n *node, v any) error {
	text := d.compact(v)
	if bytes.Contains(d.src[n.start:n.end], []byte("\n")) {
		text = d.render(v, lineIndent(d.src, n.start))
	}
	return d.splice(n.start, n.end, text)
}

// removeChildren takes out those children of n for which drop says so, each with
// its comma and the white space that led to it. An emptied container reads {} or [],
// with the comments that were in it.
func (d *document) removeChildren(n *node, drop func(i int) bool) error {
	var gone []int
	for i := range n.items {
		if drop(i) {
			gone = append(gone, i)
		}
	}
	at := n.start // which no removal below it moves
	for _, i := range slices.Backward(gone) {
		if err := d.removeChild(d.root.at(at), i); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) removeChild(n *node, i int) error {
	var cuts [][2]int
	switch {
	case len(n.items) == 1:
		return d.splice(n.start+1, n.end-1, d.remarksIn(n))
	case i > 0:
		cuts = d.cutsBehind(n, i)
	default:
		cuts = d.cutsBefore(n)
	}
	var src []byte
	from := 0
	for _, c := range cuts {
		src = append(src, d.src[from:c[0]]...)
		from = c[1]
	}
	src = append(src, d.src[from:]...)
	return d.splice(0, len(d.src), string(src))
}

// object and array are JSON values in a fixed order, for render.
type (
	object []field
	field  struct {
		name  string
		value any
	}
	array []any
)

// render writes v in the document's style; indent is that of the line it begins on.
func (d *document) render(v any, indent string) string {
	if !d.style.pretty {
		return d.compact(v)
	}
	inner := indent + d.style.indent
	return d.write(v, d.style.newline+inner, ","+d.style.newline+inner, d.style.newline+indent,
		func(child any) string { return d.render(child, inner) })
}

// compact writes v on one line.
func (d *document) compact(v any) string { return d.write(v, "", d.style.comma, "", d.compact) }

func (d *document) write(v any, first, between, last string, child func(any) string) string {
	var parts []string
	brackets := "[]"
	switch v := v.(type) {
	case object:
		brackets = "{}"
		for _, f := range v {
			parts = append(parts, d.quote(f.name)+d.style.colon+child(f.value))
		}
	case array:
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

// quote encodes a string, number or boolean so that the agent reads it as it is.
func (d *document) quote(v any) string {
	if d.syntax == slashJSON {
		return strings.ReplaceAll(quote(v), "//", `/\/`)
	}
	return quote(v)
}

// quote encodes a string, number or boolean, with <, > and & as they are: a command
// line should stay readable.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("install: %T is no JSON scalar: %v", v, err)) // a programming error: callers pass scalars
	}
	return strings.TrimSuffix(b.String(), "\n")
}
