package queue

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/sessionview"
	"github.com/aoctl/aoctl/tui/words"
)

// subagentsShown is how many of a session's sub-agents have a row of their own.
const subagentsShown = 3

// leastName is how much of a long name the row of a session always has, cells.
const leastName = 8

// said is a text of the pane; the texts are safe to draw.
type said struct {
	ink   draw.Ink
	texts []string // the first that fits is drawn
}

func say(i draw.Ink, texts ...string) said { return said{i, texts} }

// fitting is the first text that has room in width cells, else the last one.
func (s said) fitting(width int) string {
	for _, t := range s.texts {
		if draw.Cells(t) <= width {
			return t
		}
	}
	return s.texts[len(s.texts)-1]
}

// row draws a session: a dot, its name, and how it stands.
func (x *roster) row(r *draw.Row, s *broker.Session, dangerous, width int) {
	waiting := x.Board.Pending[s.ID]
	dot, name := "●", draw.Bold
	switch {
	case s.State.Ended():
		dot, name = "○", draw.Muted
	case waiting == 0:
		dot = "○"
	}
	label := x.Board.Fleet.Bare(s, x.Board.Label(s.ID))
	least := min(leastName, draw.Cells(label))
	stands := x.stands(s, dangerous)
	n := 0
	for i, p := range stands {
		n += draw.Cells(p.texts[0]) + 1
		if i > 0 && n+least+4 > width { // what comes first tells most
			stands = stands[:i]
			n -= draw.Cells(p.texts[0]) + 1
			break
		}
	}
	r.Put(sessionview.Ink(s, waiting), dot).Put(draw.Text, " ")
	r.Fit(name, label, max(width-r.Width-n-1, least))
	r.To(max(r.Width, width-n-1))
	for _, p := range stands {
		r.Put(draw.Text, " ").Fit(p.ink, p.texts[0], max(0, width-r.Width))
	}
}

// wide is how many cells the rows of the sessions take with their whole names, while nothing waits.
// Like the list it is the same until something changes.
func (x *roster) wide() int {
	entries := x.list()
	if x.listed.wide == 0 {
		x.listed.wide = x.widest(entries)
	}
	return x.listed.wide
}

func (x *roster) widest(entries []entry) (most int) {
	for _, e := range entries {
		s := x.Board.Sessions[e.id]
		if s == nil { // a fold or a machine
			continue
		}
		n := draw.Cells("▌● " + x.Board.Label(s.ID) + " ") // with its machine, to leave room for that one's line
		for _, p := range x.stands(s, 0) {                 // nothing waits where it is asked
			n += draw.Cells(p.texts[0]) + 1
		}
		most = max(most, n)
	}
	return most
}

// stands is how a session stands, in few words: what tells most comes first.
func (x *roster) stands(s *broker.Session, dangerous int) (list []said) {
	waiting := x.Board.Pending[s.ID]
	word, _ := x.Board.Status(s)
	answered := x.Board.Answered(s)
	switch {
	case answered:
		list = append(list, say(draw.Key, x.Called("R")+" resumes"))
	case s.State.UnderStop() || waiting == 0 && !s.Observed && !s.Frozen:
		list = append(list, say(sessionview.Ink(s, waiting), word))
	}
	list = append(list, holds(s)...)
	if waiting > 0 {
		list = append(list, say(draw.Warn, figures.Count(waiting)))
	}
	if dangerous > 0 {
		list = append(list, say(draw.Danger, "!!"))
	}
	if s.Deferred > 0 && !answered && word != board.PutOffState {
		list = append(list, say(draw.Muted, board.PutOffState))
	}
	if x.muted(s.ID) {
		list = append(list, say(draw.Muted, "muted"))
	}
	return list
}

// holds is whether a session's calls are held otherwise than usual.
func holds(s *broker.Session) (list []said) {
	if s.Observed {
		list = append(list, say(draw.Warn, "observed"))
	}
	if s.Frozen && !s.State.Ended() {
		list = append(list, say(draw.Frozen, "frozen"))
	}
	return list
}

