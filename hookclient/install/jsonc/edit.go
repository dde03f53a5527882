package jsonc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// children are those of an object or an array, with what stands around them. One of the two is
// set: what an object and an array have in common is told once.
type children struct {
	obj *hujson.Object
	arr *hujson.Array
}

// childrenOf must be called with a container.
func childrenOf(n *Node) children {
	obj, _ := n.value.Value.(*hujson.Object)
	arr, _ := n.value.Value.(*hujson.Array)
	return children{obj, arr}
}

// len counts members or elements.
func (c children) len() int {
	if c.obj != nil {
		return len(c.obj.Members)
	}
	return len(c.arr.Elements)
}

// before is what stands before child i, its key included: from the bracket or the comma on.
func (c children) before(i int) *hujson.Extra {
	if c.obj != nil {
		return &c.obj.Members[i].Name.BeforeExtra
	}
	return &c.arr.Elements[i].BeforeExtra
}

// after is what stands between child i and its comma; nil for the last one when no comma
// follows it.
func (c children) after(i int) *hujson.Extra {
	if c.obj != nil {
		return &c.obj.Members[i].Value.AfterExtra
	}
	return &c.arr.Elements[i].AfterExtra
}

// rest is what stands before the closing bracket.
func (c children) rest() *hujson.Extra {
	if c.obj != nil {
		return &c.obj.AfterExtra
	}
	return &c.arr.AfterExtra
}

// add puts a child behind the last one; name is not used in an array.
func (c children) add(name, value hujson.Value) {
	if c.obj != nil {
		c.obj.Members = append(c.obj.Members, hujson.ObjectMember{Name: name, Value: value})
		return
	}
	c.arr.Elements = append(c.arr.Elements, value)
}

// drop takes a child out, with what hujson counts to it. What must stay was moved before.
func (c children) drop(i int) {
	if c.obj != nil {
		c.obj.Members = slices.Delete(c.obj.Members, i, i+1)
		return
	}
	c.arr.Elements = slices.Delete(c.arr.Elements, i, i+1)
}

// commit makes what was done to the parsed text the text of d. The text is parsed anew, which
// makes the nodes and proves that the edit is sound.
func (d *Document) commit() error {
	src := bytes.TrimSuffix(d.value.Pack(), []byte("\n")) // which read has added
	if d.HasMark(d.Src) {
		copy(src, ByteOrderMark)
	}
	if err := d.read(src); err != nil {
		return fmt.Errorf("edit of the settings text: %w", err)
	}
	return nil
}

// AppendMember adds name: v as the last member of obj.
func (d *Document) AppendMember(obj *Node, name string, v any) error {
	return d.append(obj, name, v)
}

// AppendItem adds v as the last item of arr.
func (d *Document) AppendItem(arr *Node, v any) error { return d.append(arr, "", v) }

// append puts v behind the last child of n, under name when n is an object. The comments around
// the last child stay where they are. Nothing is written when the container cannot take the
// value: commit has the last word.
func (d *Document) append(n *Node, name string, v any) error {
	c := childrenOf(n)
	lead, text := d.room(n, c, v)
	var key, value hujson.Value
	// The value goes in as one literal and is parsed with the rest by commit.
	value.Value = hujson.Literal(text)
	if c.obj != nil {
		before, after, _ := strings.Cut(d.style.colon, ":")
		key.Value = hujson.Literal(d.quote(name))
		key.AfterExtra, value.BeforeExtra = hujson.Extra(before), hujson.Extra(after)
	}
	if last := c.len() - 1; last >= 0 && *c.after(last) != nil {
		value.AfterExtra = hujson.Extra{} // the comma after the last one stays one
	}
	c.add(key, value)
	*c.before(c.len() - 1) = hujson.Extra(lead)
	return d.commit()
}

// room makes room for a further child v in n. It returns what stands before the child, and
// the text of v.
func (d *Document) room(n *Node, c children, v any) (lead, text string) {
	rest := c.rest()
	if c.len() == 0 {
		return d.roomInEmpty(n, rest, v)
	}
	indent, ok := d.childIndent(n, c)
	// Children on one line get another one on that line.
	if !ok {
		return d.style.comma[1:], d.compact(v)
	}
	line, end := lineLength(*rest), 0 // comments on the line of the last child stay with it
	for _, r := range comments(*rest) {
		if r[0] < line {
			end = r[1]
		}
	}
	lead = string((*rest)[:end]) + d.style.newline + indent
	*rest = (*rest)[end:]
	return lead, d.render(v, indent)
}

