package ruleedit

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
)

// keys are the keys of the rule editor. Those of the embedded text.Keys edit a line;
// the Confirm keys scroll the question, where nothing is typed.
type keys struct {
	Save, Close    key.Binding
	Next, Previous key.Binding
	text.Keys
	Turn                      key.Binding
	Wider, Narrower           key.Binding
	PageDown, PageUp          key.Binding
	ConfirmDown, ConfirmUp    key.Binding
	ConfirmBottom, ConfirmTop key.Binding
}

// defaultKeys are the keys of the editor. They cannot be changed in the settings file:
// here letters are typed, so no letter can be a key.
func defaultKeys() keys {
	return keys{
		Keys:     text.DefaultKeys(),
		Save:     desk.Bind("enter", "save; a rule that allows asks once more", "enter", "ctrl+s"),
		Close:    desk.Bind("esc", "close, keeping nothing", "esc", "ctrl+c"),
		Next:     desk.Bind("tab ↓", "next field", "tab", "down"),
		Previous: desk.Bind("shift+tab ↑", "field before", "shift+tab", "up"),
		Turn:     desk.Bind("space", "next choice", " "),
		Wider:    desk.Bind("ctrl+n", "next offered pattern, a wider one", "ctrl+n", "alt+down"),
		Narrower: desk.Bind("ctrl+p", "pattern before, a narrower one", "ctrl+p", "alt+up"),
		PageDown: desk.Bind("pgdn", "scroll", "pgdown"),
		PageUp:   desk.Bind("pgup", "scroll", "pgup"),

		ConfirmDown:   desk.Bind("j ↓", "down", "j", "down", "ctrl+d", "pgdown"),
		ConfirmUp:     desk.Bind("k ↑", "up", "k", "up", "ctrl+u", "pgup"),
		ConfirmBottom: desk.Bind("G", "to the end", "G", "end"),
		ConfirmTop:    desk.Bind("g", "to the start", "g", "home"),
	}
}

// Help lists the keys for the help screen: those that a person would not guess.
func Help() []key.Binding {
	k := defaultKeys()
	return []key.Binding{k.Next, k.Turn, k.Wider, k.Save, k.Close}
}

// Keys are the keys that act now, for the key line. They are only named here; Write
// takes them, as every key is for the editor.
func (x *Screen) Keys() []desk.Key {
	e, k := x.editor, x.keys
	back := desk.Key{Binding: k.Close, Short: "back"}
	leave := desk.Key{Binding: k.Close, Short: "close"}
	switch {
	case e == nil:
		return nil
	// While the broker records the rule no key can change what becomes of it.
	case e.saving:
		return []desk.Key{{Binding: desk.Bind("…", "saving"), Short: "saving"}}
	case e.confirm != nil:
		return []desk.Key{{Binding: k.Save, Short: "saves it"}, {Binding: k.ConfirmDown, Name: "j k", Short: "scroll"}, back}
	case e.loading:
		return []desk.Key{leave}
	}
	list := []desk.Key{{Binding: k.Next, Name: "tab", Short: "next"}}
	if does := e.saves(); does != "" {
		list = append([]desk.Key{{Binding: k.Save, Short: does}}, list...)
	}
	if e.text(e.focus) == nil {
		list = append(list, desk.Key{Binding: k.Turn, Name: "← →", Short: "choose"})
	}
	if len(e.drafts) > 1 {
		list = append(list, desk.Key{Binding: k.Wider, Name: "ctrl+n/p", Short: "pattern"})
	}
	return append(list, leave)
}

// saves says what the key that saves does; "" when it does nothing. A rule that allows asks once more.
func (e *editor) saves() string {
	switch v := e.verdict(); {
	case e.once() && (v == rules.Ask || v == rules.Defer):
		return ""
	case e.once():
		return string(v) // the call, and no rule
	case v == rules.Allow:
		return "save…"
	}
	return "save"
}

// Write takes a key. tookBack says that the guard has taken it for one of a burst:
// keys that come faster than a person types may be a paste that a terminal did not
// mark, and save nothing.
func (x *Screen) Write(msg tea.KeyMsg, tookBack bool) tea.Cmd {
	e, k := x.editor, x.keys
	// A hint is about the last key only.
	e.hint = ""
	if tookBack {
		// The screen may have changed under those keys, so the next one is looked at
		// with care.
		x.Guard.Doubt(x.At)
		e.hint = "keys came too fast: nothing was saved"
		return nil
	}
	// Pasted text may hold any key, so it neither closes nor saves.
	if key.Matches(msg, k.Close) && !msg.Paste {
		return x.leave()
	}
	switch {
	// Only leaving is possible then.
	case e.saving || e.loading:
	case e.confirm != nil:
		return x.confirmKey(msg)
	case key.Matches(msg, k.Save) && !msg.Paste:
		return x.enter()
	default:
		return x.formKey(msg)
	}
	return nil
}

// leave leaves the innermost thing: the question, then the editor. Nothing of what was
// typed stays, also not for the next time: a rule that was given up must not come
// back. A rule that is being saved is saved nevertheless.
func (x *Screen) leave() tea.Cmd {
	e := x.editor
	if e.confirm != nil && !e.saving {
		e.confirm = nil
		return nil
	}
	// Behind the editor lies a screen where the same key may decide; it must be looked
	// at first.
	x.Guard.Doubt(x.At)
	return x.close()
}