// more is what else is said of a session: of the selected one all there is.
func (x *roster) more(s *broker.Session) (list []said) {
	if s.ID != x.selected || !x.focus {
		return known(s)
	}
	list = append(list, x.about(s))
	if text := x.asked.text; text != "" && x.asked.session == s.ID {
		list = append(list, say(draw.Faint, "asked: "+text, `"`+text+`"`))
	}
	list = append(append(list, spent(s)...), told(s)...)
	if words.StopTold(s) != "" {
		list = append(list, say(draw.Muted, "each call is refused", "each call refused"))
	}
	list = append(list, x.goesOn(s)...)
	return append(append(list, failure(s)...), subagents(s)...)
}

// goesOn is how the operator lets a session go on that is stopped, or whose deferred call was answered.
func (x *roster) goesOn(s *broker.Session) []said {
	switch {
	case x.Board.Answered(s):
		r := x.Called("R")
		return []said{say(draw.Key, "answered: "+r+" resumes it", r+" resumes it")}
	case s.State != broker.SessionStopped && words.StopTold(s) == "":
		return nil
	case s.Run != nil:
		return []said{say(draw.Key, x.Called("m")+" to go on")}
	}
	return []said{say(draw.Muted, "type a prompt in it to go on", "prompt it to go on")}
}

// known is what is said of each session: what waits to be told, what went wrong, and who works in it.
func known(s *broker.Session) []said {
	return append(append(told(s), failure(s)...), subagents(s)...)
}

// spent is what a managed session has cost.
func spent(s *broker.Session) []said {
	if s.Run == nil {
		return nil
	}
	if parts := sessionview.Spent(s.Run); len(parts) > 0 {
		return []said{{draw.Muted, shorter(parts)}}
	}
	return nil
}

// shorter is parts in one text, then without the last one, and so on.
func shorter(parts []string) (texts []string) {
	for n := len(parts); n > 0; n-- {
		texts = append(texts, strings.Join(parts[:n], " · "))
	}
	return texts
}

// about is which agent it is, how its calls are held, and since when it stands as it does.
func (x *roster) about(s *broker.Session) said {
	agent := draw.SafeLine(s.Agent)
	if s.Run != nil {
		agent = words.ManagedMark + agent
	}
	parts := []string{agent}
	for _, h := range holds(s) {
		parts = append(parts, h.texts[0])
	}
	if x.muted(s.ID) {
		parts = append(parts, "muted")
	}
	word, since := x.Board.Status(s)
	if !since.IsZero() {
		word += " " + figures.Ago(x.At.Sub(since))
	}
	return said{draw.Muted, shorter(append(parts, word))}
}

// told is what a managed session is told, and how it is ended.
func told(s *broker.Session) (list []said) {
	if s.Run == nil {
		return nil
	}
	if t := s.Run.Told; t != nil {
		list = append(list, say(draw.Muted, "telling: "+draw.SafeLine(t.Text)))
	}
	switch w := s.Message; {
	case w != nil && w.Failures > 0:
		list = append(list, say(draw.Warn, "not told: "+draw.SafeLine(w.Text)))
	case w != nil:
		list = append(list, say(draw.Key, "next: "+draw.SafeLine(w.Text)))
	}
	if n := len(s.Run.Steps); n > 0 && s.State.UnderStop() {
		list = append(list, say(draw.Muted, "· "+draw.SafeLine(s.Run.Steps[n-1])))
	}
	return list
}

// failure says what went wrong last in session s, in the words of its agent when it has no others.
func failure(s *broker.Session) []said {
	raw := s.Failure()
	switch why := draw.SafeLine(plainwords.Failure(raw)); {
	case why == "":
		return nil
	case s.Run == nil && !plainwords.Ours(raw):
		return []said{say(draw.Danger, `! it says "`+why+`"`, `! "`+why+`"`)}
	default:
		return []said{say(draw.Danger, "! "+why)}
	}
}

func subagents(s *broker.Session) (list []said) {
	for i := range min(len(s.Subagents), subagentsShown) {
		text := draw.SafeLine(s.Subagents[i].Type)
		if more := len(s.Subagents) - subagentsShown; more > 0 && i == subagentsShown-1 {
			text = "and " + figures.Plural(more+1, "more sub-agent")
		}
		list = append(list, say(draw.Muted, "└ "+text))
	}
	return list
}
