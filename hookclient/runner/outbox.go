package runner

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// outbox gathers what a peer wants done, in order. Every part of the peer writes into the
// same one, and the loop around the peer empties it after each input. It is for the loop's
// goroutine alone.
type outbox struct {
	effects []effect
	notes   map[string]int // how often each kind of oddity was seen
	timers  int            // how often the phase timer was set
}

func newOutbox() *outbox { return &outbox{notes: map[string]int{}} }

// take hands over the effects since it was last called.
func (o *outbox) take() []effect {
	list := o.effects
	o.effects = nil
	return list
}

// do adds an effect. The four below name the effects that are used most.
func (o *outbox) do(e effect)             { o.effects = append(o.effects, e) }
func (o *outbox) report(r wire.RunReport) { o.do(tell{r}) }
func (o *outbox) see(s Seen)              { o.do(show{s}) }
func (o *outbox) write(v any)             { o.do(send{encode(v)}) }

// step reports one step on the way to the agent's end.
func (o *outbox) step(format string, a ...any) {
	o.report(wire.RunReport{Kind: wire.ReportStep, Text: fmt.Sprintf(format, a...)})
}

// done reports that an order was carried out, or why it was not. The first message of a
// session is no order and has no id.
func (o *outbox) done(order string, err error) {
	if order == "" {
		return
	}
	r := wire.RunReport{Kind: wire.ReportDone, OrderID: order}
	if err != nil {
		r.Error = err.Error()
	}
	o.report(r)
}

// note reports something odd. An agent can do the same odd thing without end, so of each
// kind only the 1st, 10th, 100th and so on is reported.
func (o *outbox) note(kind, text string) {
	// The count goes on also when nothing is reported.
	o.notes[kind]++
	n := o.notes[kind]
	if n > 1 {
		if !powerOfTen(n) {
			return
		}
		text += fmt.Sprintf(" (%d times by now)", n)
	}
	o.report(wire.RunReport{Kind: wire.ReportNote, Text: text})
	o.see(Seen{Kind: SeenNote, Text: text})
}

// kindOf is the kind of note for a word that the agent chose. The agent can make up words
// without end, so past a bound they all count as one kind. Without it an agent could make the
// runner report, and remember, without end.
func (o *outbox) kindOf(word string) string {
	if len(o.notes) > 100 {
		return "other"
	}
	return cut(word, 64)
}

// powerOfTen is for n of 1 and more.
func powerOfTen(n int) bool {
	for n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// wakeIn sets the phase timer. There is only one: setting it again makes the earlier one void.
// The one before is not stopped; its name does not fit any more when it fires.
func (o *outbox) wakeIn(d time.Duration) {
	o.timers++
	o.do(wake{o.phaseTimer(), d})
}

// phaseTimer is the name under which the phase timer fires.
func (o *outbox) phaseTimer() string { return "step-" + strconv.Itoa(o.timers) }
