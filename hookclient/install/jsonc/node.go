package jsonc

import (
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds.
const (
	ObjectKind Kind = iota
	ArrayKind
	StringKind
	NumberKind
	BoolKind
	NullKind
)

// String names a kind as it stands in a sentence: "an object".
func (k Kind) String() string {
	return [...]string{"an object", "an array", "a string", "a number", "true or false", "null"}[k]
}

// Node is one JSON value and where it lies: Document.Src[Start:End]. Nodes are valid until the
// next edit. Callers read them and change none.
type Node struct {
	Kind       Kind
	Start, End int
	Text       string  // StringKind: decoded; NumberKind, BoolKind, NullKind: as written
	Keys       []Key   // ObjectKind: Keys[i] names Items[i]
	Items      []*Node // ObjectKind, ArrayKind

	value *hujson.Value
}

// Key is an object's member name, with the place of its quoted text.
type Key struct {
	Name       string
	Start, End int
}

// Member returns the value called name, or nil. A nil node has no members.
func (n *Node) Member(name string) *Node {
	if n == nil || n.Kind != ObjectKind {
		return nil
	}
	for i, k := range n.Keys {
		if k.Name == name {
			return n.Items[i]
		}
	}
	return nil
}

// Children returns the items of n's array member called name, or of the array n itself
// when name is empty; nothing when there is no such array.
func (n *Node) Children(name string) []*Node {
	if name != "" {
		n = n.Member(name)
	}
	if n == nil || n.Kind != ArrayKind {
		return nil
	}
	return n.Items
}

// IsTrue reports whether n is the word true.
func (n *Node) IsTrue() bool { return n != nil && n.Kind == BoolKind && n.Text == "true" }

// String is the text of n, "" for nil.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// reader turns what hujson has parsed into nodes, and notes what strict JSON has not. It is used
// once for each text.
type reader struct {
	src      []byte
	comments []int // where they begin, in the order of the text
	commas   []int // those before a closing bracket, likewise
}

// node reads v and all in it. An error ends the reading; no tree is returned with it.
func (r *reader) node(v *hujson.Value) (*Node, error) {
	r.note(v.BeforeExtra, v.StartOffset-len(v.BeforeExtra))
	n := &Node{Start: v.StartOffset, End: v.EndOffset, value: v}
	var err error
	switch value := v.Value.(type) {
	case *hujson.Object:
		err = r.object(n, value)
	case *hujson.Array:
		n.Kind = ArrayKind
		for i := range value.Elements {
			item, err := r.node(&value.Elements[i])
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
		r.end(n, value.AfterExtra)
	case hujson.Literal:
		n.Kind = map[hujson.Kind]Kind{'"': StringKind, '0': NumberKind, 't': BoolKind, 'f': BoolKind, 'n': NullKind}[value.Kind()]
		// Agents differ in what they make of such a string, and an edit would write other bytes.
		if !utf8.Valid(value) {
			err = syntaxError(r.src, n.Start, cureEdit, "a string that is not valid UTF-8")
		}
		n.Text = value.String()
	}
	r.note(v.AfterExtra, v.EndOffset)
	return n, err
}

// object reads the members of an object, and refuses a key that is there twice: which of
// the two counts differs from reader to reader. Keys are compared as they read, so an escape does
// not hide a double.
func (r *reader) object(n *Node, o *hujson.Object) error {
	seen := map[string]int{}
	for i := range o.Members {
		name, err := r.node(&o.Members[i].Name)
		if err != nil {
			return err
		}
		if first, twice := seen[name.Text]; twice {
			line, _ := Locate(r.src, first)
			return syntaxError(r.src, name.Start, cureEdit, "key %q appears twice in one object, first in line %d", name.Text, line)
		}
		seen[name.Text] = name.Start
		item, err := r.node(&o.Members[i].Value)
		if err != nil {
			return err
		}
		n.Keys, n.Items = append(n.Keys, Key{name.Text, name.Start, name.End}), append(n.Items, item)
	}
	r.end(n, o.AfterExtra)
	return nil
}

// note keeps in mind where the comments of e are, which begins at the offset at.
func (r *reader) note(e hujson.Extra, at int) {
	for _, c := range comments(e) {
		r.comments = append(r.comments, at+c[0])
	}
}

// end notes what stands between the last child of a container and its closing bracket.
func (r *reader) end(n *Node, rest hujson.Extra) {
	if c := childrenOf(n); c.len() > 0 && *c.after(c.len() - 1) != nil {
		last := n.Items[c.len()-1]
		r.commas = append(r.commas, last.End+len(*c.after(c.len() - 1)))
	}
	r.note(rest, n.End-1-len(rest))
}
