package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/fleet"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
)

// Marks are about waiting cards that are listed, all of one risk class. A mark ends
// with its card, when something about the call changes, and when it is filtered away.
type marks struct {
	*desk.Desk
	broker Broker
	cursor *list // moves on from what was decided
	reader *reader
}

// any reports whether deciding keys are about the marked calls.
func (m marks) any() bool { return len(m.Board.Marks) > 0 && !m.Small }

// markedMsg is the answer to a decision about the marked calls.
type markedMsg struct {
	keys    []guard.Drawn
	verdict broker.Verdict
	err     error
}

// list are the marked cards, in the order in which they are listed.
func (m marks) list() []*board.Card {
	list := make([]*board.Card, 0, len(m.Board.Marks))
	for _, c := range m.Board.Cards {
		if m.Board.Marks[c.Req.ID] && c.Sending == "" {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, board.CompareCards)
	return list
}

// markKey takes a key that marks.
func (q *Screen) markKey(msg tea.KeyMsg) tea.Cmd {
	if key.Matches(msg, mark) && q.onSessions() && q.roster.turn() {
		return nil
	}
	if q.focus == paneSessions && !q.full {
		return q.Say(draw.Muted, "marks are for calls: "+q.Called("tab")+" goes to them")
	}
	return q.marks.mark(msg, q.DrawnCard())
}

// mark marks c, which is drawn, or all that are like it. What came up by itself a
// moment ago is not the card that the operator means.
func (m marks) mark(msg tea.KeyMsg, c *board.Card) tea.Cmd {
	switch {
	case c == nil:
		return m.Say(draw.Muted, "nothing to mark")
	case m.Guard.Burst(), m.Guard.Deaf(m.At) && !m.Guard.Own:
		return m.Say(draw.Warn, m.LookFirst(msg))
	case c.Late():
		return m.Say(draw.Muted, "late calls are decided one by one")
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case c.Dialog() != "":
		return m.Say(draw.Muted, "questions and plans are answered one by one")
	case key.Matches(msg, alike):
		return m.like(c)
	case m.Board.Marks[c.Req.ID]:
		delete(m.Board.Marks, c.Req.ID)
		return nil
	case m.otherClass(c):
		return m.sayOtherClass(c)
	}
	m.Board.Marks[c.Req.ID] = true
	return nil
}

// otherClass reports whether marks are on calls of another risk class than c's.
func (m marks) otherClass(c *board.Card) bool {
	for id := range m.Board.Marks {
		return m.Board.Cards[id].Class() != c.Class()
	}
	return false
}

func (m marks) sayOtherClass(c *board.Card) tea.Cmd {
	return m.Say(draw.Warn,
		"the marks are on calls of another risk class than "+c.Class().String()+": "+m.Called("esc")+" clears them",
		"marks are on another risk class: "+m.Called("esc"))
}

// like marks all listed calls that are like c, and unmarks them when all are.
func (m marks) like(c *board.Card) tea.Cmd {
	if m.otherClass(c) {
		return m.sayOtherClass(c)
	}
	var like []*board.Card
	fresh := 0
	for _, o := range m.Board.Shown {
		if o.Class() == c.Class() && o.Sending == "" && o.Tool() == c.Tool() && o.Alike() == c.Alike() {
			like = append(like, o)
			if !m.Board.Marks[o.Req.ID] {
				fresh++
			}
		}
	}
	for _, o := range like {
		if fresh > 0 {
			m.Board.Marks[o.Req.ID] = true
		} else {
			delete(m.Board.Marks, o.Req.ID)
		}
	}
	if fresh == 0 {
		return m.Say(draw.Muted, "unmarked "+figures.Plural(len(like), "call"))
	}
	return m.Say(draw.Text, fmt.Sprintf("marked %s like this: %s", figures.Plural(fresh, "call"), c.KindName()))
}

// judge takes a decision key while there are marks: it asks, and y decides.
func (m marks) judge(msg tea.KeyMsg, refusal string) tea.Cmd {
	list := m.list()
	verdict := broker.Deny
	switch {
	case len(list) == 0:
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case key.Matches(msg, denyWhy) && !m.Guard.Burst():
		return m.askReasonFor(list)
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case key.Matches(msg, allow):
		verdict = broker.Allow
		if few := unread(list); len(few) > 0 && m.mayNotReach(list) == "" && mayAllow(list) == "" && !slices.ContainsFunc(few, alone) {
			return m.Open(desk.Together, desk.Subject{})
		}
		if problem := cmp.Or(m.mayNotReach(list), mayAllowAll(list)); problem != "" {
			return m.Say(draw.Warn, problem)
		}
	}
	picks, lead, what := keysOf(list), string(verdict)+" ", m.words(list)
	n := len(picks)
	m.Pose(desk.Question{
		Texts: func() []string {
			return []string{lead + what + "? ", lead + figures.Plural(n, "marked call") + "? ", lead + figures.Count(n) + "? "}
		},
		Yes: func() tea.Cmd { return m.send(picks, verdict, "") },
	})
	return nil
}

// askReasonFor asks why the marked calls are denied.
func (m marks) askReasonFor(list []*board.Card) tea.Cmd {
	picks := keysOf(list)
	m.Read(desk.Line{
		Lead:  "deny " + m.words(list) + ", because: ",
		Brief: "deny " + figures.Plural(len(picks), "marked call") + ", because: ",
		Help:  reasonHelp,
		May:   func() string { return tooFast(m.Desk) },
		Send:  func(text string) tea.Cmd { m.Guard.MayGoOn(); return m.send(picks, broker.Deny, text) },
	})
	return nil
}

// mayAllow says why these calls cannot be allowed together, read or not; empty when they can.
func mayAllow(list []*board.Card) string {
	for _, c := range list {
		if c.Held() {
			return "frozen: none of them can be allowed before it is lifted"
		}
		if c.Dangerous() {
			return "dangerous calls are decided one by one"
		}
	}
	return ""
}

// mayAllowAll is mayAllow for calls that must have been read.
func mayAllowAll(list []*board.Card) string {
	if problem := mayAllow(list); problem != "" {
		return problem
	}
	switch n := len(unread(list)); n {
	case 0:
		return ""
	case 1:
		return "1 of them was not on the screen whole: open it first"
	default:
		return figures.Count(n) + " of them were not on the screen whole: open them first"
	}
}

func keysOf(list []*board.Card) []guard.Drawn {
	keys := make([]guard.Drawn, len(list))
	for i, c := range list {
		keys[i] = c.Key()
	}
	return keys
}

// kindsNamed is how many kinds of marked calls a question names.
const kindsNamed = 4

// words says how many calls of which kinds are marked; safe to draw.
func (m marks) words(list []*board.Card) string {
	var names []string
	counts := map[string]int{}
	for _, c := range list {
		name := c.KindName()
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return counts[y] - counts[x] })
	parts := make([]string, 0, kindsNamed+1)
	for i, name := range names {
		if i == kindsNamed && len(names) > kindsNamed+1 {
			parts = append(parts, "and "+figures.Plural(len(names)-i, "kind")+" more")
			break
		}
		parts = append(parts, figures.Count(counts[name])+" "+name)
	}
	return figures.Plural(len(list), "marked call") + ": " + strings.Join(parts, ", ")
}

