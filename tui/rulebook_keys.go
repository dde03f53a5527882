package tui

import (
	"errors"
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/words"
)

// ruleKeys are the keys of the screens about rules.
type ruleKeys struct {
	Make, List             key.Binding // from the main screen
	Edit, New, Toggle      key.Binding
	Earlier, Later, Delete key.Binding
	Tokens, Files, NewAsk  key.Binding
	Trust, Distrust        key.Binding
	Revoke                 key.Binding // from the history
}

func defaultRuleKeys() ruleKeys {
	bind := func(name, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
	}
	return ruleKeys{
		Make:     bind("A", "a rule for calls like this one", "A"),
		List:     bind("r", "the rules; on their screen:", "r"),
		Edit:     bind("enter", "edit", "enter", "e"),
		New:      bind("n", "new rule", "n"),
		Toggle:   bind("space", "switch on or off", " "),
		Earlier:  bind("K", "speak before the rule above", "K"),
		Later:    bind("J", "speak after the rule below", "J"),
		Delete:   bind("x", "delete; in the history: switch its rule off", "x"),
		Tokens:   bind("t", "tokens for programs and hooks", "t"),
		NewAsk:   bind("N", "new token for asking", "N"),
		Files:    bind("F", "rules files of projects", "F"),
		Trust:    bind("y", "trust this file as it is now", "y"),
		Distrust: bind("x", "take the trust back", "x"),
		Revoke:   bind("x", "switch off the rule that allowed", "x"),
	}
}

// help lists the keys for the help screen.
func (k ruleKeys) help() []key.Binding {
	return []key.Binding{k.New, k.Toggle, k.Earlier, k.Later, k.Delete, k.Tokens, k.Files}
}

// onRules reports whether one of the screens about rules is shown.
func (m *model) onRules() bool {
	switch m.screen {
	case screenRules, screenTokens, screenFiles, screenFile:
		return true
	case screenMain, screenFull, screenHistory, screenPast:
	}
	return false
}

// openRules shows the list of rules.
func (m *model) openRules() tea.Cmd {
	m.screen = screenRules
	return nil
}

// backInRules leaves the innermost thing of the screens about rules.
func (m *model) backInRules() tea.Cmd {
	rb := &m.rb
	switch {
	case m.screen == screenTokens && rb.minted != nil:
		rb.minted = nil
	case m.screen == screenFile:
		m.screen = screenFiles
	case m.screen != screenRules:
		m.screen = screenRules
	case rb.filter != "":
		rb.filter = ""
		rb.refilter()
	default:
		m.screen = screenMain
	}
	return nil
}

// rulesKey takes a key on one of the screens about rules.
func (m *model) rulesKey(msg tea.KeyMsg) tea.Cmd {
	switch m.screen {
	case screenTokens:
		return m.tokensKey(msg)
	case screenFiles:
		return m.filesKey(msg)
	case screenFile:
		return m.fileKey(msg)
	case screenRules, screenMain, screenFull, screenHistory, screenPast:
	}
	return m.listKey(msg)
}

// listKey takes a key on the list of rules.
func (m *model) listKey(msg tea.KeyMsg) tea.Cmd {
	rb, k := &m.rb, m.ruleKeys
	switch {
	case key.Matches(msg, k.New):
		return m.newRule()
	case key.Matches(msg, k.Tokens):
		m.screen = screenTokens
		return m.loadTokens()
	case key.Matches(msg, k.Files):
		m.screen = screenFiles
		return nil
	case key.Matches(msg, k.List):
		m.screen = screenMain
		return nil
	case key.Matches(msg, m.keys.Filter):
		m.prompt = &prompt{
			purpose: askLine, what: "/", help: "enter keeps · esc shows all", text: []rune(rb.filter),
			typed: func(text string) { rb.filter = text; rb.refilter() },
		}
		return nil
	}
	r, ok := rb.selected()
	if !ok {
		return nil
	}
	switch {
	case key.Matches(msg, k.Edit):
		return m.editRule(r)
	case key.Matches(msg, k.Toggle):
		return m.toggleRule(r)
	case key.Matches(msg, k.Earlier):
		return m.moveRule(r, -1)
	case key.Matches(msg, k.Later):
		return m.moveRule(r, 1)
	case key.Matches(msg, k.Delete):
		return m.askDelete(r)
	case key.Matches(msg, m.keys.PageDown, m.keys.PageUp):
		_, height := m.room()
		list, _ := listHeights(height)
		step := max(1, list/2)
		if key.Matches(msg, m.keys.PageUp) {
			step = -step
		}
		rb.choose(rb.place() + step)
	default:
		rb.choose(m.moved(msg, rb.place(), len(rb.shown)))
	}
	return nil
}

