package callview

import (
	"cmp"

	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	fewFiles    = 3  // of which no overview is needed
	filesListed = 16 // in an overview
	verbWidth   = 8  // cells of what becomes of a file
)

// overview draws which files a call changes.
type overview struct{ *Doc }

// list names the files of a call that changes many, before their changes: which files go or move
// must not be found only by reading hundreds of rows.
func (d overview) list(list []change.Section) {
	var files []*change.Section
	added, gone := map[*change.Section]int{}, map[*change.Section]int{}
	for i := range list {
		s := &list[i]
		if s.Named || len(files) == 0 {
			files = append(files, s)
		}
		of := files[len(files)-1]
		a, g := diff.Tally(s.Lines)
		added[of], gone[of] = added[of]+a, gone[of]+g
	}
	if len(files) <= fewFiles {
		return
	}
	for n, s := range files {
		if n == filesListed {
			d.SayBehind(draw.Text, "", verbWidth, draw.Muted, "and "+figures.Plural(len(files)-n, "more file")+", below")
			break
		}
		d.file(s, added[s], gone[s])
	}
	d.Blank()
}

// file is one file of an overview.
func (d overview) file(s *change.Section, added, gone int) {
	verb, i, path := cmp.Or(s.Verb, "change"), draw.Label, draw.SafeLine(Within(s.Path, d.folder))
	switch {
	case s.Verb == "delete":
		i = draw.Removed
	case s.MoveTo != "":
		verb, path = "move", path+" → "+draw.SafeLine(Within(s.MoveTo, d.folder))
	}
	plus, minus := "", ""
	if added > 0 {
		plus = "  +" + figures.Count(added)
	}
	if gone > 0 {
		minus = " −" + figures.Count(gone)
		if added == 0 {
			minus = " " + minus
		}
	}
	row := d.Styles.Row(d.Width).Put(i, verb).To(verbWidth)
	row.Fit(draw.Text, path, d.Width-row.Width-draw.Cells(plus+minus))
	d.Add(row.Put(draw.Added, plus).Put(draw.Removed, minus))
}
