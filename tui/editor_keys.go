package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
)

// editorKeys are the keys of the rule editor.
type editorKeys struct {
	Save, Close    key.Binding
	Next, Previous key.Binding
	text.Keys
	Turn                      key.Binding
	Wider, Narrower           key.Binding
	PageDown, PageUp          key.Binding
	ConfirmDown, ConfirmUp    key.Binding
	ConfirmBottom, ConfirmTop key.Binding
}

func defaultEditorKeys() editorKeys {
	bind := func(name, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
	}
	return editorKeys{
		Keys:     text.DefaultKeys(),
		Save:     bind("enter", "save; a rule that allows asks once more", "enter", "ctrl+s"),
		Close:    bind("esc", "close, keeping nothing", "esc", "ctrl+c"),
		Next:     bind("tab ↓", "next field", "tab", "down"),
		Previous: bind("shift+tab ↑", "field before", "shift+tab", "up"),
		Turn:     bind("space", "next choice", " "),
		Wider:    bind("ctrl+n", "next offered pattern, a wider one", "ctrl+n", "alt+down"),
		Narrower: bind("ctrl+p", "pattern before, a narrower one", "ctrl+p", "alt+up"),
		PageDown: bind("pgdn", "scroll", "pgdown"),
		PageUp:   bind("pgup", "scroll", "pgup"),

		ConfirmDown:   bind("j ↓", "down", "j", "down", "ctrl+d", "pgdown"),
		ConfirmUp:     bind("k ↑", "up", "k", "up", "ctrl+u", "pgup"),
		ConfirmBottom: bind("G", "to the end", "G", "end"),
		ConfirmTop:    bind("g", "to the start", "g", "home"),
	}
}

// help lists the keys for the help screen.
func (k editorKeys) help() []key.Binding {
	return []key.Binding{k.Next, k.Turn, k.Wider, k.Save, k.Close}
}

// editorKey takes a key for the open editor.
func (m *model) editorKey(msg tea.KeyMsg, tookBack bool) tea.Cmd {
	e, k := m.editor, m.editorKeys
	e.hint = ""
	m.note = note{}
	if tookBack {
		m.Guard.Doubt(m.At)
		e.hint = "keys came too fast: nothing was saved"
		return nil
	}
	if key.Matches(msg, k.Close) && !msg.Paste {
		return m.editorClose()
	}
	switch {
	case e.saving || e.loading:
	case e.confirm != nil:
		return m.confirmKey(msg)
	case key.Matches(msg, k.Save) && !msg.Paste:
		return m.editorEnter()
	default:
		return m.formKey(msg)
	}
	return nil
}

// editorClose leaves the innermost thing: the question, then the editor. Nothing of
// what was typed stays.
func (m *model) editorClose() tea.Cmd {
	e := m.editor
	if e.confirm != nil && !e.saving {
		e.confirm = nil
		return nil
	}
	m.editor = nil
	m.Guard.Doubt(m.At)
	return nil
}

// formKey moves in the form and changes its fields.
func (m *model) formKey(msg tea.KeyMsg) tea.Cmd {
	e, k := m.editor, m.editorKeys
	if !msg.Paste {
		switch {
		case key.Matches(msg, k.PageDown, k.PageUp):
			e.free = true
			_, height := m.editorRoom()
			step := max(1, height/2)
			if key.Matches(msg, k.PageUp) {
				step = -step
			}
			e.top = max(0, e.top+step)
			return nil
		case key.Matches(msg, k.Next):
			return m.moveField(1)
		case key.Matches(msg, k.Previous):
			return m.moveField(-1)
		case key.Matches(msg, k.Wider):
			return m.turnDraft(1)
		case key.Matches(msg, k.Narrower):
			return m.turnDraft(-1)
		}
	}
	e.free = false
	if e.focus.kind == fieldCode && (msg.Paste || len(msg.Runes) > 1) {
		e.hint = "the code is typed, digit by digit"
		return nil
	}
	if l := e.text(e.focus); l != nil {
		changed, refused := l.Edit(msg, k.Keys)
		if e.hint = refused; changed {
			return m.fieldChanged()
		}
		return nil
	}
	switch {
	case msg.Paste:
		e.hint = "nothing can be pasted here"
	case isText(msg) && (!key.Matches(msg, k.Turn) || m.At.Sub(e.wordAt) < guard.TypingGap):
		e.wordAt = m.At // a blank behind it is one of a sentence, typed into the wrong field
		e.hint = "space or ← → choose here"
	case key.Matches(msg, k.Right, k.Turn):
		return m.turnField(1)
	case key.Matches(msg, k.Left):
		return m.turnField(-1)
	}
	return nil
}

