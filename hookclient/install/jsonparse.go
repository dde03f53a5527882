package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds nesting, so that a hostile file cannot overflow the stack.
const maxDepth = 200

type kind uint8

const (
	kindObject kind = iota
	kindArray
	kindString
	kindNumber
	kindBool
	kindNull
)

var kindNames = map[kind]string{
	kindObject: "an object", kindArray: "an array", kindString: "a string",
	kindNumber: "a number", kindBool: "true or false", kindNull: "null",
}

// node is one JSON value and where it lies: src[start:end].
type node struct {
	kind       kind
	start, end int
	text       string  // kindString: decoded; kindNumber, kindBool: as written
	keys       []key   // kindObject: keys[i] names items[i]
	items      []*node // kindObject, kindArray
}

// key is an object's member name, with the place of its quoted text.
type key struct {
	name       string
	start, end int
}

// member returns the value called name, or nil.
func (n *node) member(name string) *node {
	if n == nil || n.kind != kindObject {
		return nil
	}
	for i, k := range n.keys {
		if k.name == name {
			return n.items[i]
		}
	}
	return nil
}

// children returns the items of n's array member called name, or of the array n itself
// when name is empty; nothing when there is no such array.
func (n *node) children(name string) []*node {
	if name != "" {
		n = n.member(name)
	}
	if n == nil || n.kind != kindArray {
		return nil
	}
	return n.items
}

// childStart is where child i begins, its key included.
func (n *node) childStart(i int) int {
	if n.kind == kindObject {
		return n.keys[i].start
	}
	return n.items[i].start
}

// at returns the outermost value that begins at offset, n itself or one in it.
func (n *node) at(offset int) *node {
	if n.start == offset {
		return n
	}
	for _, item := range n.items {
		if item.start <= offset && offset < item.end {
			return item.at(offset)
		}
	}
	return nil
}

// SyntaxError is a place in a settings file that cannot be read or edited.
type SyntaxError struct {
	Path      string // file as named by the user
	Line, Col int    // from 1; Col counts characters, not bytes
	Problem   string // what is wrong there
	Cure      string // what to do about it
}

// Error reads "path:line:column: problem; cure".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.Path, e.Line, e.Col, e.Problem, e.Cure)
}

// locate turns a byte offset of src into a line and a column, both from 1.
func locate(src []byte, offset int) (line, col int) {
	before := src[:min(offset, len(src))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

func syntaxErrorAt(src []byte, offset int, cure, format string, args ...any) *SyntaxError {
	line, col := locate(src, offset)
	return &SyntaxError{Line: line, Col: col, Problem: fmt.Sprintf(format, args...), Cure: cure}
}

const cureEdit = "correct the file by hand, then run this again; nothing was changed"

// parse reads src as one strict JSON value (RFC 8259, valid UTF-8, no key twice in an
// object, no byte order mark) for the agent of that title. Its error is a *SyntaxError
// without a path.
func parse(src []byte, title string) (*node, error) {
	p := &parser{src: src, title: title}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		return nil, p.fail(0, "save it as UTF-8 without the mark; nothing was changed", "the file begins with a byte order mark")
	}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err = p.space(); err != nil {
		return nil, err
	}
	if p.pos < len(src) {
		return nil, p.fail(p.pos, cureEdit, "unexpected %s after the end of the JSON value", p.seen())
	}
	return root, nil
}

type parser struct {
	src   []byte
	pos   int
	title string // of the agent whose file it is
}

func (p *parser) fail(offset int, cure, format string, args ...any) error {
	return syntaxErrorAt(p.src, offset, cure, format, args...)
}

// seen names what stands at the current place, for messages.
func (p *parser) seen() string {
	if p.pos >= len(p.src) {
		return "end of file"
	}
	r, size := utf8.DecodeRune(p.src[p.pos:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte 0x%02x", p.src[p.pos])
	}
	return fmt.Sprintf("%q", r)
}

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// space skips white space and names a comment for what it is.
func (p *parser) space() error {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		case '/', '#':
			return p.fail(p.pos, "JSON has no comments, and "+p.title+" ignores the whole file because of one: remove it; nothing was changed", "a comment")
		default:
			return nil
		}
	}
	return nil
}

// value reads the next value, with white space before it.
func (p *parser) value(depth int) (*node, error) {
	if err := p.space(); err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, p.fail(p.pos, cureEdit, "nested more than %d levels deep", maxDepth)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		start := p.pos
		s, err := p.str()
		return &node{kind: kindString, start: start, end: p.pos, text: s}, err
	case c == '-' || isDigit(c):
		return p.number()
	default:
		return p.literal()
	}
}

