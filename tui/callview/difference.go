package callview

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
)

// changedField is one parameter that differs between two inputs.
type changedField struct {
	name, old, fresh string
	only             string // that it is only in one of them
}

// changedFields lists what differs, in the order of the first input, then what is new.
func changedFields(asked, edited []byte) []changedField {
	old, fresh := change.ReadInput(asked), change.ReadInput(edited)
	if old.Broken != "" || fresh.Broken != "" {
		return []changedField{{name: "input", old: string(asked), fresh: string(edited)}}
	}
	var list []changedField
	for _, f := range old.Fields {
		now, there := fresh.Raw(f.Key)
		switch {
		case !there:
			list = append(list, changedField{name: f.Key, old: fieldText(f), only: "taken out"})
		case string(now) != string(f.Value):
			c := changedField{name: f.Key, old: fieldText(f), fresh: change.ValueText(now)}
			if c.old == c.fresh { // 1 and "1", or another way to write the same
				c.old, c.fresh = string(f.Value), string(now)
			}
			list = append(list, c)
		}
	}
	for _, f := range fresh.Fields {
		if _, there := old.Raw(f.Key); !there {
			list = append(list, changedField{name: f.Key, fresh: fieldText(f), only: "new"})
		}
	}
	return list
}

// fieldText is a value for a comparison; an empty text is drawn as two quotes, so that
// there is a line for it.
func fieldText(f wire.Field) string {
	if text := change.ValueText(f.Value); text != "" {
		return text
	}
	return `""`
}

// Difference is the unified difference of two inputs of one call, parameter by parameter,
// for the record. It is raw: it holds what the inputs hold.
func Difference(asked, edited []byte) string {
	text := ""
	for _, c := range changedFields(asked, edited) {
		text += unified(c)
	}
	return text
}

// unified is a changed parameter as a unified difference. A break at the end that both
// lack, as commands do, is not worth a word.
func unified(c changedField) string {
	old, fresh := c.old, c.fresh
	if len(old)+len(fresh) > diff.MaxDiffed {
		return "--- " + c.name + "\n+++ " + c.name + "\n(too long to compare)\n"
	}
	if !strings.HasSuffix(old, "\n") && !strings.HasSuffix(fresh, "\n") {
		if old != "" {
			old += "\n"
		}
		if fresh != "" {
			fresh += "\n"
		}
	}
	return udiff.Unified(c.name, c.name, old, fresh)
}

// Difference draws two inputs of one tool, parameter by parameter, where they differ.
func (d *Doc) Difference(asked, edited []byte) {
	for _, c := range changedFields(asked, edited) {
		label := safe.Line(c.name)
		if c.only != "" {
			label += "  (" + c.only + ")"
		}
		d.Say(draw.Label, label)
		s := change.Section{Old: c.old, Fresh: c.fresh}
		s.Compare(nil, diff.WhileDrawing)
		diff.CompareWords(s.Lines, time.Now().Add(diff.WhileDrawing))
		d.Comparison(&s, DiffView{})
	}
}
