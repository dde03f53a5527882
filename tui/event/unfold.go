package event

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// Unfold draws what stands below the step's line while it is unfolded.
func (s *Step) Unfold(st *draw.Styles, _ *words.Book, width int, loc *time.Location) []string {
	d := &callview.Doc{Paper: *st.Paper(width - indent)}
	d.SayBehind(draw.Label, "at", callview.LabelWidth, draw.Muted, s.Event.At.In(loc).Format("2006-01-02 15:04:05")+fmt.Sprintf(" · event %d", s.Seq()))
	switch s.Event.Type {
	case broker.EventPostTool:
		s.output(d)
	case broker.EventUser:
		d.Prose(draw.Gutter{}, draw.Piece{Ink: draw.Text, Raw: s.told.Words()})
	case broker.EventTurnEnd, broker.EventSubagentStop, broker.EventMessage:
		if text := s.told.Words(); text != "" {
			d.Said(text)
		} else if len(s.Event.Data) > 0 {
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
		}
	case broker.EventRanOtherwise:
		s.alarm(d, loc)
	default:
		if len(s.Event.Data) > 0 {
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
		}
	}
	return indented(d, width)
}

// indent is how far what is unfolded stands in, cells.
const indent = 2

func indented(d *callview.Doc, width int) []string {
	d.LookAtAll()
	rows := words.Pad(d.Rows, width-indent)
	for i, row := range rows {
		rows[i] = draw.Spaces(indent) + row
	}
	return rows
}

// output draws what a tool gave back.
func (s *Step) output(d *callview.Doc) {
	if s.Ran.Digest == "" { // told over the API, in whatever words
		d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
		return
	}
	d.Output(s.Ran, true)
}

// alarm draws what ran otherwise than it was allowed, and what was allowed.
func (s *Step) alarm(d *callview.Doc, loc *time.Location) {
	var a broker.Alarm
	if err := json.Unmarshal(s.Event.Data, &a); err != nil { // it is drawn as it is
		d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
		return
	}
	d.Alarm(&a, loc)
	var updated json.RawMessage
	if s.Call != nil && s.Call.Outcome != nil {
		updated = s.Call.Outcome.UpdatedInput
	}
	callview.RanInstead(d, &a, updated, loc)
	if a.Kind == broker.RanChanged && s.Call != nil && s.Large == 0 {
		d.Edited(*s.Call, updated)
	}
	drawCall(d, s)
}

// drawCall draws the call that a step is about.
func drawCall(d *callview.Doc, s *Step) {
	switch {
	case s.Call == nil && s.Event.RequestID != "":
		d.Say(draw.Muted, "its call is not on record any more, or was changed: see aoctl log verify")
	case s.Call == nil:
	case s.Large > 0:
		d.Say(draw.Muted, figures.Size(s.Large)+" of input: see the call in the history (h)")
	default:
		drawInput(d, *s.Call)
	}
}

// drawInput draws what a call asks for, and what its agent says about it.
func drawInput(d *callview.Doc, r broker.Request) {
	tool, input := r.Call()
	c := change.ReadInput(input)
	d.Call(r, tool, c, callview.Around{})
	d.Words(r, c)
}
