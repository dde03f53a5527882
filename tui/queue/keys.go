package queue

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sheet"
)

// The keys of the screen.
var (
	allow    = desk.Bind("a", "allow this call, once; a dangerous one takes the two digits of its card", "a")
	deny     = desk.Bind("d", "deny it", "d")
	denyWhy  = desk.Bind("D", "deny it and say why; the agent reads the reason", "D")
	edit     = desk.Bind("e", "edit the input in $EDITOR, look at the difference, then allow that", "e")
	mark     = desk.Space("mark this call; a, d and D then act on all marked ones")
	alike    = desk.Bind("*", "mark all listed calls like this one", "*")
	moreTime = desk.Bind("t", "more time for this call, as far as its agent's hook waits", "t")
	putOff   = desk.Bind("x", "defer: end the agent, keep the call for later", "x")
	reject   = desk.Bind("X", "a deferred call: deny it, and do not resume its session to say so", "X")

	resume  = desk.Bind("R", "let a session go on that has a deferred call", "R")
	stop    = desk.Bind("s", "stop this session: its calls are denied until its user speaks; a managed one is ended too", "s")
	stopAll = desk.Bind("S", "stop all sessions", "S")
	kill    = desk.Bind("ctrl+k", "stop this session and end its processes; names them and asks first", "ctrl+k")
	observe = desk.Bind("O", "on a session: only observe it, hold none of its calls; O again holds them", "O")
	mute    = desk.Bind("M", "mute this session: no bell for its calls; M again rings", "M")

	next     = desk.Bind("tab", "next pane", "tab")
	previous = desk.Bind("shift+tab", "previous pane", "shift+tab")
	onward   = desk.Bind("N", "the next call that waits", "N")
	open     = desk.Enter("the call on the whole screen; on a session: its calls only, or all about a managed one")

	filter   = desk.Filter("filter by session, tool or text")
	makeRule = desk.Bind("A", "a rule for calls like this one", "A")

	panes  = desk.Bind("1–5", "what waits, the call, the sessions, the history, the rules; on a dangerous call digits are its code, in a form they pick", "1", "2", "3", "4", "5")
	digits = desk.Bind("0–9", "the two digits of a dangerous call", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
	leave  = desk.Bind("esc", "back: from the whole screen, then the marks, then the filter", "esc")
	quit   = desk.Bind("q", "back from the whole screen", "q")
)

// Actions are what the keys of the screen do, for the help and the settings file.
func Actions() []desk.Action {
	return []desk.Action{
		{Group: "Decide", Name: "allow", Binding: allow},
		{Group: "Decide", Name: "deny", Binding: deny},
		{Group: "Decide", Name: "deny_why", Binding: denyWhy},
		{Group: "Decide", Name: "edit", Binding: edit},
		{Group: "Decide", Name: "mark", Binding: mark},
		{Group: "Decide", Name: "mark_alike", Binding: alike},
		{Group: "Decide", Name: "more_time", Binding: moreTime},
		{Group: "Decide", Name: "defer", Old: "put_off", Binding: putOff},
		{Group: "Decide", Name: "reject", Binding: reject},
		{Group: "Sessions", Name: "resume", Binding: resume},
		{Group: "Sessions", Name: "stop", Binding: stop},
		{Group: "Sessions", Name: "stop_all", Binding: stopAll},
		{Group: "Sessions", Name: "kill", Binding: kill},
		{Group: "Sessions", Name: "observe", Binding: observe},
		{Group: "Sessions", Name: "mute", Binding: mute},
		{Group: "Move", Name: "next", Binding: next},
		{Group: "Move", Name: "previous", Binding: previous},
		{Group: "Move", Binding: panes},
		{Group: "Move", Name: "next_waiting", Binding: onward},
		{Group: "Move", Name: "open", Binding: open},
		{Group: "Look", Name: "filter", Binding: filter},
		{Group: "Rules", Name: "make_rule", Binding: makeRule},
	}
}

// judge says what a deciding key does now; refusal is what the guard has against it.
type judge func(msg tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd

// Keys are the keys as they are now: those that the key line names, those of an open form, those
// that decide, and the others.
func (q *Screen) Keys() []desk.Key {
	c := q.DrawnCard()
	list, d := append(q.keyline(c).named(c), q.form.Keys(c)...), decider{q}
	if q.inSight(c) && c.Dangerous() {
		list = append(list, desk.Key{Binding: digits, Why: whyNot(q, c, digits), Decides: true, Do: func(msg tea.KeyMsg) tea.Cmd { return d.typeDigit(c, msg.String()) }})
	}
	for _, k := range []struct {
		key.Binding
		judge judge
	}{
		{allow, d.judgeAllow},
		{deny, d.judgeDeny},
		{denyWhy, d.judgeDenyWhy},
		{edit, d.judgeEdit},
		{makeRule, d.judgeRule},
		{moreTime, d.judgeMoreTime},
		{putOff, d.judgePutOff},
		{reject, d.judgePutOff},
		{resume, d.judgePutOff},
		{stop, d.judgeStop},
		{kill, d.judgeStop},
		{stopAll, d.judgeStopAll},
		{observe, d.judgeObserve},
	} {
		list = append(list, desk.Key{Binding: k.Binding, Why: whyNot(q, c, k.Binding), Decides: true, Do: func(msg tea.KeyMsg) tea.Cmd {
			wait, refusal := q.Guard.Press(msg.String(), q.At)
			return k.judge(msg, wait, refusal)
		}})
	}
	return append(append(list, q.looking()...), q.moving()...)
}

// looking are the keys that show something.
func (q *Screen) looking() []desk.Key {
	list := q.setup.Sheets.Keys(sheet.Drawn{LayOut: q.drawnDoc, Top: &q.reader.scroll})
	list = append(list,
		desk.Key{Binding: filter, Do: func(tea.KeyMsg) tea.Cmd { return q.askFilter() }},
		desk.Key{Binding: mark, Do: q.markKey},
		desk.Key{Binding: alike, Do: q.markKey},
		desk.Key{Binding: mute, Do: func(tea.KeyMsg) tea.Cmd { return q.mute() }},
		desk.Key{Binding: leave, Do: func(tea.KeyMsg) tea.Cmd { q.back(); return nil }},
	)
	if q.full {
		list = append(list, desk.Key{Binding: quit, Do: func(tea.KeyMsg) tea.Cmd { q.back(); return nil }})
	}
	return list
}

// moving are the keys that move in the panes and between them.
func (q *Screen) moving() []desk.Key {
	pane := func(by pane) func(tea.KeyMsg) tea.Cmd {
		return func(tea.KeyMsg) tea.Cmd { q.next(by); return nil }
	}
	return append(desk.Moves("", q.move),
		desk.Key{Binding: next, Do: pane(1)},
		desk.Key{Binding: previous, Do: pane(paneCount - 1)},
		desk.Key{Binding: panes, Do: q.goToPane},
		desk.Key{Binding: onward, Do: func(tea.KeyMsg) tea.Cmd { return q.goOn() }},
		desk.Key{Binding: open, Do: func(tea.KeyMsg) tea.Cmd { return q.openCall() }},
	)
}

// chosen is the session that those keys are about: the one with the bar. Where no bar is drawn there is
// none, because nobody sees whom a key would act on.
func (q *Screen) chosen() string {
	if !q.onSessions() || !q.layout().showsSessions() {
		return ""
	}
	return q.roster.session()
}

// judgeStop says what s or ctrl+k does now: both make things stricter.
func (q decider) judgeStop(msg tea.KeyMsg, _ time.Duration, refusal string) tea.Cmd {
	order := q.setup.Orders.Stop
	if key.Matches(msg, kill) {
		order = q.setup.Orders.Kill
	}
	c := q.DrawnCard()
	switch {
	case q.onSessions():
		return order(q.chosen(), refusal)
	case c == nil && q.list.card() == nil:
		return q.NoSession()
	case c == nil:
		return q.sayNone()
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	}
	return order(c.Req.SessionID, "")
}

func (q decider) judgeStopAll(_ tea.KeyMsg, _ time.Duration, refusal string) tea.Cmd {
	return q.setup.Orders.StopAll(refusal)
}

func (q decider) judgeObserve(_ tea.KeyMsg, _ time.Duration, refusal string) tea.Cmd {
	if !q.onSessions() {
		return q.Say(draw.Muted, q.Called("O")+" observes a session, or holds it again: "+q.Called("tab")+" goes to the sessions", q.Called("O")+" is for sessions: "+q.Called("tab")+" goes there")
	}
	return q.setup.Orders.Observe(q.chosen(), refusal)
}

// mute mutes the session that the screen is about.
func (q *Screen) mute() tea.Cmd {
	on := q.Subject()
	switch {
	case q.Small:
		return q.Say(draw.Warn, q.TooSmallText())
	case on.Session == "":
		return q.NoSession()
	case on.Strayed:
		return q.SayStrayed("M")
	}
	q.roster.listed.wide = 0 // its row says so
	return q.setup.Herald.Mute(on.Session)
}

// askFilter asks which calls to list. In a low window the sessions would hide what is filtered.
func (q *Screen) askFilter() tea.Cmd {
	q.goTo(paneQueue)
	f := q.Board.Filter
	q.Read(desk.Line{
		Lead: "/", Help: q.Called("enter") + " keeps · " + q.Called("esc") + " shows all", Text: f.Text,
		Typed: func(text string) {
			q.list.filterBy(board.Filter{Text: text, SessionID: f.SessionID, Machine: f.Machine})
		},
		Cancel: func() { q.list.filterBy(board.Filter{}) },
	})
	return nil
}

// back leaves the innermost thing: the whole screen, then the marks, then the filter.
func (q *Screen) back() {
	switch {
	case q.full:
		q.full = false
	case len(q.Board.Marks) > 0:
		clear(q.Board.Marks)
	case q.Board.Filter.Active():
		q.list.filterBy(board.Filter{})
	}
}
