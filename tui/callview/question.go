package callview

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// question draws a call that asks the user: as a form while it can be answered here,
// else what it asks, and why it cannot.
func (d *Doc) question(r broker.Request, c change.Input, a Around) {
	q := questions{d}
	switch {
	case a.Ask != nil && a.Ask.Overview():
		q.overview(a.Ask)
	case a.Ask != nil:
		q.step(a.Ask, a.InForm)
	default:
		q.asked(r, c)
	}
}

// questions draws what an agent asks its user.
type questions struct{ *Doc }

// formIndent is what stands before an option's words: the cursor, its key and its box.
const formIndent = 8

// step draws one question with its options.
func (d questions) step(a *Answering, active bool) {
	q, answer := a.Question()
	d.Note = a.stepWords()
	d.asks(q)
	d.Blank()
	cursor := a.Cursor[a.Step]
	for i, o := range q.Options {
		from := len(d.Rows)
		key := " "
		if i < 9 {
			key = strconv.Itoa(i + 1)
		}
		d.choice(active && cursor == i, key, box(q, Picked(*answer, i)), draw.Piece{Ink: draw.Bold, Raw: o.Label})
		d.option(o)
		if o.Preview != "" {
			d.preview(o.Preview, cursor == i)
		}
		if cursor == i {
			d.At, d.AtEnd = from, len(d.Rows)
		}
	}
	from := len(d.Rows)
	own := draw.Piece{Ink: draw.Muted, Raw: "Other, in your own words"}
	if answer.Other != "" {
		own = draw.Piece{Ink: draw.Text, Raw: answer.Other}
	}
	d.choice(active && cursor == OwnWords(q), "o", box(q, answer.Other != ""), own)
	if cursor == OwnWords(q) {
		d.At, d.AtEnd = from, len(d.Rows)
	}
	d.rest(a.Form)
	if !active {
		d.Blank()
		d.Say(draw.Muted, "enter opens the form; a lets the agent ask in its own terminal instead")
	}
}

// asks draws a question's header and words.
func (d questions) asks(q forms.Question) {
	if q.Header != "" {
		d.Prose(draw.Gutter{}, draw.Piece{Ink: draw.Label, Raw: q.Header})
	}
	d.Prose(draw.Gutter{}, draw.Piece{Ink: draw.Bold, Raw: q.Text})
	if q.Multi {
		d.Say(draw.Muted, "several may be picked")
	}
}

// choice draws one line to pick.
func (d questions) choice(at bool, key, box string, words draw.Piece) {
	lead, i := "  ", draw.Muted
	if at {
		lead, i = "▸ ", draw.Key
	}
	d.Prose(draw.Gutter{Width: formIndent, First: func(n int) (draw.Ink, string) {
		if n == 1 {
			return i, lead + key + " " + box
		}
		return i, ""
	}}, words)
}

func box(q forms.Question, on bool) string {
	switch {
	case q.Multi && on:
		return "[x]"
	case q.Multi:
		return "[ ]"
	case on:
		return "(•)"
	}
	return "( )"
}

func (d questions) option(o forms.Option) {
	if o.Description != "" {
		d.Prose(draw.Gutter{Width: formIndent}, draw.Piece{Ink: draw.Text, Raw: o.Description})
	}
}

// preview draws an option's preview while the cursor is on it.
func (d questions) preview(text string, open bool) {
	if !open {
		d.SayBehind(draw.Text, "", formIndent, draw.Muted, "has a preview of "+figures.Plural(draw.CountLines(text), "line"))
		return
	}
	bar := draw.Spaces(formIndent) + "┊ "
	d.Write(draw.Gutter{Width: formIndent + 2, Next: bar, First: func(int) (draw.Ink, string) { return draw.Faint, bar }}, draw.Quoted, text)
}

// rest draws what the input has beside its questions.
func (d questions) rest(f forms.Form) {
	if len(f.Rest) > 0 {
		d.Blank()
		d.fields(f.Rest)
	}
}

// overview draws all answers as they are going to be sent.
func (d questions) overview(a *Answering) {
	d.Note = a.stepWords()
	d.Say(draw.Title, "Your answers")
	d.answers(a.Form, func(i int) string { return a.Form.Questions[i].Says(a.Answers[i]) })
	d.Blank()
	d.Say(draw.Muted, "enter sends them to the agent; h goes back")
}

// answers draws what was said to each question; safe is what says turns out.
func (d questions) answers(f forms.Form, says func(i int) string) {
	for i, q := range f.Questions {
		d.Blank()
		number := fmt.Sprintf("%d ", i+1)
		head := []draw.Piece{{Ink: draw.Bold, Raw: q.Text}}
		if q.Header != "" {
			head = append([]draw.Piece{{Ink: draw.Label, Raw: q.Header + "  "}}, head...)
		}
		d.Prose(draw.Fixed(draw.Muted, number, len(number)+1), head...)
		d.Prose(draw.Fixed(draw.Key, "  → ", 5), draw.Piece{Ink: draw.Text, Raw: says(i)})
	}
}

// asked draws a question that is not answered here.
func (d questions) asked(r broker.Request, c change.Input) {
	if why := formProblem(r); why != "" {
		d.Say(draw.Warn, "! "+why)
		if r.State == broker.Pending {
			d.Say(draw.Muted, "a lets the agent ask in its own terminal; d declines to answer")
		}
		d.Blank()
		d.fields(c.Fields)
		return
	}
	_, input := r.Call()
	f, err := forms.Read(input)
	if err != nil { // formProblem has told
		return
	}
	for i, q := range f.Questions {
		if i > 0 {
			d.Blank()
		}
		d.asks(q)
		for j, o := range q.Options {
			d.choice(false, strconv.Itoa(j+1), "   ", draw.Piece{Ink: draw.Bold, Raw: o.Label})
			d.option(o)
			if o.Preview != "" {
				d.preview(o.Preview, true)
			}
		}
	}
	d.rest(f)
}

// given draws the answers that went back to the agent, and reports whether updated, which is what went
// back, has some that can be told by the call's questions.
func (d *Doc) given(r broker.Request, updated json.RawMessage) bool {
	_, input := r.Call()
	f, err := forms.Read(input)
	if err != nil || len(updated) == 0 {
		return false
	}
	said := forms.Said(updated)
	for _, q := range f.Questions {
		if _, ok := said[q.Text]; !ok {
			return false
		}
	}
	questions{d}.answers(f, func(i int) string { return said[f.Questions[i].Text] })
	return true
}