// send decides the picks after the operator's yes. All of them must be as they
// were when the question was asked: else nothing is decided.
func (m marks) send(picks []guard.Drawn, v broker.Verdict, reason string) tea.Cmd {
	var list []*board.Card
	for _, k := range picks {
		if c := m.Board.Still(k); c != nil && c.Sending == "" {
			list = append(list, c)
		}
	}
	if gone := len(picks) - len(list); gone > 0 {
		return m.Say(draw.Warn,
			fmt.Sprintf("%s of them ended or changed meanwhile: nothing was decided; look, then press the key again", figures.Count(gone)),
			figures.Count(gone)+" ended or changed: nothing was decided")
	}
	if problem := cmp.Or(m.mayNotReach(list), mayAllowAll(list)); v == broker.Allow && problem != "" {
		return m.Say(draw.Warn, problem)
	}
	on := false
	for _, c := range list {
		c.Sending = v
		delete(m.Board.Marks, c.Req.ID)
		on = on || c.Req.ID == m.cursor.selected
	}
	if on {
		m.cursor.moveOn()
	}
	return m.decideAll(picks, broker.Decision{Verdict: v, By: m.Operator, Reason: reason})
}

// decided takes the broker's answer about several calls.
func (m marks) decided(msg markedMsg) tea.Cmd {
	if msg.err == nil {
		return m.Say(draw.OK, pastTense(msg.verdict)+" "+figures.Plural(len(msg.keys), "call"))
	}
	if p, later := fleet.Waits(msg.err); later && msg.verdict == broker.Deny {
		return m.laterMarked(msg, p)
	}
	for _, k := range msg.keys {
		if c := m.Board.Cards[k.ID]; c != nil && c.Key().SameCall(k) {
			c.Sending = ""
		}
	}
	const nothing = "; nothing was decided"
	err := msg.err
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case fleet.InPart(err): // each machine decides its own together
		return m.Say(draw.Danger, safe.Line(broker.Plain(err)))
	case errors.Is(err, broker.ErrNotRecorded):
		return m.Say(draw.Danger, "the decision could not be recorded, so the agents were told no", "not recorded: the agents were told no")
	case errors.Is(err, broker.ErrFrozen):
		return m.Say(draw.Warn, "frozen"+nothing, "frozen")
	case errors.Is(err, broker.ErrChanged), errors.Is(err, broker.ErrReadAnew):
		for _, k := range msg.keys {
			m.reader.lookAgain(k)
		}
		return m.Say(draw.Warn, "one of these calls, or a file of it, changed while it waited: look again"+nothing, "one changed: look again")
	case errors.Is(err, broker.ErrAlreadyDecided), errors.Is(err, broker.ErrNotFound), errors.Is(err, broker.ErrStale):
		return m.Say(draw.Warn, "one of these calls has ended or is not as it was shown"+nothing, "one has ended or changed"+nothing)
	}
	return m.Say(draw.Danger, safe.Line(broker.Plain(err))+nothing)
}

func pastTense(v broker.Verdict) string {
	if v == broker.Allow {
		return "allowed"
	}
	return "denied"
}

// decideAll decides the calls of keys as one: all of them or none.
func (m marks) decideAll(keys []guard.Drawn, d broker.Decision) tea.Cmd {
	ctx, b := m.Ctx, m.broker
	picks := make([]broker.Pick, len(keys))
	for i, k := range keys {
		picks[i] = broker.Pick{ID: k.ID, Digest: k.Digest}
	}
	return func() tea.Msg {
		_, err := b.DecideAll(ctx, picks, d)
		return markedMsg{keys: keys, verdict: d.Verdict, err: err}
	}
}
