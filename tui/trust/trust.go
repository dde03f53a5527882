// Package trust is the form in which a person says once what agents may do in a project: six
// effects to tick, each with its meaning, and what that would have done to the calls so far. Enter
// makes it a rule about effects for the project, or changes the one that is there.
//
// How a grant comes about: the screen is opened about a call or a session. The broker looks at the
// project's folder (ProjectAt), which costs time and is done in a command, and the form begins with
// what changes nothing that git could not take back. Each tick asks the broker anew what the rule
// would have done (package trial). Enter is judged by the guard as a decision is, and acts once the whole
// form was on the screen and the answer for its ticks is there. The broker then ends the
// waiting calls that the rule decides, as with any rule.
//
// The form loosens what holds, so it says plainly what that comes to: what edit and check together
// mean, which calls a person had denied that would have passed, and how many waiting calls go on at
// once.
//
// "aoctl trust" in a terminal asks for the same (asks.go): the form then says what is asked
// for and who asks, and its answer goes back to the terminal. What goes beyond the ticks of every form is not
// ticked beforehand.
//
// A press of the key that opened the form leaves it with "not now": a desk.NotNow, by which the first
// screen takes its line about the project away. What became of the rule is a desk.RuleSaved, as with
// the rule editor.
//
// trust.go has the form, keys.go its keys, view.go how it is drawn.
package trust

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/trial"
	"github.com/aoctl/aoctl/tui/words"
)

// Broker is what the form needs of it. All of them are called in commands and may take their time.
type Broker interface {
	trial.Broker
	ProjectAt(ctx context.Context, dir string) broker.Project
}

// choices are the effects that can be ticked, each with its key, in the order in which they are drawn:
// first those that are ticked to begin with.
var choices = []struct {
	effect effects.Effect
	key    string
}{
	{effects.Look, "l"},
	{effects.Check, "c"},
	{effects.Commit, "m"},
	{effects.Edit, "e"},
	{effects.Fetch, "t"},
	{effects.Serve, "s"},
}

// atFirst is ticked where no rule says anything yet.
var atFirst = effects.Of(effects.Look, effects.Check, effects.Commit)

// Screen is the form.
type Screen struct {
	*desk.Desk
	broker Broker
	asks   *Asks
	form
	trial *trial.Trial // of what is ticked
	gen   int          // of the form; tells answers for this one from those for one before
}

// form is what is ticked for one project.
type form struct {
	asked   broker.Proposal // that the form answers; without an ID nobody asked
	project broker.Project
	looked  bool       // project is known
	old     rules.Rule // the rule that is changed; without an ID it becomes a new one
	ticks   effects.Set
	at      int  // which choice has the cursor
	top     int  // first row on the screen
	free    bool // scrolled away from the cursor
	done    bool // it was saved, and closes
}

// lookedMsg brings what is known of the project.
type lookedMsg struct {
	gen     int
	project broker.Project
}

// New makes the screen. It answers what a is asked for.
func New(d *desk.Desk, b Broker, a *Asks) *Screen {
	x := &Screen{Desk: d, broker: b, asks: a}
	x.trial = trial.New(d, b, x.rule)
	return x
}

// Opens begins anew: about what a terminal asks for, else about the project of a call or a session.
func (x *Screen) Opens(on desk.Subject) tea.Cmd {
	x.gen++
	x.form = form{ticks: atFirst, asked: x.asks.first()}
	x.trial.Begin()
	dir := x.Board.Folder(on.Session, on.Call)
	switch {
	case x.asked.ID != "":
		dir = x.asked.Project
	case on.Session == "":
		return tea.Batch(x.Back(), x.NoSession())
	}
	ctx, b, gen := x.Ctx, x.broker, x.gen
	return func() tea.Msg { return lookedMsg{gen, b.ProjectAt(ctx, dir)} }
}

// Update takes the broker's answers and news.
func (x *Screen) Update(msg tea.Msg) tea.Cmd {
	x.trial.Update(msg)
	switch msg := msg.(type) {
	case lookedMsg:
		x.lookedAt(msg)
	case desk.RuleSaved:
		return x.saved(msg)
	case tea.MouseMsg:
		steps, _ := desk.Wheel(msg)
		x.scroll(steps * desk.WheelRows)
	case desk.Settle:
		return x.settle()
	}
	return nil
}

// lookedAt fills the form in. A project that has a grant shows that.
func (x *Screen) lookedAt(msg lookedMsg) {
	if msg.gen != x.gen {
		return
	}
	x.project, x.looked = msg.project, true
	if x.project.Path == "" {
		return
	}
	granted := x.Book.Grant(x.project.Path).Effects & effects.Grantable
	x.old = x.Book.GrantWith(x.project.Path, x.asked.Effects)
	switch {
	// Who asks ticks nothing that is not ticked anyway: the fingers know the keys to this form, and what goes
	// further is for the person to tick.
	case x.asked.ID != "":
		x.ticks = granted | x.asked.Effects&atFirst
	case granted != 0:
		x.ticks = granted
	}
	x.Guard.Doubt(x.At) // what is ticked came on the screen just now
	x.trial.Changed()
}

// rule is the rule that the form says; false while it says none.
func (x *Screen) rule() (rules.Rule, bool) {
	r := x.old
	r.Effects, r.Enabled = x.ticks, true
	return r, x.ticks != 0 && x.project.Path != ""
}

// name is what the project is called; safe to draw.
func (x *Screen) name() string { return words.Project(x.project.Path) }

// Subject is nothing: no call counts as drawn.
func (x *Screen) Subject() desk.Subject { return desk.Subject{} }

// settle keeps the cursor on the screen, notes whether the end was there, and closes a form that was
// saved.
func (x *Screen) settle() tea.Cmd {
	if x.done {
		x.done = false
		return x.Back()
	}
	width, height := x.Inner()
	rows, at := x.rows(width, height)
	if !x.free {
		x.top = desk.Window(x.top, at, height, len(rows))
	}
	x.top = max(0, min(x.top, len(rows)-height))
	return x.trial.Settle(x.top+height >= len(rows))
}
