// Package launch is the form that starts a managed session: folder, agent, prompt, and
// if wanted a name and a model. It covers the room, and while it is open every key is
// for it. What was typed is kept until a session was started of it.
//
// How a start passes: the folder begins as that of the session which was looked at,
// and tab completes what is typed there (folders.go). ctrl+s, or enter on the last
// field, judged by package send, asks the broker once the form says enough. What
// became of it is a desk.Launched, which the root hears too: it selects the new
// session once that is listed. A form whose session was not started stays as it is.
//
// The screen starts no process itself: the broker does, with the same command that a
// person would type. Starting an agent allows nothing; each of its calls asks as any
// other. What is typed here reaches the agent as it stands, so the fields draw every
// foreign sign.
//
// launch.go has the form and its start, keys.go what a key does, view.go how it is
// drawn.
package launch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/hookclient/profile"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/send"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// Broker is what the screen needs of it. Launch returns once the session is held,
// which may take as long as an agent takes to start.
type Broker interface {
	Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error)
}

// Screen is the form, open or not.
type Screen struct {
	*desk.Desk
	broker    Broker
	own       func() string // the folder that the console was started in
	keys      keys
	enter     send.Key
	gen       int
	form      *form // nil while the screen is closed
	unstarted *form // the form as it was left, nil when it has nothing
}

// form is what is typed for one session.
type form struct {
	gen    int // tells answers for this form from those for one before
	focus  field
	folder text.Line
	agent  int // of agents
	prompt text.Area
	name   text.Line
	model  text.Line

	hint     string   // why the last key did nothing; safe to draw
	problem  string   // why the last start failed; safe to draw
	folders  []string // that the typed one may become, raw; of the last tab
	starting bool
	top      int // first row on the screen
}

// field is a field of the form, in the order in which they are drawn.
type field int

// The fields.
const (
	fieldFolder field = iota
	fieldAgent
	fieldPrompt
	fieldName
	fieldModel
	fieldCount
)

// agents are those that can be held by both ends.
var agents = slices.DeleteFunc(profile.Names(), func(name string) bool { return !profile.Of(name).Traits.Runs })

// onlyWatched says why others cannot be started here.
const onlyWatched = "only Claude Code can be started here: the others take no messages and no interrupt from aoctl; start them in a terminal"

// maxPrompt is how many characters may be written: no more bytes than the broker takes.
const maxPrompt = 64 << 10

// problem is a reason for a person to read; what agents chose in it is safe to draw.
type problem string

func (p problem) Error() string { return string(p) }

// New makes the screen; own is the folder that the console was started in.
func New(d *desk.Desk, b Broker, own func() string) *Screen {
	return &Screen{Desk: d, broker: b, own: own, keys: defaultKeys()}
}

// Opens shows the form as it was left, or an empty one. It does not open on a key that
// came in a burst: the keys behind it would be typed into it.
func (x *Screen) Opens(on desk.Subject) tea.Cmd {
	x.form = nil
	switch {
	// What is typed must be seen whole before it is sent to an agent.
	case x.Small:
		return x.refuse(x.TooSmallText())
	case x.Guard.Burst():
		return x.refuse("… keys came too fast to be typed")
	}
	x.gen++
	f := x.unstarted
	if f == nil {
		f = &form{folder: text.NewLine(x.folderOf(on.Session)), prompt: text.NewArea("", maxPrompt), focus: fieldPrompt}
		f.folder.Most, f.name.Most, f.model.Most = 4000, 200, 200
	}
	// An answer for the form as it was opened before must not reach this one.
	f.gen, f.hint, f.folders, f.starting = x.gen, "", nil, false
	x.form, x.unstarted = f, nil
	// An enter from before the form was opened starts nothing.
	x.enter.TakeBack()
	return nil
}

// refuse closes the screen that was just opened, and says why.
func (x *Screen) refuse(why string) tea.Cmd { return tea.Batch(x.Back(), x.Say(draw.Warn, why)) }

// folderOf is where a new session begins: where the session that is looked at does,
// else where the console was started.
func (x *Screen) folderOf(session string) string {
	if s := x.Board.Sessions[session]; s != nil {
		if folder := cmp.Or(s.ProjectDir, s.CWD); folder != "" {
			return folder
		}
	}
	return x.own()
}

