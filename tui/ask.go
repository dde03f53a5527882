package tui

import (
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/tui/draw"
)

// answering is the form on a question's card, as far as the operator has filled it in.
// Nothing of it leaves the console before it is sent as a whole.
type answering struct {
	form    forms.Form
	answers []forms.Answer // by question
	step    int            // the question on the screen; behind the last one the overview
	cursor  []int          // by question: an option, or behind the last one the operator's own words
	seen    []bool         // by step: its last row has been on the screen
	looked  map[spot]bool  // options whose preview has been on the screen to its end
	rev     int            // counts what changed, so that it is laid out anew
}

// spot is an option of a question.
type spot struct{ step, option int }

func newAnswering(f forms.Form) *answering {
	n := len(f.Questions)
	return &answering{form: f, answers: make([]forms.Answer, n), cursor: make([]int, n), seen: make([]bool, n+1), looked: map[spot]bool{}}
}

// overview reports whether the step on the screen is the one before sending. A form with
// one question has none.
func (a *answering) overview() bool { return a.step == len(a.form.Questions) }

// last reports whether enter sends on the step on the screen.
func (a *answering) last() bool { return a.overview() || len(a.form.Questions) == 1 }

// question is the one on the screen, with its answer.
func (a *answering) question() (forms.Question, *forms.Answer) {
	return a.form.Questions[a.step], &a.answers[a.step]
}

// ownWords is the place of the operator's own words among the options.
func ownWords(q forms.Question) int { return len(q.Options) }

// picked reports whether option i is part of the answer.
func picked(a forms.Answer, i int) bool {
	for _, p := range a.Picked {
		if p == i {
			return true
		}
	}
	return false
}

// pick makes option i the answer, or where several may be picked a part of it, or no
// longer.
func (a *answering) pick(i int) {
	q, answer := a.question()
	a.rev++
	a.cursor[a.step] = i
	switch was := picked(*answer, i); {
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

// say makes the operator's own words the answer, or a part of it.
func (a *answering) say(text string) {
	q, answer := a.question()
	a.rev++
	a.cursor[a.step] = ownWords(q)
	answer.Other = text
	if !q.Multi && text != "" {
		answer.Picked = nil
	}
}

// goTo shows another step.
func (a *answering) goTo(step int) {
	a.step = step
	a.rev++
}

// unlooked is a picked option whose preview nobody has seen, -1 when there is none.
func (a *answering) unlooked() int {
	if a.overview() {
		return -1
	}
	q, answer := a.question()
	for _, i := range answer.Picked {
		if q.Options[i].Preview != "" && !a.looked[spot{a.step, i}] {
			return i
		}
	}
	return -1
}

// unread reports whether some of the step on the screen has not been on it yet; a card
// without a form has none.
func (a *answering) unread() bool { return a != nil && !a.seen[a.step] }

// note takes in that the last row of the step was on the screen.
func (a *answering) note() {
	a.seen[a.step] = true
	if !a.overview() {
		a.looked[spot{a.step, a.cursor[a.step]}] = true
	}
}

func dialogOf(r broker.Request) string {
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
func (a *answering) stepWords() string {
	n := len(a.form.Questions)
	switch {
	case n == 1:
		return ""
	case a.overview():
		return "overview"
	}
	return fmt.Sprintf("question %d of %d", a.step+1, n)
}
