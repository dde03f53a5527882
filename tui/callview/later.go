package callview

import (
	"slices"

	"github.com/aoctl/aoctl/tui/draw"
)

// later leaves n rows to be drawn by draw when they are first looked at: a call may have
// very many, and the first frame shows some. draw must add n rows.
func (d *Doc) later(n int, draw func(*draw.Paper)) {
	d.undrawn = append(d.undrawn, undrawn{len(d.Rows), len(d.Rows) + n, draw})
	d.Rows = append(d.Rows, make([]string, n)...)
}

// undrawn are rows [from, to) of a doc that nobody has looked at.
type undrawn struct {
	from, to int
	draw     func(*draw.Paper)
}

// Look gives rows [from, to) of the doc, as far as it has them, drawn. Rows that are to
// be shown are taken by it.
func (d *Doc) Look(from, to int) []string {
	from, to = min(from, len(d.Rows)), min(to, len(d.Rows))
	for i := range d.undrawn {
		u := &d.undrawn[i]
		if u.draw == nil || u.to <= from || u.from >= to {
			continue
		}
		p := draw.Paper{Styles: d.Styles, Width: d.Width, Rows: make([]string, 0, u.to-u.from)}
		u.draw(&p)
		u.draw = nil
		if len(p.Rows) == u.to-u.from {
			copy(d.Rows[u.from:u.to], p.Rows)
			continue
		}
		d.Rows = slices.Replace(d.Rows, u.from, u.to, p.Rows...) // never seen; and yet no row may be lost
		d.shift(u.to, len(p.Rows)-(u.to-u.from))
		to = min(to, len(d.Rows))
		from = min(from, to)
	}
	return d.Rows[from:to]
}

// shift moves what is known of rows from one on.
func (d *Doc) shift(from, by int) {
	for i := range d.undrawn {
		if d.undrawn[i].from >= from {
			d.undrawn[i].from += by
			d.undrawn[i].to += by
		}
	}
	for i := range d.Anchors {
		if d.Anchors[i].Row >= from {
			d.Anchors[i].Row += by
		}
	}
	if d.CallEnd >= from {
		d.CallEnd += by
	}
}

// LookAtAll draws all that is left.
func (d *Doc) LookAtAll() *Doc {
	d.Look(0, len(d.Rows))
	d.undrawn = nil
	return d
}

// AnchorAt is the last line of a comparison that begins in or above a row, nil when the
// row is above them all.
func (d *Doc) AnchorAt(row int) *anchor {
	var found *anchor
	for i := range d.Anchors {
		if d.Anchors[i].Row > row {
			break
		}
		found = &d.Anchors[i]
	}
	return found
}

// RowOf is where a line is drawn, or the fold that it is in.
func (d *Doc) RowOf(a anchor) int {
	row := 0
	for _, b := range d.Anchors {
		if b.section > a.section || b.section == a.section && b.Line > a.Line {
			break
		}
		row = b.Row
	}
	return row
}