// fixedRule says why a rule cannot be changed here; empty when it can.
func fixedRule(r rules.Rule) string {
	switch {
	case r.ID == rules.BuiltinReadOnly || r.Source == "built in":
		return "this rule is built in and cannot be changed"
	case r.Source != "":
		return "it stands in " + draw.SafeLine(r.Source) + ": change it there"
	}
	return ""
}

// toggleRule switches a rule on or off. Either may let more calls run, so it takes a
// press of its own.
func (m *model) toggleRule(r rules.Rule) tea.Cmd {
	if why := fixedRule(r); why != "" {
		return m.Say(draw.Warn, why)
	}
	next := r
	next.Enabled = !r.Enabled
	told := "on: " + words.RuleSays(next, m.Board, m.At)
	if !next.Enabled {
		told = "off: calls like " + words.RuleTitle(next) + " ask again"
		switch r.Decision {
		case rules.Deny:
			told = "off: " + words.RuleTitle(next) + " is no longer refused by this rule"
		case rules.Ask:
			told = "off: this rule no longer makes a person answer " + words.RuleTitle(next)
		case rules.Defer:
			told = "off: this rule no longer puts off " + words.RuleTitle(next)
		case rules.Allow:
		}
	}
	wait, refusal := m.press("space")
	if refusal != "" {
		return m.Say(draw.Warn, "… "+refusal)
	}
	if next.Enabled && r.Dangerous {
		return m.Say(draw.Warn, "dangerous: enter opens it; there a typed code can switch it on")
	}
	return m.inAMoment(wait, func() tea.Cmd { return m.changeRule(next, told) })
}

// changeRule saves a rule that was changed outside of the editor.
func (m *model) changeRule(r rules.Rule, told string) tea.Cmd {
	m.rb.sent = ruleVersion{r.ID, r.Version + 1}
	cmd := m.putRule(0, r)
	return func() tea.Msg {
		msg, ok := cmd().(ruleSavedMsg)
		if ok {
			msg.told = told
		}
		return msg
	}
}

// moveRule lets a rule speak before its neighbour above, or after the one below: its
// priority becomes one less, or one more, than that one's.
func (m *model) moveRule(r rules.Rule, by int) tea.Cmd {
	if why := fixedRule(r); why != "" {
		return m.Say(draw.Warn, why)
	}
	list := m.Book.Rules
	at, _ := m.Book.Place(r.ID)
	at += by
	if at < 0 || at >= len(list) {
		return m.Say(draw.Muted, "there is no rule in that direction")
	}
	next := r
	next.Priority = list[at].Priority + by
	if next.Priority < 0 || next.Priority > rules.MaxPriority {
		return m.Say(draw.Warn, fmt.Sprintf("its neighbour has priority %d, and there is none beyond", list[at].Priority))
	}
	switch {
	case m.Guard.Burst():
		return m.Say(draw.Warn, "… keys came too fast: nothing was changed")
	case m.Guard.Deaf(m.At):
		return m.Say(draw.Warn, "… the list has just changed: look first, then press the key again")
	}
	word := "before"
	if by > 0 {
		word = "after"
	}
	told := fmt.Sprintf("priority %d → %d: it speaks %s %s", r.Priority, next.Priority, word, words.RuleTitle(list[at]))
	return m.inAMoment(guard.HoldFor, func() tea.Cmd { return m.changeRule(next, told) })
}

