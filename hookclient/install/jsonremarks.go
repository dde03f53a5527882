package install

import (
	"bytes"
	"strings"
)

// syntax says what an agent's settings may hold beside strict JSON.
type syntax uint8

const (
	strictJSON  syntax = iota
	commentJSON        // comments; a comma before a closing bracket and a byte order mark are kept as well
	slashJSON          // all that follows "//" on a line is cut away, inside strings too
)

const byteOrderMark = "\xef\xbb\xbf"

// plain blanks what is not strict JSON, so that places stay where they are.
func (s syntax) plain(src []byte) []byte {
	switch s {
	case commentJSON:
		out := plainJSON(src)
		if bytes.HasPrefix(out, []byte(byteOrderMark)) {
			copy(out, "   ")
		}
		return out
	case slashJSON:
		return cutSlashes(src)
	case strictJSON:
	}
	return src
}

// remarks lists where the comments between from and to are, each without its newline.
// Nothing else than white space, commas and colons may stand there beside them.
func (d *document) remarks(from, to int) [][2]int {
	var list [][2]int
	for i := from; i < to; i++ {
		if d.src[i] != '/' || i+1 == to {
			continue
		}
		end := i + lineLength(d.src[i:to])
		if d.src[i+1] == '*' {
			end = to
			if n := bytes.Index(d.src[i+2:to], []byte("*/")); n >= 0 {
				end = i + 2 + n + 2
			}
		} else if end > i && d.src[end-1] == '\r' {
			end--
		}
		list = append(list, [2]int{i, end})
		i = end - 1
	}
	return list
}

// remarkAfter is where the comments end that follow on the line of n's last child; the
// child's own end where there are none. comma tells whether a comma follows the child
// before that place.
func (d *document) remarkAfter(n *node) (after int, comma bool) {
	end := n.items[len(n.items)-1].end
	line := end + lineLength(d.src[end:])
	after, from, commaAt := end, end, -1
	for _, r := range append(d.remarks(end, n.end-1), [2]int{n.end - 1, n.end - 1}) {
		if i := bytes.IndexByte(d.src[from:r[0]], ','); i >= 0 {
			commaAt = from + i
		}
		if from = r[1]; r[0] < line && r[0] < r[1] {
			after = r[1]
		}
	}
	if commaAt >= after {
		return end, false // it then follows the new child
	}
	return after, commaAt >= 0
}

// cutsBefore is what goes with the first child, which another one follows: the child, the
// comma, and the white space before the next. Comments between them stay.
func (d *document) cutsBefore(n *node) [][2]int {
	start, end, next := n.childStart(0), n.items[0].end, n.childStart(1)
	if len(d.remarks(end, next)) == 0 {
		return [][2]int{{start, next}}
	}
	comma := end + bytes.IndexByte(d.plain[end:next], ',')
	return [][2]int{{start, end}, {comma, comma + 1}}
}

// cutsBehind is what goes with child i, before which another one stays: the child, one
// comma, and the white space before it. Comments on the lines before it stay.
func (d *document) cutsBehind(n *node, i int) [][2]int {
	before, start, end := n.items[i-1].end, n.childStart(i), n.items[i].end
	remarks := d.remarks(before, start)
	if len(remarks) == 0 {
		return [][2]int{{before, end}}
	}
	last := remarks[len(remarks)-1]
	comma := before + bytes.IndexByte(d.plain[before:start], ',')
	if comma >= last[1] {
		return [][2]int{{d.cutAfter(last, end), end}}
	}
	if next := d.commaAfter(end); next > 0 {
		return [][2]int{{d.cutAfter(last, next), next}}
	}
	return [][2]int{{comma, comma + 1}, {d.cutAfter(last, end), end}}
}

// cutAfter is where a cut that ends at end may begin behind a comment: what follows must
// not get into the comment.
func (d *document) cutAfter(remark [2]int, end int) int {
	line := d.src[end : end+lineLength(d.src[end:])]
	if d.src[remark[0]+1] == '*' || len(bytes.TrimSpace(line)) == 0 && end+len(line) < len(d.src) {
		return remark[1]
	}
	return min(end, remark[1]+lineLength(d.src[remark[1]:])+1)
}

// commaAfter is the place behind the comma that follows end, 0 where none does.
func (d *document) commaAfter(end int) int {
	for i := end; i < len(d.src); i++ {
		switch d.src[i] {
		case ' ', '\t', '\r', '\n':
		case ',':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// remarksIn is the text of an emptied container n: the comments that stood around its
// children.
func (d *document) remarksIn(n *node) string {
	var b strings.Builder
	from, outer := n.start+1, lineIndent(d.src, n.start)
	for i := 0; i <= len(n.items); i++ {
		to, next := n.end-1, n.end-1
		if i < len(n.items) {
			to, next = n.childStart(i), n.items[i].end
		}
		for _, r := range d.remarks(from, to) {
			b.WriteString(d.style.newline + outer + d.style.indent)
			b.Write(d.src[r[0]:r[1]])
		}
		from = next
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + d.style.newline + outer
}

// tokens is d without white space and commas: what two texts have in common that differ
// in nothing else.
func (d *document) tokens() []byte {
	var out []byte
	bare := blankJSON(d.src, false)
	if d.syntax == slashJSON {
		bare = d.plain
	}
	for i := 0; i < len(d.src); i++ {
		switch c := d.src[i]; {
		case c == '"' && bare[i] == '"':
			end := stringEnd(d.src, i)
			out = append(out, d.src[i:end+1]...)
			i = end
		case c == ',' && bare[i] == ',', c == ' ', c == '\t', c == '\r', c == '\n':
		default:
			out = append(out, c)
		}
	}
	return out
}
