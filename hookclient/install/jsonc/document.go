// Package jsonc reads and edits the settings of coding agents, which are JSON, some of
// them with comments.
//
// The text is parsed by hujson, which keeps every byte: an edit puts a value in or takes
// one out, and all that the user wrote around it stays, order, spacing and comments. A
// new value is written in the style of the file.
//
// Three things are added to hujson. Agents differ in what they read beside strict JSON,
// and a file that its agent would not read is refused with line and column. A key that is
// twice in an object is refused, and so is nesting that could exhaust the stack. And the
// last comment of a file needs no newline.
//
// How a call passes through: Parse gives a Document with its Root. Callers walk the
// nodes, hand one back to Append, Replace or Remove, and write Document.Src. An edit
// makes all nodes void; look them up again from Root.
//
// What is promised: a text that is parsed and not edited is written back byte for byte; an edit
// changes what it must, and no byte of what the user wrote beside it.
package jsonc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// What a text may hold: hujson calls itself for each level, and takes some hundred bytes for
// each value. A hostile file must exhaust neither the stack nor the memory.
const (
	maxDepth  = 200
	maxValues = 1 << 20
)

// Syntax says what an agent's settings may hold beside strict JSON. It is a property of the agent
// and not of the file: the same text may be fine for one agent and dead for another.
type Syntax uint8

// The syntaxes.
const (
	Strict   Syntax = iota
	Comments        // comments; a comma before a closing bracket and a byte order mark are kept as well
	Slashes         // all that follows "//" on a line is cut away, inside strings too
)

// ByteOrderMark is what some editors put before a text.
const ByteOrderMark = "\xef\xbb\xbf"

// Document is a JSON text under the knife. Src and Root always fit together. A failed edit leaves
// both as they were, and spoils value: throw the Document away then.
type Document struct {
	Src   []byte
	Root  *Node
	Title string // of the agent whose file it is

	syntax   Syntax
	value    hujson.Value
	style    style
	comments []int
	commas   []int
}

// Parse reads src the way that the agent of that title does. A blank text counts as an empty
// object. The error is a *SyntaxError without a path. src becomes Document.Src, so the caller
// must not change it.
func Parse(src []byte, syntax Syntax, title string) (*Document, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	d := &Document{syntax: syntax, Title: title}
	if err := d.read(src); err != nil {
		return nil, err
	}
	d.style = detectStyle(d.Src, d.Root)
	return d, nil
}

// read parses src and puts it in the place of what d was. Places in errors are those of src,
// whatever was cut away or added for parsing.
func (d *Document) read(src []byte) error {
	if d.syntax == Slashes {
		// It is parsed as strict JSON: after the cut nothing else may be left.
		cut := &Document{Title: d.Title}
		if err := cut.read(CutSlashes(src)); err != nil {
			return d.blameSlashes(src, err)
		}
	}
	text := append(bytes.Clone(src), '\n') // which a comment at the end may be without
	if d.HasMark(src) {
		// Other agents take the mark for a broken beginning.
		if d.syntax != Comments {
			return syntaxError(src, 0, "save it as UTF-8 without the mark; nothing was changed", "the file begins with a byte order mark")
		}
		// The mark has three bytes, and blanks in their place keep every offset.
		copy(text, "   ")
	}
	if at, problem := tooMuch(text); problem != "" {
		return syntaxError(src, at, cureEdit, "%s", problem)
	}
	value, err := hujson.Parse(text)
	if err != nil {
		return explain(src, err)
	}
	r := &reader{src: src}
	root, err := r.node(&value)
	if err == nil && d.syntax == Strict {
		err = r.strict(d.Title)
	}
	if err != nil {
		return err
	}
	d.Src, d.Root, d.value, d.comments, d.commas = src, root, value, r.comments, r.commas
	return nil
}

// strict refuses what strict JSON has not, the first such place. The cure names the agent, since
// it is the agent that does not read it.
func (r *reader) strict(title string) error {
	if len(r.comments) > 0 {
		return syntaxError(r.src, r.comments[0], "JSON has no comments, and "+title+" ignores the whole file because of one: remove it; nothing was changed", "a comment")
	}
	if len(r.commas) > 0 {
		at := r.commas[0]
		closing := bytes.TrimLeft(r.src[at+1:], " \t\r\n")[0]
		return syntaxError(r.src, at, title+" ignores the whole file because of it: remove the comma; nothing was changed", "a comma before the closing '%c'", closing)
	}
	return nil
}

// HasMark reports whether src begins with a byte order mark.
func (d *Document) HasMark(src []byte) bool { return bytes.HasPrefix(src, []byte(ByteOrderMark)) }