func (m *model) askDelete(r rules.Rule) tea.Cmd {
	if why := fixedRule(r); why != "" {
		return m.Say(draw.Warn, why)
	}
	m.askYes("delete "+draw.SafeLine(string(r.Decision))+" rule "+words.RuleTitle(r)+"?", "delete it?", func() tea.Cmd {
		if now, ok := m.Book.Rule(r.ID); ok && now.Version != r.Version {
			return m.Say(draw.Warn, "the rule was changed meanwhile: it stays; look, then press x again")
		}
		return m.removeRule(r)
	})
	return nil
}

func (m *model) removeRule(r rules.Rule) tea.Cmd {
	ctx, console, by, name := m.Ctx, m.console, m.Operator, words.RuleTitle(r)
	return func() tea.Msg {
		return ruleRemovedMsg{name: name, err: console.RemoveRule(ctx, r.ID, by)}
	}
}

func (m *model) ruleRemoved(msg ruleRemovedMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNotFound):
		return m.Say(draw.Warn, "the rule was removed already")
	case msg.err != nil:
		return m.Say(draw.Danger, "not removed: "+draw.SafeLine(msg.err.Error()))
	}
	return m.Say(draw.OK, "removed: "+msg.name)
}

// updateRules takes what came from commands about rules, files and tokens.
func (m *model) updateRules(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case offerMsg:
		return m.offerCame(msg)
	case previewDueMsg:
		return m.previewDue(msg)
	case previewMsg:
		return m.previewCame(msg)
	case ruleSavedMsg:
		return m.ruleSaved(msg)
	case ruleRemovedMsg:
		return m.ruleRemoved(msg)
	case tokensMsg:
		m.rb.tokens = msg.list
	case tokenMintedMsg:
		return m.tokenMinted(msg)
	case tokenRevokedMsg:
		return m.tokenRevoked(msg)
	case fileTrustedMsg:
		return m.fileTrusted(msg)
	case statsMsg:
		m.statsCame(msg)
	}
	return nil
}

// ruleHints are the keys for the last line of the screens about rules.
func (m *model) ruleHints() []hint {
	back := hint{"esc", "back"}
	switch {
	case m.screen == screenTokens && m.rb.minted != nil:
		return []hint{{"y", "copy"}, {"enter", "close for good"}}
	case m.screen == screenTokens && len(m.rb.tokens) == 0:
		return []hint{{"n", "new"}, {"N", "new for asking"}, back}
	case m.screen == screenTokens:
		return []hint{{"n", "new"}, {"N", "new for asking"}, {"x", "revoke"}, back}
	case m.screen == screenFiles, m.screen == screenFile:
		return m.fileHints(back)
	case len(m.Book.Rules) == 0:
		return []hint{{"n", "new"}, {"F", "files"}, {"t", "tokens"}, back}
	}
	return []hint{
		{"enter", "edit"},
		{"space", "on/off"},
		{"x", "delete"},
		{"n", "new"},
		{"K J", "order"},
		{"?", "help"},
		{"/", "filter"},
		{"F", "files"},
		{"t", "tokens"},
		back,
	}
}

// mouseRules scrolls and selects on the screens about rules.
func (m *model) mouseRules(l layout, msg tea.MouseMsg, step int) {
	rb := &m.rb
	switch m.screen {
	case screenFile:
		rb.scroll = max(0, rb.scroll+step*wheelRows)
	case screenRules:
		at := rb.place() + step
		if step == 0 {
			at = rb.top + msg.Y - l.detail.Y - 1 - len(m.ruleHead(l.detail.W))
		}
		if at >= 0 && at < len(rb.shown) {
			rb.choose(at)
		}
	case screenTokens, screenFiles, screenMain, screenFull, screenHistory, screenPast:
	}
}