// formKey moves in the form and changes its fields.
func (x *Screen) formKey(msg tea.KeyMsg) tea.Cmd {
	e, k := x.editor, x.keys
	if !msg.Paste {
		switch {
		case key.Matches(msg, k.PageDown, k.PageUp):
			_, height := x.Inner()
			e.scroll(max(1, height/2), key.Matches(msg, k.PageUp))
			return nil
		case key.Matches(msg, k.Next):
			return x.moveField(1)
		case key.Matches(msg, k.Previous):
			return x.moveField(-1)
		case key.Matches(msg, k.Wider):
			return x.turnDraft(1)
		case key.Matches(msg, k.Narrower):
			return x.turnDraft(-1)
		}
	}
	e.free = false
	// The digits prove that a person read them, so they must come one at a time.
	if e.focus.kind == fieldCode && (msg.Paste || len(msg.Runes) > 1) {
		e.hint = "the code is typed, digit by digit"
		return nil
	}
	if l := e.text(e.focus); l != nil {
		changed, refused := l.Edit(msg, k.Keys)
		if e.hint = refused; changed {
			return x.fieldChanged()
		}
		return nil
	}
	return x.choiceKey(msg)
}

// choiceKey takes a key where there are choices. Letters do nothing here, and say so:
// whoever types believes to be in another field.
func (x *Screen) choiceKey(msg tea.KeyMsg) tea.Cmd {
	e, k := x.editor, x.keys
	switch {
	case msg.Paste:
		e.hint = "nothing can be pasted here"
	case text.IsText(msg) && (!key.Matches(msg, k.Turn) || x.At.Sub(e.wordAt) < guard.TypingGap):
		e.wordAt = x.At // a blank behind it is one of a sentence, typed into the wrong field
		e.hint = "space or ← → choose here"
	case key.Matches(msg, k.Right, k.Turn):
		return x.turnField(1)
	case key.Matches(msg, k.Left):
		return x.turnField(-1)
	}
	return nil
}

// scroll moves through the form and what its rule would have done. Until the next key
// it does not follow the focus.
func (s *sight) scroll(step int, up bool) {
	if up {
		step = -step
	}
	s.free, s.top = true, max(0, s.top+step)
}

// moveField gives the focus to another field. A complete parameter in the line for one
// more gets a line of its own. by is 1 or -1; the focus goes around the end.
func (x *Screen) moveField(by int) tea.Cmd {
	e := x.editor
	e.free = false
	var cmd tea.Cmd
	if e.focus.kind == fieldMore && e.addWhere() {
		e.focus = field{kind: fieldWhere, n: len(e.where) - 1}
		cmd = x.changed()
	}
	list := e.fields()
	for i, f := range list {
		if f == e.focus {
			e.focus = list[desk.Turned(i, by, len(list))]
			return cmd
		}
	}
	// The field that had the focus is gone, because another choice took it away.
	e.focus = list[0]
	return cmd
}

// turnField steps to another choice of the focused field. Any of them changes the
// rule, so it is tried anew.
func (x *Screen) turnField(by int) tea.Cmd {
	e := x.editor
	switch e.focus.kind {
	case fieldDecision:
		e.decision.turn(by)
	case fieldState:
		e.state.turn(by)
	case fieldScope:
		e.scope = desk.Turned(e.scope, by, len(e.scopes))
	case fieldAgent:
		e.agent.turn(by)
	case fieldLife:
		e.turnLife(by)
	case fieldTool, fieldEffects, fieldWhere, fieldMore, fieldReason, fieldPriority, fieldCode:
		return nil
	}
	return x.changed()
}

// turnDraft steps to another pattern of those that are offered, from narrow to wide, and stops at
// both ends: a key for a narrower pattern must not bring the widest.
// What was typed into the patterns is replaced.
func (x *Screen) turnDraft(by int) tea.Cmd {
	e := x.editor
	n := len(e.drafts)
	switch {
	case e.once() || n == 0:
		e.hint = "no patterns are offered here"
		return nil
	case n == 1:
		e.hint = "no other pattern is offered"
		return nil
	}
	to := e.draft + by
	switch {
	case to < 0:
		e.hint = "no narrower pattern is offered"
		return nil
	case to == n:
		e.hint = "no wider pattern is offered"
		return nil
	}
	e.draft = to
	e.fill(e.drafts[e.draft])
	return x.changed()
}

// fieldChanged follows a change of a text. While the first pattern is empty, its
// parameter follows the tool that is typed.
func (x *Screen) fieldChanged() tea.Cmd {
	e := x.editor
	if e.focus.kind == fieldTool {
		for i := range e.where {
			// A name that the operator typed stays, whatever the tool is.
			if w := &e.where[i]; w.follows && w.pattern.Blank() {
				if name := mainParameter(e.tool.String()); name != "" {
					w.name = name
				}
			}
		}
	}
	if e.focus.kind == fieldCode {
		return nil // the code is no part of the rule
	}
	return x.changed()
}