// Subject is nothing.
func (x *Screen) Subject() desk.Subject { return desk.Subject{} }

// Update takes answers, and the enter that was held for a moment.
func (x *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Settle:
		x.settle()
	case send.DueMsg:
		// The enter counts only while the form is open; its text must be the one that
		// was seen.
		ok, again := x.enter.Release(msg, x.At)
		if ok && x.form != nil {
			return x.start()
		}
		return again
	case desk.Launched:
		return x.launched(msg)
	case foldersMsg:
		x.foldersCame(msg)
	}
	return nil
}

// close ends the typing: who goes on typing decides nothing by that.
func (x *Screen) close() tea.Cmd {
	x.form = nil
	x.Guard.Leaves(x.At)
	return x.Back()
}

// leave closes the form and keeps what was typed. A form with a folder alone has
// nothing to keep.
func (x *Screen) leave() tea.Cmd {
	f := x.form
	closed := x.close()
	if f.prompt.Blank() && f.name.Blank() && f.model.Blank() {
		return closed
	}
	x.unstarted = f
	return tea.Batch(closed, x.Say(draw.Muted, "nothing was started; "+x.Called("n")+" shows what you wrote again", "not started; "+x.Called("n")+" shows it again"))
}

// start asks for the session, once the form says enough. The folder is looked at in
// the command; what is wrong with it comes back as a problem.
func (x *Screen) start() tea.Cmd {
	f := x.form
	switch {
	case f.starting:
		return nil
	case f.folder.Blank():
		f.focus, f.hint = fieldFolder, "which folder?"
		return nil
	case f.prompt.Blank():
		f.focus, f.hint = fieldPrompt, "what is it to do?"
		return nil
	}
	// Until the answer comes no key can start it a second time.
	f.starting, f.problem, f.hint, f.folders = true, "", "", nil
	n := broker.NewRun{
		Agent: agents[f.agent], Prompt: words.Trimmed(f.prompt.String()),
		Name: strings.TrimSpace(f.name.String()), Model: strings.TrimSpace(f.model.String()),
	}
	ctx, b, by, gen, typed, own := x.Ctx, x.broker, x.Operator, f.gen, f.folder.String(), x.own()
	return func() tea.Msg {
		msg := desk.Launched{Form: gen}
		if n.Folder, msg.Err = folderAt(typed, own); msg.Err != nil {
			return msg
		}
		// The broker starts a process and waits until it holds the session, so this
		// takes seconds.
		msg.Session, msg.Err = b.Launch(ctx, n, by)
		// The name is the person's own or the broker's; either is made safe before it
		// is drawn.
		msg.What = draw.SafeLine(cmp.Or(n.Name, msg.Session.Name, n.Agent))
		return msg
	}
}

// launched tells what became of a start. A form whose session was not started stays.
func (x *Screen) launched(msg desk.Launched) tea.Cmd {
	open := x.form != nil && x.form.gen == msg.Form
	// The console closes, and nobody would read why.
	if errors.Is(msg.Err, context.Canceled) {
		return nil
	}
	if msg.Err != nil {
		why := startError(msg.Err)
		// The form shows why, right above what was typed.
		if open {
			x.form.failed(msg.Err, why)
			return nil
		}
		return x.Say(draw.Danger, "nothing was started: "+why+"; "+x.Called("n")+" shows the form again", "nothing was started: "+why)
	}
	what := msg.What
	if msg.Session.ID != "" { // as the list calls it
		what = x.Board.LabelWith(msg.Session)
	}
	told := x.Say(draw.OK, "starting "+what+": it is listed among the sessions", "starting "+what)
	if open {
		return tea.Batch(x.close(), told)
	}
	// The form was left while its session was being started, so it is not to be shown
	// again.
	if f := x.unstarted; f != nil && f.gen == msg.Form {
		x.unstarted = nil
	}
	return told
}

// failed lets the form be changed again after a start that failed.
func (f *form) failed(err error, why string) {
	f.starting, f.problem = false, why
	// Only the folder can be wrong in a way that the person can mend here.
	if _, bad := errors.AsType[problem](err); bad {
		f.focus = fieldFolder
	}
}

// startError is why nothing was started, safe to draw.
func startError(err error) string {
	if p, ok := errors.AsType[problem](err); ok {
		return p.Error()
	}
	return words.RunError(err)
}