// roomInEmpty makes room behind the comments in an empty container. Comments in it stay where
// they are, before the first child.
func (d *Document) roomInEmpty(n *Node, rest *hujson.Extra, v any) (lead, text string) {
	lead = strings.TrimRight(string(*rest), " \t\r\n")
	if !d.style.pretty {
		if *rest = nil; lead != "" {
			lead += d.style.newline
		}
		return lead, d.compact(v)
	}
	outer := lineIndent(d.Src, n.Start)
	indent := outer + d.style.indent
	*rest = hujson.Extra(d.style.newline + outer)
	return lead + d.style.newline + indent, d.render(v, indent)
}

// childIndent is the indentation of n's children, when they stand on lines of their own. The
// first child that begins a line tells, as authors do not always indent all alike.
func (d *Document) childIndent(n *Node, c children) (string, bool) {
	for i := range n.Items {
		if bytes.Contains(*c.before(i), []byte("\n")) {
			return lineIndent(d.Src, n.childStart(i)), true
		}
	}
	return "", false
}

// childStart is where child i begins, its key included.
func (n *Node) childStart(i int) int {
	if n.Kind == ObjectKind {
		return n.Keys[i].Start
	}
	return n.Items[i].Start
}

// Replace puts v in the place of n. Comments inside of n go with it; those around it stay.
func (d *Document) Replace(n *Node, v any) error {
	text := d.compact(v)
	// A value on several lines is replaced by one on several lines.
	if bytes.Contains(d.Src[n.Start:n.End], []byte("\n")) {
		text = d.render(v, lineIndent(d.Src, n.Start))
	}
	n.value.Value = hujson.Literal(text)
	return d.commit()
}

// Remove takes out those children of n for which drop says so, each with its comma and the
// white space that led to it. Comments stay. An emptied container reads {} or [], with the
// comments that were in it.
func (d *Document) Remove(n *Node, drop func(i int) bool) error {
	c := childrenOf(n)
	var gone []int
	for i := range n.Items {
		if drop(i) {
			gone = append(gone, i)
		}
	}
	// From the end, so that the places of those still to go stay right.
	for _, i := range slices.Backward(gone) {
		switch {
		// The last one: the container reads empty afterwards.
		case c.len() == 1:
			*c.rest() = d.alone(n, *c.before(0), *c.after(0), *c.rest())
		case i == 0:
			d.joinFirst(c)
		default:
			d.joinBehind(c, i)
		}
		c.drop(i)
	}
	return d.commit()
}

// joinFirst lets the second child stand where the first one, which goes, stands. The comments
// between the two then stand before the one that is left.
func (d *Document) joinFirst(c children) {
	between := slices.Concat(*c.after(0), *c.before(1))
	if len(comments(between)) == 0 {
		between = nil
	}
	*c.before(1) = slices.Concat(*c.before(0), between)
}

// joinBehind closes the gap that child i, before which another one stays, leaves.
func (d *Document) joinBehind(c children, i int) {
	before, lead, trail := c.after(i-1), *c.before(i), *c.after(i)
	next := c.rest()
	if i+1 < c.len() {
		next = c.before(i + 1)
	}
	switch {
	case len(comments(*before)) == 0 && len(comments(lead)) == 0:
		*before = trail
	case i+1 == c.len() && trail == nil: // no comma is left to follow the one before
		*next = d.join(slices.Concat(*before, lead), *next)
		*before = nil
	default:
		*next = d.join(slices.Concat(lead, trail), *next)
		if *before == nil {
			*before = hujson.Extra{} // the comma after child i is now the one after this
		}
	}
}

// join puts the comments at the beginning of a before b, which must not get into one.
func (d *Document) join(a, b hujson.Extra) hujson.Extra {
	list := comments(a)
	if len(list) == 0 {
		return b
	}
	last := list[len(list)-1]
	a = a[:last[1]]
	line := lineLength(b)
	if a[last[0]+1] == '/' && (line == len(b) || len(bytes.TrimSpace(b[:line])) > 0) {
		a = append(bytes.Clone(a), d.style.newline...)
	}
	return slices.Concat(a, b)
}

// alone is the text of a container that n becomes: the comments that stood around its only
// child, each on a line of its own.
func (d *Document) alone(n *Node, around ...hujson.Extra) hujson.Extra {
	var b strings.Builder
	outer := lineIndent(d.Src, n.Start)
	for _, e := range around {
		for _, c := range comments(e) {
			b.WriteString(d.style.newline + outer + d.style.indent)
			b.Write(e[c[0]:c[1]])
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return hujson.Extra(b.String() + d.style.newline + outer)
}