// moveField gives the focus to another field. A complete parameter in the line for one
// more gets a line of its own.
func (m *model) moveField(by int) tea.Cmd {
	e := m.editor
	e.free = false
	var cmd tea.Cmd
	if e.focus.kind == fieldMore && e.addWhere() {
		e.focus = field{kind: fieldWhere, n: len(e.where) - 1}
		cmd = m.editorChanged()
	}
	list := e.fields()
	for i, f := range list {
		if f == e.focus {
			e.focus = list[turned(i, by, len(list))]
			return cmd
		}
	}
	e.focus = list[0]
	return cmd
}

// addWhere takes the parameter that was typed into the line for one more.
func (e *editor) addWhere() bool {
	name, pattern, ok := moreParameter(e.more.String())
	if !ok || len(e.where) >= rules.MaxWhere {
		return false
	}
	for i, w := range e.where {
		if w.name == name {
			if !w.pattern.Blank() {
				return false
			}
			e.where[i].pattern, e.more = newPattern(pattern), text.NewLine("")
			return true
		}
	}
	e.where = append(e.where, whereLine{name: name, pattern: newPattern(pattern)})
	e.more = text.NewLine("")
	return true
}

// moreParameter takes "name = pattern" apart.
func moreParameter(text string) (name, pattern string, ok bool) {
	name, pattern, ok = strings.Cut(text, "=")
	name, pattern = strings.TrimSpace(name), strings.TrimSpace(pattern)
	return name, pattern, ok && name != "" && pattern != ""
}

// turnField steps to another choice of the focused field.
func (m *model) turnField(by int) tea.Cmd {
	e := m.editor
	switch e.focus.kind {
	case fieldDecision:
		e.decision.turn(by)
	case fieldState:
		e.state.turn(by)
	case fieldScope:
		e.scope = turned(e.scope, by, len(e.scopes))
	case fieldAgent:
		e.agent.turn(by)
	case fieldLife:
		e.turnLife(by)
	case fieldTool, fieldWhere, fieldMore, fieldReason, fieldPriority, fieldCode:
		return nil
	}
	return m.editorChanged()
}

// turnDraft steps to another pattern of those that are offered.
func (m *model) turnDraft(by int) tea.Cmd {
	e := m.editor
	n := len(e.drafts)
	switch {
	case e.once() || n == 0:
		e.hint = "no patterns are offered here"
		return nil
	case n == 1:
		e.hint = "no other pattern is offered"
		return nil
	}
	e.draft = turned(e.draft, by, n)
	e.fill(e.drafts[e.draft])
	return m.editorChanged()
}

// fieldChanged follows a change of a text.
func (m *model) fieldChanged() tea.Cmd {
	e := m.editor
	if e.focus.kind == fieldTool {
		for i := range e.where {
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
	return m.editorChanged()
}

// fields are the fields that the form has now.
func (e *editor) fields() []field {
	list := []field{{kind: fieldDecision}}
	if e.old.ID != "" {
		list = append(list, field{kind: fieldState})
	}
	if !e.once() {
		list = append(list, field{kind: fieldTool})
		for i := range e.where {
			list = append(list, field{kind: fieldWhere, n: i})
		}
		list = append(list, field{kind: fieldMore})
	}
	list = append(list, field{kind: fieldScope})
	if !e.once() {
		if len(e.agent.names) > 1 {
			list = append(list, field{kind: fieldAgent})
		}
		list = append(list, field{kind: fieldLife})
	}
	if e.verdict() == rules.Deny {
		list = append(list, field{kind: fieldReason})
	}
	if e.priority.String() != "" || e.old.Priority != rules.DefaultPriority {
		list = append(list, field{kind: fieldPriority})
	}
	if e.needsCode() {
		list = append(list, field{kind: fieldCode})
	}
	return list
}

// needsCode reports whether what the form says now takes a typed code.
func (e *editor) needsCode() bool { return e.code != "" && e.verdict() == rules.Allow }

// text is the text that a field edits, nil for one with choices.
func (e *editor) text(f field) *text.Line {
	switch f.kind {
	case fieldTool:
		return &e.tool
	case fieldWhere:
		if f.n < len(e.where) {
			return &e.where[f.n].pattern
		}
	case fieldMore:
		return &e.more
	case fieldReason:
		return &e.reason
	case fieldPriority:
		return &e.priority
	case fieldCode:
		return &e.typed
	case fieldDecision, fieldState, fieldScope, fieldAgent, fieldLife:
	}
	return nil
}