// HasComments reports whether there is a comment anywhere.
func (d *Document) HasComments() bool { return len(d.comments) > 0 }

// SpareCommas are the offsets of the commas before a closing bracket.
func (d *Document) SpareCommas() []int { return d.commas }

// IsBlank reports whether nothing stands in obj's member of that name, which is a
// container: no comment either. A member that is missing or is no container is not blank.
func (d *Document) IsBlank(obj *Node, name string) bool {
	n := obj.Member(name)
	if n == nil || n.Kind != ObjectKind && n.Kind != ArrayKind || len(n.Items) > 0 {
		return false
	}
	i := slices.Index(obj.Items, n)
	from, _ := slices.BinarySearch(d.comments, obj.Keys[i].End)
	return from == len(d.comments) || d.comments[from] >= n.End
}

// Tokens is d without white space and commas: what two texts have in common that differ
// in nothing else. It is for comparing. What it returns is no text to write.
func (d *Document) Tokens() []byte {
	var out []byte
	if d.HasMark(d.Src) {
		out = append(out, ByteOrderMark...)
	}
	return d.tokens(out, &d.value, "")
}

// tokens adds those of v to out; before stands between the comments before v and v. Comments
// count as tokens, since their author would miss them.
func (d *Document) tokens(out []byte, v *hujson.Value, before string) []byte {
	out = append(appendComments(out, v.BeforeExtra), before...)
	switch value := v.Value.(type) {
	case *hujson.Object:
		out = append(out, '{')
		for i := range value.Members {
			out = d.tokens(out, &value.Members[i].Name, ",")
			out = d.tokens(out, &value.Members[i].Value, ":")
		}
		out = append(appendComments(out, value.AfterExtra), '}')
	case *hujson.Array:
		out = append(out, '[')
		for i := range value.Elements {
			out = d.tokens(out, &value.Elements[i], ",")
		}
		out = append(appendComments(out, value.AfterExtra), ']')
	case hujson.Literal:
		out = append(out, value...)
	}
	return appendComments(out, v.AfterExtra)
}

// appendComments adds the comments of e without what is between them.
func appendComments(out []byte, e hujson.Extra) []byte {
	for _, c := range comments(e) {
		out = append(out, e[c[0]:c[1]]...)
	}
	return out
}

// explain turns an error of hujson, which counts bytes, into one of ours. hujson tells line and
// column in its text alone, in bytes; people count characters.
func explain(src []byte, err error) error {
	line, col := 1, 1
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &col) // else the file's beginning is named
	at := 0
	for range line - 1 {
		at += lineLength(src[at:]) + 1
		at = min(at, len(src))
	}
	problem := cmp.Or(errors.Unwrap(err), err).Error()
	// hujson repeats the whole text of it, which can be long.
	if literal, ok := strings.CutPrefix(problem, "invalid literal: "); ok {
		problem = fmt.Sprintf("%.100q is no JSON value", literal)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		problem = "the file ends too early"
	}
	return syntaxError(src, min(at+col-1, len(src)), cureEdit, "%s", problem)
}

// tooMuch names the first place at which src goes beyond what a text may hold; problem is ""
// when it does not. It runs before hujson does, so it must not be led astray by strings and
// comments itself.
func tooMuch(src []byte) (at int, problem string) {
	depth, values := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			i = stringEnd(src, i)
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = commentEnd(src, i) - 1
		case c == '{' || c == '[':
			// One level more is let pass: hujson and the reader name the place better.
			if depth++; depth > maxDepth+1 {
				return i, fmt.Sprintf("nested more than %d levels deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		// Each value but the first has a comma before it, so commas bound the values.
		case c == ',':
			if values++; values > maxValues {
				return i, fmt.Sprintf("more than %d values", maxValues)
			}
		}
	}
	return 0, ""
}

// stringEnd is where the JSON string that begins at i ends: its closing quote, or the
// last byte.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(src) - 1
}

// commentEnd is where the comment that begins at i ends; the newline behind it is not part
// of one.
func commentEnd(src []byte, i int) int {
	if src[i+1] == '/' {
		end := i + lineLength(src[i:])
		if src[end-1] == '\r' {
			end--
		}
		return end
	}
	if n := bytes.Index(src[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return len(src)
}

// lineLength is how many bytes there are before the line's end.
func lineLength(src []byte) int {
	if n := bytes.IndexByte(src, '\n'); n >= 0 {
		return n
	}
	return len(src)
}

// comments lists where the comments of e are, each without its newline.
func comments(e hujson.Extra) [][2]int {
	var list [][2]int
	for i := 0; i < len(e); i++ {
		if e[i] == '/' {
			end := commentEnd(e, i)
			list = append(list, [2]int{i, end})
			i = end - 1
		}
	}
	return list
}
