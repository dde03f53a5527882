package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/words"
)

func (m *model) loadTokens() tea.Cmd {
	ctx, console := m.Ctx, m.console
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
			return tea.Batch(m.Beside(tty.ClipboardSequence(rb.minted.token)), m.Say(draw.OK, "sent the token to the clipboard"))
		}
		return m.Say(draw.Muted, "enter closes this box; the token is not shown again")
	}
	switch {
	case key.Matches(msg, k.New):
		m.askLabel(broker.OperatorToken, "label of the new operator token: ")
	case key.Matches(msg, k.NewAsk):
		m.askLabel(broker.AskingToken, "label of the new token for asking: ")
	case key.Matches(msg, k.Delete):
		if t, ok := rb.selectedToken(); ok {
			m.Ask("revoke "+tokenName(t)+"?", "revoke it?", func() tea.Cmd { return m.revokeToken(t) })
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
		return "token " + draw.SafeLine(t.Label)
	}
	return "token " + draw.SafeLine(draw.LastOf(t.ID, 8))
}

// askLabel asks for the label of a new token, and makes it.
func (m *model) askLabel(kind broker.TokenKind, what string) {
	m.prompt = &prompt{purpose: askLine, what: what, help: "enter makes it · esc cancels", send: func(label string) tea.Cmd {
		return m.mintToken(kind, label)
	}}
}

// mintToken makes a token: an operator's lets programs do what the operator may.
func (m *model) mintToken(kind broker.TokenKind, label string) tea.Cmd {
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		token, err := console.MintToken(ctx, kind, label, by)
		return tokenMintedMsg{kind: kind, label: label, token: token, err: err}
	}
}

func (m *model) tokenMinted(msg tokenMintedMsg) tea.Cmd {
	if msg.err != nil {
		return m.Say(draw.Danger, "no token was made: "+draw.SafeLine(msg.err.Error()))
	}
	m.screen, m.rb.minted = screenTokens, &minted{kind: msg.kind, label: msg.label, token: msg.token}
	m.Guard.Doubt(m.At)
	return m.loadTokens()
}

func (m *model) revokeToken(t broker.Token) tea.Cmd {
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		return tokenRevokedMsg{name: tokenName(t), err: console.RevokeToken(ctx, t.ID, by)}
	}
}

func (m *model) tokenRevoked(msg tokenRevokedMsg) tea.Cmd {
	if msg.err != nil {
		return m.Say(draw.Danger, msg.name+" is not revoked: "+draw.SafeLine(msg.err.Error()))
	}
	return tea.Batch(m.loadTokens(), m.Say(draw.OK, msg.name+" is revoked: what uses it is turned away from now on"))
}

func (m *model) tokensView(l layout, a draw.Area) []string {
	rb := &m.rb
	if rb.minted != nil {
		return m.mintedView(l, a)
	}
	width, height := l.Inner(a, 0)
	f := draw.Caption{Title: "Tokens " + figures.Count(len(rb.tokens)), Note: "an operator's may allow calls and change rules, the others only ask", Focus: true}
	if len(rb.tokens) == 0 {
		p := m.Styles.Paper(width - 2)
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no tokens: only this keyboard can allow anything. n makes one for a program of yours that may; N one with which hooks in containers may ask")
		return l.Framed(a, f, 0, words.Pad(p.Rows, width))
	}
	top := desk.Window(0, rb.tokenPlace(), height, len(rb.tokens))
	if len(rb.tokens) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rb.tokens))), figures.Count(len(rb.tokens)))
	}
	var rows []string
	for i := top; i < min(top+height, len(rb.tokens)); i++ {
		rows = append(rows, m.tokenRow(rb.tokens[i], i == rb.tokenPlace(), width))
	}
	return l.Framed(a, f, 0, rows)
}

func (m *model) tokenRow(t broker.Token, chosen bool, width int) string {
	line := m.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	kindInk, does := draw.Warn, "decides"
	if t.Kind == broker.AskingToken {
		kindInk, does = draw.Muted, "asks"
	}
	line.Put(draw.Key, bar).Put(draw.Muted, draw.SafeLine(draw.LastOf(t.ID, 8))).To(11).Put(kindInk, does).To(20)
	made := "made " + t.CreatedAt.In(m.At.Location()).Format("2 Jan 2006 15:04")
	if width < 50 {
		made = t.CreatedAt.In(m.At.Location()).Format("2 Jan")
	}
	line.Fit(draw.Text, draw.SafeLine(t.Label), width-line.Width-draw.Cells(made)-3)
	return line.Right(draw.Muted, made, width-1).To(width).String()
}

// mintedView shows a new token, the only time that anybody sees it.
func (m *model) mintedView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	t := m.rb.minted
	p := m.Styles.Paper(width)
	p.Say(draw.Warn, "Shown once. Copy it now: it is stored nowhere, and never shown again.")
	p.Blank()
	p.Write(draw.Fixed(draw.Label, "", 2), draw.Bold, t.token)
	p.Blank()
	title, use, note := "New operator token", "set AOCTL_TOKEN to it where the program runs",
		"who has it may allow calls and change rules; a process of an agent may not, token or not"
	if t.kind == broker.AskingToken {
		title, use, note = "New token for asking", "set AOCTL_TOKEN to it, and AOCTL_URL to this console's address, where the agent runs",
			"who has it may ask, and nothing else: an agent may have it"
	}
	p.SayBehind(draw.Muted, "use", 6, draw.Text, use)
	if t.label != "" {
		p.Write(draw.Fixed(draw.Muted, "label", 6), draw.Text, t.label)
	}
	p.SayBehind(draw.Muted, "note", 6, draw.Muted, note)
	return l.Framed(a, draw.Caption{Title: title, Focus: true}, 1, p.Rows[:min(height, len(p.Rows))])
}
