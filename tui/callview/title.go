package callview

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
)

// besideTitle is how many cells a frame may need beside the title: "▼ 1,234 more rows".
const besideTitle = 21

// name makes the title: the tool, and whose call it is where the frame has room.
func (d *Doc) name(r broker.Request, a Around) {
	d.Title = draw.SafeLine(r.ToolName)
	if long := d.Title + quietGap + a.Label; a.Label != "" && draw.Cells(long)+besideTitle <= d.Width {
		d.Title, d.labelInTitle = long, true
	}
}

// changes draws what a call does to files, and the other fields of its input.
func (d *Doc) changes(r broker.Request, list []change.Section, rest []wire.Field, a Around) {
	tool, _ := r.Call()
	if a.Framed {
		d.folder = r.CWD // which stands on the card
	}
	if a.Framed && oneFile(list) {
		d.nameFile(r, list[0].Path)
	}
	if a.folded() {
		list = tellingSections(tool, list)
	}
	d.Changes(list, a.View)
	d.fields(a.telling(tool, rest))
}

// oneFile reports whether the sections are about one file that the call names, and that keeps its
// place.
func oneFile(list []change.Section) bool {
	for i := range list {
		if s := &list[i]; s.Named != (i == 0) || s.Verb != "" || s.MoveTo != "" {
			return false
		}
	}
	return len(list) > 0 && list[0].Path != ""
}

// nameFile puts the only file of a call into the title, as seen from the call's folder. Where it
// would be cut there, it has a row of its own on the card.
func (d *Doc) nameFile(r broker.Request, path string) {
	title := draw.SafeLine(r.ToolName) + " " + draw.SafeLine(Within(path, r.CWD))
	if draw.Cells(title)+besideTitle <= d.Width {
		d.Title, d.pathInTitle, d.labelInTitle = title, true, false
	}
}
