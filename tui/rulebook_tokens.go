package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

func (m *model) loadTokens() tea.Cmd {
	ctx, console := m.ctx, m.console
	return func() tea.Msg { return tokensMsg{console.Tokens(ctx)} }
}

// tokensKey takes a key on the screen of tokens. While a new token is shown
// only keys that leave do, so that no other key typed ahead puts it out of sight.
func (m *model) tokensKey(msg tea.KeyMsg) tea.Cmd {
	rb, k := &m.rb, m.ruleKeys
	if rb.minted != nil {
		if key.Matches(msg, m.keys.Open) {
			rb.minted = nil
			return nil
		}
		if key.Matches(msg, m.keys.Copy) {
			return tea.Batch(m.beside(clipboardSequence(rb.minted.token)), m.say(inkOK, "sent the token to the clipboard"))
		}
		return m.say(inkMuted, "enter closes this box; the token is not shown again")
	}
	switch {
	case key.Matches(msg, k.New):
		m.askLabel(broker.OperatorToken, "label of the new operator token: ")
	case key.Matches(msg, k.NewAsk):
		m.askLabel(broker.AskingToken, "label of the new token for asking: ")
	case key.Matches(msg, k.Delete):
		if t, ok := rb.selectedToken(); ok {
			m.askYes("revoke "+tokenName(t)+"?", "revoke it?", func() tea.Cmd { return m.revokeToken(t) })
		}
	default:
		if n := len(rb.tokens); n > 0 {
			rb.token = rb.tokens[m.moved(msg, rb.tokenPlace(), n)].ID
		}
	}
	return nil
}

func (rb *rulebook) tokenPlace() int {
	for i, t := range rb.tokens {
		if t.ID == rb.token {
			return i
		}
	}
	return 0
}

func (rb *rulebook) selectedToken() (broker.Token, bool) {
	if len(rb.tokens) == 0 {
		return broker.Token{}, false
	}
	return rb.tokens[rb.tokenPlace()], true
}

// tokenName is what a token is called; safe to draw.
func tokenName(t broker.Token) string {
	if t.Label != "" {
		return "token " + safeLine(t.Label)
	}
	return "token " + safeLine(lastOf(t.ID, 8))
}

// askLabel asks for the label of a new token, and makes it.
func (m *model) askLabel(kind broker.TokenKind, what string) {
	m.prompt = &prompt{purpose: askLine, what: what, help: "enter makes it · esc cancels", send: func(label string) tea.Cmd {
		return m.mintToken(kind, label)
	}}
}

// mintToken makes a token: an operator's lets programs do what the operator may.
func (m *model) mintToken(kind broker.TokenKind, label string) tea.Cmd {
	ctx, console, by := m.ctx, m.console, m.opts.Operator
	return func() tea.Msg {
		token, err := console.MintToken(ctx, kind, label, by)
		return tokenMintedMsg{kind: kind, label: label, token: token, err: err}
	}
}

func (m *model) tokenMinted(msg tokenMintedMsg) tea.Cmd {
	if msg.err != nil {
		return m.say(inkDanger, "no token was made: "+safeLine(msg.err.Error()))
	}
	m.screen, m.rb.minted = screenTokens, &minted{kind: msg.kind, label: msg.label, token: msg.token}
	m.guard.doubt(m.at)
	return m.loadTokens()
}

func (m *model) revokeToken(t broker.Token) tea.Cmd {
	ctx, console, by := m.ctx, m.console, m.opts.Operator
	return func() tea.Msg {
		return tokenRevokedMsg{name: tokenName(t), err: console.RevokeToken(ctx, t.ID, by)}
	}
}

func (m *model) tokenRevoked(msg tokenRevokedMsg) tea.Cmd {
	if msg.err != nil {
		return m.say(inkDanger, msg.name+" is not revoked: "+safeLine(msg.err.Error()))
	}
	return tea.Batch(m.loadTokens(), m.say(inkOK, msg.name+" is revoked: what uses it is turned away from now on"))
}

func (m *model) tokensView(l layout, a area) []string {
	rb := &m.rb
	if rb.minted != nil {
		return m.mintedView(l, a)
	}
	width, height := l.inner(a, 0)
	f := caption{title: "Tokens " + count(len(rb.tokens)), note: "an operator's may allow calls and change rules, the others only ask", focus: true}
	if len(rb.tokens) == 0 {
		p := m.st.paper(width - 2)
		p.sayBehind(inkText, "", 1, inkMuted, "no tokens: only this keyboard can allow anything. n makes one for a program of yours that may; N one with which hooks in containers may ask")
		return m.frame(l, a, f, 0, pad(p.rows, width))
	}
	top := window(0, rb.tokenPlace(), height, len(rb.tokens))
	if len(rb.tokens) > height {
		f.right = fmt.Sprintf("%s–%s of %s", count(top+1), count(min(top+height, len(rb.tokens))), count(len(rb.tokens)))
	}
	var rows []string
	for i := top; i < min(top+height, len(rb.tokens)); i++ {
		rows = append(rows, m.tokenRow(rb.tokens[i], i == rb.tokenPlace(), width))
	}
	return m.frame(l, a, f, 0, rows)
}

func (m *model) tokenRow(t broker.Token, chosen bool, width int) string {
	line := m.st.row(width).choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	kindInk, does := inkWarn, "decides"
	if t.Kind == broker.AskingToken {
		kindInk, does = inkMuted, "asks"
	}
	line.put(inkKey, bar).put(inkMuted, safeLine(lastOf(t.ID, 8))).to(11).put(kindInk, does).to(20)
	made := "made " + t.CreatedAt.In(m.at.Location()).Format("2 Jan 2006 15:04")
	if width < 50 {
		made = t.CreatedAt.In(m.at.Location()).Format("2 Jan")
	}
	line.fit(inkText, safeLine(t.Label), width-line.width-cells(made)-3)
	return line.right(inkMuted, made, width-1).to(width).String()
}

// mintedView shows a new token, the only time that anybody sees it.
func (m *model) mintedView(l layout, a area) []string {
	width, height := l.inner(a, 1)
	t := m.rb.minted
	p := m.st.paper(width)
	p.say(inkWarn, "Shown once. Copy it now: it is stored nowhere, and never shown again.")
	p.blank()
	p.write(fixed(inkLabel, "", 2), inkBold, t.token)
	p.blank()
	title, use, note := "New operator token", "set AOCTL_TOKEN to it where the program runs",
		"who has it may allow calls and change rules; a process of an agent may not, token or not"
	if t.kind == broker.AskingToken {
		title, use, note = "New token for asking", "set AOCTL_TOKEN to it, and AOCTL_URL to this console's address, where the agent runs",
			"who has it may ask, and nothing else: an agent may have it"
	}
	p.sayBehind(inkMuted, "use", 6, inkText, use)
	if t.label != "" {
		p.write(fixed(inkMuted, "label", 6), inkText, t.label)
	}
	p.sayBehind(inkMuted, "note", 6, inkMuted, note)
	return m.frame(l, a, caption{title: title, focus: true}, 1, p.rows[:min(height, len(p.rows))])
}