func (p *parser) object(depth int) (*node, error) {
	n := &node{kind: kindObject, start: p.pos}
	seen := map[string]int{}
	err := p.list('}', func() error {
		k := key{start: p.pos}
		if p.peek() != '"' {
			return p.fail(p.pos, cureEdit, "expected a key in double quotes, found %s", p.seen())
		}
		var err error
		if k.name, err = p.str(); err != nil {
			return err
		}
		k.end = p.pos
		if first, twice := seen[k.name]; twice {
			line, _ := locate(p.src, first)
			return p.fail(k.start, cureEdit, "key %q appears twice in one object, first in line %d", k.name, line)
		}
		seen[k.name] = k.start
		if err = p.space(); err != nil {
			return err
		}
		if p.peek() != ':' {
			return p.fail(p.pos, cureEdit, "expected ':' after key %q, found %s", k.name, p.seen())
		}
		p.pos++
		v, err := p.value(depth + 1)
		n.keys, n.items = append(n.keys, k), append(n.items, v)
		return err
	})
	n.end = p.pos
	return n, err
}

func (p *parser) array(depth int) (*node, error) {
	n := &node{kind: kindArray, start: p.pos}
	err := p.list(']', func() error {
		v, err := p.value(depth + 1)
		n.items = append(n.items, v)
		return err
	})
	n.end = p.pos
	return n, err
}

// list reads the children between the opening bracket at the current place and
// closing; child is called at the first byte of each.
func (p *parser) list(closing byte, child func() error) error {
	opened := p.pos
	p.pos++
	for first := true; ; first = false {
		if err := p.space(); err != nil {
			return err
		}
		if first && p.peek() == closing {
			p.pos++
			return nil
		}
		if err := child(); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		switch c := p.peek(); {
		case c == closing:
			p.pos++
			return nil
		case c == ',':
			if err := p.comma(closing); err != nil {
				return err
			}
		case p.pos >= len(p.src):
			line, _ := locate(p.src, opened)
			return p.fail(p.pos, cureEdit, "the file ends before the '%c' of line %d is closed", p.src[opened], line)
		default:
			return p.fail(p.pos, cureEdit, "expected ',' or '%c', found %s", closing, p.seen())
		}
	}
}

// comma steps over a comma and refuses one that nothing follows.
func (p *parser) comma(closing byte) error {
	at := p.pos
	p.pos++
	if err := p.space(); err != nil {
		return err
	}
	if p.peek() == closing {
		return p.fail(at, p.title+" ignores the whole file because of it: remove the comma; nothing was changed", "a comma before the closing '%c'", closing)
	}
	return nil
}

// str reads a quoted string and returns it decoded.
func (p *parser) str() (string, error) {
	start := p.pos
	for p.pos++; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return p.decode(start)
		case c == '\\':
			p.pos++
		case c < 0x20:
			return "", p.fail(p.pos, cureEdit, "a raw control character 0x%02x in a string", c)
		}
	}
	p.pos = min(p.pos, len(p.src))
	return "", p.fail(start, cureEdit, "a string without its closing quote")
}

func (p *parser) decode(start int) (string, error) {
	raw := p.src[start:p.pos]
	if !utf8.Valid(raw) {
		return "", p.fail(start, cureEdit, "a string that is not valid UTF-8")
	}
	if !bytes.ContainsRune(raw, '\\') {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", p.fail(start, cureEdit, "a string with an unknown escape")
	}
	return s, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *parser) number() (*node, error) {
	start := p.pos
	for strings.IndexByte("+-.0123456789eE", p.peek()) >= 0 && p.pos < len(p.src) {
		p.pos++
	}
	text := string(p.src[start:p.pos])
	if !json.Valid([]byte(text)) {
		return nil, p.fail(start, cureEdit, "%q is not a JSON number", text)
	}
	return &node{kind: kindNumber, start: start, end: p.pos, text: text}, nil
}

func (p *parser) literal() (*node, error) {
	for word, kind := range map[string]kind{"true": kindBool, "false": kindBool, "null": kindNull} {
		if bytes.HasPrefix(p.src[p.pos:], []byte(word)) {
			n := &node{kind: kind, start: p.pos, end: p.pos + len(word), text: word}
			p.pos = n.end
			return n, nil
		}
	}
	if p.pos >= len(p.src) {
		return nil, p.fail(p.pos, cureEdit, "the file ends where a value should be")
	}
	return nil, p.fail(p.pos, cureEdit, "expected a value, found %s", p.seen())
}
