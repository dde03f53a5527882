package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/hookclient/profile"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
)

// launch is the form that starts a managed session. It lies over the screen, and while it
// is open every key is for it. What was typed is kept until a session was started of it.
type launch struct {
	gen    int // tells answers for this form from those for one before
	focus  launchField
	folder text.Line
	agent  int // of launchAgents
	prompt text.Area
	name   text.Line
	model  text.Line

	hint     string   // why the last key did nothing; safe to draw
	problem  string   // why the last start failed; safe to draw
	folders  []string // that the typed one may become, raw; of the last tab
	starting bool
	top      int // first row on the screen
}

// launchField is a field of the form, in the order in which they are drawn.
type launchField int

// The fields.
const (
	launchFolder launchField = iota
	launchAgent
	launchPrompt
	launchName
	launchModel
	launchFieldCount
)

// launchAgents are the agents there are; only the first can be held by both ends.
var launchAgents = profile.Names()

// onlyWatched says why the others cannot be started here.
const onlyWatched = "only Claude Code can be started here: the others take no messages and no interrupt from aoctl; start them in a terminal"

// launchedMsg is the answer to a start.
type launchedMsg struct {
	gen     int
	what    string // is started; safe to draw
	session broker.Session
	err     error
}

// openLaunch takes n: it opens the form as it was left, or an empty one.
func (m *model) openLaunch() tea.Cmd {
	switch {
	case m.tooSmall():
		return m.Say(draw.Warn, m.tooSmallText())
	case m.Guard.Burst():
		return m.Say(draw.Warn, "… keys came too fast to be typed")
	}
	m.composeGen++
	f := m.unstarted
	if f == nil {
		f = &launch{folder: text.NewLine(m.launchFolder()), prompt: text.NewArea("", maxMessage), focus: launchPrompt}
		f.folder.Most, f.name.Most, f.model.Most = 4000, 200, 200
	}
	f.gen, f.hint, f.folders, f.starting = m.composeGen, "", nil, false
	m.launch, m.unstarted, m.note = f, nil, note{}
	m.enter.takeBack()
	return nil
}

// launchFolder is where a new session begins: where the session that is looked at does,
// else where the console was started.
func (m *model) launchFolder() string {
	if s := m.sessionHere(); s != nil {
		if folder := cmp.Or(s.ProjectDir, s.CWD); folder != "" {
			return folder
		}
	}
	return m.opts.Folder
}

// leaveLaunch closes the form and keeps what was typed.
func (m *model) leaveLaunch() tea.Cmd {
	f := m.launch
	m.launch = nil
	m.Guard.Leaves(m.At)
	if f.prompt.Blank() && f.name.Blank() && f.model.Blank() {
		return nil
	}
	m.unstarted = f
	return m.Say(draw.Muted, "nothing was started; n shows what you wrote again", "not started; n shows it again")
}

// startLaunch asks for the session, once the form says enough.
func (m *model) startLaunch() tea.Cmd {
	f := m.launch
	switch {
	case f.starting:
		return nil
	case f.folder.Blank():
		f.focus, f.hint = launchFolder, "which folder?"
		return nil
	case f.prompt.Blank():
		f.focus, f.hint = launchPrompt, "what is it to do?"
		return nil
	}
	f.starting, f.problem, f.hint, f.folders = true, "", "", nil
	n := broker.NewRun{
		Agent: launchAgents[f.agent], Prompt: trimmed(f.prompt.String()),
		Name: strings.TrimSpace(f.name.String()), Model: strings.TrimSpace(f.model.String()),
	}
	ctx, console, by, gen, typed, own := m.Ctx, m.console, m.Operator, f.gen, f.folder.String(), m.opts.Folder
	return func() tea.Msg {
		msg := launchedMsg{gen: gen}
		if n.Folder, msg.err = folderAt(typed, own); msg.err != nil {
			return msg
		}
		msg.session, msg.err = console.Launch(ctx, n, by)
		msg.what = draw.SafeLine(cmp.Or(n.Name, msg.session.Name, n.Agent))
		return msg
	}
}

// launched tells what became of a start. A form whose session was not started stays.
func (m *model) launched(msg launchedMsg) tea.Cmd {
	f := m.launch
	open := f != nil && f.gen == msg.gen
	if !open && m.unstarted != nil && m.unstarted.gen == msg.gen {
		f = m.unstarted
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil && open:
		f.starting, f.problem = false, launchError(msg.err)
		if _, bad := errors.AsType[problem](msg.err); bad {
			f.focus = launchFolder
		}
		return nil
	case msg.err != nil:
		return m.Say(draw.Danger, "nothing was started: "+launchError(msg.err)+"; n shows the form again", "nothing was started: "+launchError(msg.err))
	case open:
		m.launch = nil
		m.Guard.Leaves(m.At)
	case f != nil && f == m.unstarted:
		m.unstarted = nil
	}
	m.newest = msg.session.ID
	return m.Say(draw.OK, "starting "+msg.what+": it is listed among the sessions", "starting "+msg.what)
}

func launchError(err error) string {
	if p, ok := errors.AsType[problem](err); ok {
		return p.Error()
	}
	return runError(err)
}

// selectNewest selects the session that was started here last, once it is listed.
func (m *model) selectNewest() {
	if m.newest != "" && m.Board.Sessions[m.newest] != nil {
		m.session, m.newest = m.newest, ""
	}
}

// line is the text of one line that has the focus, nil for the other fields.
func (f *launch) line() *text.Line {
	switch f.focus {
	case launchFolder:
		return &f.folder
	case launchName:
		return &f.name
	case launchModel:
		return &f.model
	case launchAgent, launchPrompt, launchFieldCount:
	}
	return nil
}

// foldersCame completes the typed folder as far as there is no choice.
func (m *model) foldersCame(msg foldersMsg) {
	f := m.launch
	if f == nil || f.gen != msg.gen || f.folder.String() != msg.typed || f.focus != launchFolder {
		return
	}
	switch {
	case msg.err != nil:
		f.hint = safe.Line(msg.err.Error())
	case len(msg.list) == 0:
		f.hint = "no folder begins like this"
	case msg.common == msg.typed && (len(msg.list) == 1 || len(f.folders) > 0):
		m.moveLaunch(1) // nothing is left to complete
	default:
		most := f.folder.Most
		f.folder, f.folders = text.NewLine(msg.common), msg.list
		f.folder.Most = most
	}
	if len(msg.list) == 1 {
		f.folders = nil
	}
}
