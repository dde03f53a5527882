package tui

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// keyboard takes the keys: which of them the topmost screen has, and what the others do.
type keyboard struct{ *model }

// press takes one key press. Pasted text and bursts are never commands.
func (m keyboard) press(msg tea.KeyMsg) tea.Cmd {
	tookBack := m.Guard.Key(m.At)
	switch {
	case m.prompt != nil:
		return m.promptKey(msg)
	case writes(m.open()):
		return m.write(msg, tookBack)
	case !m.ownKey(msg):
		msg = m.Meant(msg)
	}
	if msg.Paste || len(msg.Runes) > 1 {
		m.Guard.Doubt(m.At)
		m.Guard.Missed(string(msg.Runes))
		return m.Say(draw.Warn, "pasted text and bursts of keys never decide: nothing was done", "pasted or a burst: nothing was done")
	}
	if matches(msg, "back") {
		m.Guard.Typing = false
	}
	if m.Guard.Typing && isText(msg) && !matches(msg, "deny_why") {
		return m.Say(draw.Warn, "… "+m.Called("D")+" opened no input here: press "+m.Called("esc")+" or pause, then press the key again")
	}
	if cmd, ok := m.freezeKey(msg); ok {
		return cmd
	}
	if tookBack && !m.decides(msg) {
		m.Guard.Doubt(m.At)
		return m.Say(draw.Warn, "keys came too fast to be typed: nothing was decided", "too fast: nothing was decided")
	}
	m.unsay()
	if k, ok := matching(m.topmost().Keys(), msg); ok {
		return m.do(k, msg)
	}
	return m.rootKey(msg)
}

// write gives a key to the screen that something is typed in.
func (m keyboard) write(msg tea.KeyMsg, tookBack bool) tea.Cmd {
	if m.open() == m.rooms[desk.EditCall] { // its keys are commands
		msg = m.Meant(msg)
	} else {
		msg = m.chosen.inText(msg)
	}
	m.unsay()
	w, _ := m.open().(desk.Writer)
	return w.Write(msg, tookBack)
}

// isText reports whether msg is a letter, a sign or a blank.
func isText(msg tea.KeyMsg) bool { return msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace }

// ownKey reports whether the open screen has msg among its own keys: there a key does what the
// screen says, whatever else it was chosen for. A key that decides is the same one everywhere.
func (m keyboard) ownKey(msg tea.KeyMsg) bool {
	s := m.open()
	return s != nil && slices.ContainsFunc(s.Keys(), func(k desk.Key) bool { return !k.Decides && key.Matches(msg, k.Binding) })
}

// matching is the first key of list that msg is. One that neither acts nor says why it does not, only
// names a key of the root.
func matching(list []desk.Key, msg tea.KeyMsg) (desk.Key, bool) {
	for _, k := range list {
		if (k.Do != nil || k.Why != "") && key.Matches(msg, k.Binding) {
			return k, true
		}
	}
	return desk.Key{}, false
}

// do does what a key of a screen is for, or says why it cannot. Where D opens no input, the words
// meant for it must not be taken for keys.
func (m keyboard) do(k desk.Key, msg tea.KeyMsg) tea.Cmd {
	if k.Why != "" {
		return m.Say(draw.Muted, k.Why)
	}
	if k.Decides && m.feed.lost() {
		m.Guard.Missed(msg.String())
		return m.Say(draw.Warn, "no word from the broker: nothing was decided")
	}
	cmd := k.Do(msg)
	switch {
	case m.prompt != nil:
		m.Guard.Typing = false // the words have their input
	case k.Decides:
		m.Guard.Missed(msg.String())
	}
	return cmd
}

// decides reports whether msg is a key that changes what agents may do, on the first screen or
// anywhere.
func (m keyboard) decides(msg tea.KeyMsg) bool {
	k, ok := matching(m.first().Keys(), msg)
	return ok && k.Decides || matches(msg, "alarm_seen") || matches(msg, "end_turn")
}

// freezeKey takes f and F: they make things stricter, so they act also right behind another key.
func (m keyboard) freezeKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	switch {
	case matches(msg, "freeze"):
		m.unsay()
		return m.shared.orders.Freeze(), true
	case matches(msg, "freeze_one") && m.open() == nil:
		m.unsay()
		on := m.first().Subject()
		if on.Strayed && on.Session != "" {
			return m.SayStrayed("F"), true
		}
		return m.shared.orders.FreezeOne(on.Session), true
	}
	return nil, false
}

// rootKey takes a key that is not one of the topmost screen's: it acts on what that is about, or
// opens a screen of the table.
func (m keyboard) rootKey(msg tea.KeyMsg) tea.Cmd {
	on := m.topmost().Subject()
	if m.decides(msg) {
		return m.do(desk.Key{Decides: true, Do: func(msg tea.KeyMsg) tea.Cmd { return m.decidingKey(msg, on) }}, msg)
	}
	switch {
	case matches(msg, "quit"), matches(msg, "interrupt"):
		return m.quit(matches(msg, "interrupt"))
	case matches(msg, "leave_running"):
		return m.leave()
	case matches(msg, "back"):
		return m.Back()
	case matches(msg, "message"), matches(msg, "launch"):
		return m.speakKey(msg, on)
	case matches(msg, "copy"):
		return m.copyKey(on)
	case matches(msg, "jump"):
		return m.onSession(on, m.shared.jumper.Jump)
	case matches(msg, "rename"):
		return m.onSession(on, m.shared.orders.Marks().Rename)
	case matches(msg, "put_away"):
		return m.onSession(on, m.shared.orders.Marks().PutAway)
	}
	for _, o := range table {
		if key.Matches(msg, o.key) {
			return m.openFrom(o, on)
		}
	}
	return nil
}

