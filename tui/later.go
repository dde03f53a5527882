package tui

import "slices"

// later leaves n rows to be drawn by draw when they are first looked at: a call may have
// very many, and the first frame shows some. draw must add n rows.
func (d *doc) later(n int, draw func(*paper)) {
	d.undrawn = append(d.undrawn, undrawn{len(d.rows), len(d.rows) + n, draw})
	d.rows = append(d.rows, make([]string, n)...)
}

// undrawn are rows [from, to) of a doc that nobody has looked at.
type undrawn struct {
	from, to int
	draw     func(*paper)
}

// look gives rows [from, to) of the doc, as far as it has them, drawn. Rows that are to
// be shown are taken by it.
func (d *doc) look(from, to int) []string {
	from, to = min(from, len(d.rows)), min(to, len(d.rows))
	for i := range d.undrawn {
		u := &d.undrawn[i]
		if u.draw == nil || u.to <= from || u.from >= to {
			continue
		}
		p := paper{st: d.st, width: d.width, rows: make([]string, 0, u.to-u.from)}
		u.draw(&p)
		u.draw = nil
		if len(p.rows) == u.to-u.from {
			copy(d.rows[u.from:u.to], p.rows)
			continue
		}
		d.rows = slices.Replace(d.rows, u.from, u.to, p.rows...) // never seen; and yet no row may be lost
		d.shift(u.to, len(p.rows)-(u.to-u.from))
		to = min(to, len(d.rows))
		from = min(from, to)
	}
	return d.rows[from:to]
}

// shift moves what is known of rows from one on.
func (d *doc) shift(from, by int) {
	for i := range d.undrawn {
		if d.undrawn[i].from >= from {
			d.undrawn[i].from += by
			d.undrawn[i].to += by
		}
	}
	for i := range d.anchors {
		if d.anchors[i].row >= from {
			d.anchors[i].row += by
		}
	}
	if d.callEnd >= from {
		d.callEnd += by
	}
}

// lookAtAll draws all that is left.
func (d *doc) lookAtAll() *doc {
	d.look(0, len(d.rows))
	d.undrawn = nil
	return d
}
