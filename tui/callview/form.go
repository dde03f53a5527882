package callview

import (
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/tui/draw"
)

// Answering is the form on a question's card, as far as the operator has filled it in.
// Nothing of it leaves the console before it is sent as a whole.
type Answering struct {
	Form    forms.Form
	Answers []forms.Answer // by question
	Step    int            // the question on the screen; behind the last one the overview
	Cursor  []int          // by question: an option, or behind the last one the operator's own words
	Seen    []bool         // by step: its last row has been on the screen
	looked  map[spot]bool  // options whose preview has been on the screen to its end
	Rev     int            // counts what changed, so that it is laid out anew
}

// spot is an option of a question.
type spot struct{ step, option int }

// NewAnswering is an empty form.
func NewAnswering(f forms.Form) *Answering {
	n := len(f.Questions)
	return &Answering{Form: f, Answers: make([]forms.Answer, n), Cursor: make([]int, n), Seen: make([]bool, n+1), looked: map[spot]bool{}}
}

// Overview reports whether the step on the screen is the one before sending. A form with
// one question has none.
func (a *Answering) Overview() bool { return a.Step == len(a.Form.Questions) }

// Last reports whether enter sends on the step on the screen.
func (a *Answering) Last() bool { return a.Overview() || len(a.Form.Questions) == 1 }

// Question is the one on the screen, with its answer.
func (a *Answering) Question() (forms.Question, *forms.Answer) {
	return a.Form.Questions[a.Step], &a.Answers[a.Step]
}

// OwnWords is the place of the operator's own words among the options.
func OwnWords(q forms.Question) int { return len(q.Options) }

// Picked reports whether option i is part of the answer.
func Picked(a forms.Answer, i int) bool {
	for _, p := range a.Picked {
		if p == i {
			return true
		}
	}
	return false
}

// Pick makes option i the answer, or where several may be picked a part of it, or no
// longer.
func (a *Answering) Pick(i int) {
	q, answer := a.Question()
	a.Rev++
	a.Cursor[a.Step] = i
	switch was := Picked(*answer, i); {
	case !q.Multi:
		*answer = forms.Answer{Picked: []int{i}}
	case was:
		kept := make([]int, 0, len(answer.Picked))
		for _, p := range answer.Picked {
			if p != i {
				kept = append(kept, p)
			}
		}
		answer.Picked = kept
	default:
		answer.Picked = append(answer.Picked, i)
	}
}

// Say makes the operator's own words the answer, or a part of it.
func (a *Answering) Say(text string) {
	q, answer := a.Question()
	a.Rev++
	a.Cursor[a.Step] = OwnWords(q)
	answer.Other = text
	if !q.Multi && text != "" {
		answer.Picked = nil
	}
}

// GoTo shows another step.
func (a *Answering) GoTo(step int) {
	a.Step = step
	a.Rev++
}

// Unlooked is a picked option whose preview nobody has seen, -1 when there is none.
func (a *Answering) Unlooked() int {
	if a.Overview() {
		return -1
	}
	q, answer := a.Question()
	for _, i := range answer.Picked {
		if q.Options[i].Preview != "" && !a.looked[spot{a.Step, i}] {
			return i
		}
	}
	return -1
}

// Unread reports whether some of the step on the screen has not been on it yet; a card
// without a form has none.
func (a *Answering) Unread() bool { return a != nil && !a.Seen[a.Step] }

// Note takes in that the last row of the step was on the screen.
func (a *Answering) Note() {
	a.Seen[a.Step] = true
	if !a.Overview() {
		a.looked[spot{a.Step, a.Cursor[a.Step]}] = true
	}
}

// DialogOf is the common name of r's tool when it is a question to the user or a plan, else "".
func DialogOf(r broker.Request) string {
	switch tool, _ := r.Call(); tool {
	case agents.AskUserQuestion, agents.ExitPlanMode:
		return tool
	}
	return ""
}

// formProblem says why a question is not drawn as a form, "" when it is one; safe to
// draw.
func formProblem(r broker.Request) string {
	t := agents.TraitsOf(r.Agent)
	if !t.Answers || !t.Edit {
		return draw.SafeLine(t.Title) + " takes answers only in its own terminal"
	}
	_, input := r.Call()
	if _, err := forms.Read(input); err != nil {
		return "it cannot be shown as a form: " + draw.SafeLine(err.Error())
	}
	return ""
}

// stepWords name the step on the screen.
func (a *Answering) stepWords() string {
	n := len(a.Form.Questions)
	switch {
	case n == 1:
		return ""
	case a.Overview():
		return "overview"
	}
	return fmt.Sprintf("question %d of %d", a.Step+1, n)
}