// decidingKey takes a deciding key that the topmost screen has not: two of them act everywhere, and
// of the others it says that they do not.
func (m keyboard) decidingKey(msg tea.KeyMsg, on desk.Subject) tea.Cmd {
	_, refusal := m.Guard.Press(msg.String(), m.At)
	switch {
	case matches(msg, "alarm_seen"):
		return m.shared.orders.AlarmSeen(refusal)
	case matches(msg, "end_turn") && on.Speaks:
		if m.small() {
			return m.Say(draw.Warn, m.TooSmallText())
		}
		return m.shared.orders.Interrupt(m.Board.Sessions[on.Session], refusal)
	}
	return m.Say(draw.Muted, "nothing on this screen can be decided; "+m.Called("esc")+" goes back")
}

// small reports whether the first screen is drawn too small to show whom a key is about. A screen of a
// session says that in any window.
func (m keyboard) small() bool { return m.Small && m.open() == nil }

// speakKey takes the keys that speak to a session and start one. Words may follow that find no text.
func (m keyboard) speakKey(msg tea.KeyMsg, on desk.Subject) (cmd tea.Cmd) {
	switch {
	case !on.Speaks:
	case matches(msg, "launch"):
		cmd = m.Open(desk.Launch, desk.Subject{Session: on.Session})
	case m.small():
		cmd = m.Say(draw.Warn, m.TooSmallText())
	case m.Board.Sessions[on.Session] == nil:
		cmd = m.NoSession()
	default:
		cmd = m.Open(desk.Message, desk.Subject{Session: on.Session})
	}
	if !writes(m.open()) {
		m.Guard.Missed(msg.String())
	}
	return cmd
}

// copyKey copies the call that the screen is about.
func (m keyboard) copyKey(on desk.Subject) tea.Cmd {
	switch {
	case on.Call != nil:
		return m.CopyCall(*on.Call)
	case m.open() == nil:
		return m.Say(draw.Muted, "nothing waits")
	}
	return nil
}

// onSession does something about the session that the screen is about.
func (m keyboard) onSession(on desk.Subject, do func(*broker.Session) tea.Cmd) tea.Cmd {
	s := m.Board.Sessions[on.Session]
	switch {
	case m.Small:
		return m.Say(draw.Warn, m.TooSmallText())
	case s == nil && m.open() == nil:
		return m.NoSession()
	case s == nil:
		return nil
	}
	return do(s)
}

// quit leaves at once when nothing waits, and else on a yes.
func (m keyboard) quit(interrupt bool) tea.Cmd {
	if m.open() != nil && !interrupt {
		return m.Back()
	}
	n := len(m.Board.Waiting) - m.Board.Waiting.PutOff() // what is put off loses nothing
	place := m.opts.Place()
	if n == 0 || place.Elsewhere && place.Empty == "" {
		return tea.Quit
	}
	calls, wait := figures.Plural(n, "call"), "wait"
	if n == 1 {
		wait = "waits"
	}
	m.Pose(desk.Question{No: "aoctl stays", Interrupted: true, Yes: func() tea.Cmd { return tea.Quit }, Texts: func() []string {
		if place.Elsewhere {
			return []string{
				fmt.Sprintf("%s %s; the broker goes on; when no console is left %s. Quit? ", calls, wait, place.Empty),
				fmt.Sprintf("%s %s; without a console %s. Quit? ", calls, wait, place.Empty),
				fmt.Sprintf("%s %s. Quit? ", calls, wait),
			}
		}
		return []string{
			fmt.Sprintf("%s %s; without a console the agents are refused at their deadline. Quit? ", calls, wait),
			fmt.Sprintf("%s %s and will be refused. Quit? ", calls, wait),
			fmt.Sprintf("%s %s. Quit? ", calls, wait),
		}
	}})
	return nil
}

// leave asks whether the broker is to go on in a process of its own, or to come here from one. A
// screen that can do neither goes to the background.
func (m keyboard) leave() tea.Cmd {
	place := m.opts.Place()
	texts := []string{
		fmt.Sprintf("leave the broker running without this screen? then %s, and aoctl brings the screen back ", place.Empty),
		fmt.Sprintf("leave the broker running? then %s ", place.Empty),
		fmt.Sprintf("leave it running? %s ", place.Empty), "leave the broker running? ",
	}
	switch {
	case m.opts.Demo, place.Elsewhere && !place.Served:
		return tea.Suspend
	case m.feed.lost():
		return m.Say(draw.Warn, "no word from the broker: it cannot be taken here now")
	case place.Elsewhere:
		texts = []string{
			"take the broker into this console? what waits goes on waiting; the broker ends then when you quit ",
			"take the broker here? it ends then when you quit ", "take the broker here? ",
		}
	}
	m.Pose(desk.Question{Texts: func() []string { return texts }, Yes: func() tea.Cmd {
		m.leaving = true
		return tea.Quit
	}})
	return nil
}
