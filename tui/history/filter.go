package history

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/words"
)

// The words before a colon, which say where the rest is looked for.
const (
	inSession  = "session"
	inTool     = "tool"
	inBy       = "by"
	inDecision = "decision"
	inText     = "text" // anywhere; for words that would name a decision without it
)

// decisions are the words for how a call ended. Such a word alone asks for those calls, also
// where others have it in their text.
var decisions = []string{
	string(broker.Allowed), string(broker.Denied), string(broker.Expired), string(broker.Cancelled), string(broker.Answered),
	wasObserved, wasUnheard, hasAlarm,
}

// The ends that are no state of a request.
const (
	wasObserved = "observed"
	wasUnheard  = "unheard"
	hasAlarm    = "alarm"
)

// term is one word of a filter, in lower case: where to look, "" for everywhere, and for what.
type term struct{ in, word string }

// filter lists only calls that pass each of its terms.
type filter struct {
	text  string // as typed
	terms []term
}

// readFilter reads what was typed. A place without a word, as while one is typed, asks for
// nothing; a colon behind any other word belongs to it.
func readFilter(text string) filter {
	f := filter{text: strings.TrimSpace(text)}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if t := readTerm(w); t.word != "" {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

func readTerm(word string) term {
	if slices.Contains(decisions, word) {
		return term{inDecision, word}
	}
	in, rest, ok := strings.Cut(word, ":")
	switch {
	case !ok || !slices.Contains([]string{inSession, inTool, inBy, inDecision, inText}, in):
		return term{"", word}
	case in == inText:
		in = ""
	}
	return term{in, rest}
}

// active reports whether f leaves out anything.
func (f filter) active() bool { return len(f.terms) > 0 }

// passes reports whether a call with these traits is listed.
func (f filter) passes(t traits) bool {
	for _, term := range f.terms {
		if !t.has(term) {
			return false
		}
	}
	return true
}

// traits are what a filter looks at in a call, in lower case.
type traits struct {
	session, id string // what it is called, and its id
	tool, by    string
	text        string   // all that can be found
	ends        []string // how it ended: see endsOf
}

func (t traits) has(q term) bool {
	switch q.in {
	case inSession:
		return strings.Contains(t.session, q.word) || strings.HasPrefix(t.id, q.word)
	case inTool:
		return strings.Contains(t.tool, q.word)
	case inBy:
		return strings.Contains(t.by, q.word)
	case inDecision:
		return slices.ContainsFunc(t.ends, func(end string) bool { return strings.HasPrefix(end, q.word) })
	}
	return strings.Contains(t.text, q.word) || slices.ContainsFunc(t.ends, func(end string) bool { return strings.Contains(end, q.word) })
}

// traitsOf are those of r, a decided call, which whose and by name as the screen does.
func traitsOf(r *broker.Request, whose, by string) traits {
	sum, o := callview.SummaryOf(*r), cmp.Or(r.Outcome, &broker.Outcome{})
	tool := sum.Tool + "\n" + r.ToolName
	input := r.ToolInput[:min(len(r.ToolInput), board.MaxHaystack)]
	all := []string{tool, whose, by, r.Agent, sum.Text, r.Description, r.CWD, o.Reason, r.ID, string(input)}
	return traits{
		session: strings.ToLower(whose), id: strings.ToLower(r.SessionID), tool: strings.ToLower(tool), by: strings.ToLower(by),
		text: strings.ToLower(strings.Join(all, "\n")), ends: endsOf(r),
	}
}

// endsOf are the words for how r ended. They may change: an alarm comes later.
func endsOf(r *broker.Request) []string {
	ends := []string{string(r.State)}
	if r.Outcome != nil {
		ends = append(ends, callview.EndWord(*r)) // as its row says
	}
	if r.DangerKnown() != "" {
		ends = append(ends, "dangerous")
	}
	if callview.WasObserved(r.Outcome) {
		ends = append(ends, wasObserved)
	}
	if r.Unheard {
		ends = append(ends, wasUnheard)
	}
	if r.Alarm != nil {
		ends = append(ends, hasAlarm)
	}
	return ends
}

// passes reports whether a call of the list is to be listed.
func (h *Screen) passes(r *broker.Request) bool {
	if !h.filter.active() {
		return true
	}
	t, ok := h.known[r.ID]
	if !ok {
		if h.known == nil {
			h.known = map[string]traits{}
		}
		t = h.traitsOf(r)
		h.known[r.ID] = t
	}
	t.ends = endsOf(r)
	return h.filter.passes(t)
}

func (h *Screen) traitsOf(r *broker.Request) traits {
	return traitsOf(r, words.Whose(*r, h.Board), h.Book.Actor(r.Outcome.By))
}
