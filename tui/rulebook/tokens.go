package rulebook

import (
	"cmp"
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// TokensBroker is what the screen of tokens needs of the broker. MintToken returns the
// token itself, once; the broker keeps only its hash.
type TokensBroker interface {
	MintToken(ctx context.Context, kind broker.TokenKind, label string, by broker.Actor) (string, error)
	Tokens(ctx context.Context) []broker.Token
	RevokeToken(ctx context.Context, id string, by broker.Actor) error
}

// Tokens is the list of tokens for programs and hooks. A new token lies over the list
// in a box of its own, the only time that anybody sees it. The list is asked for each
// time that the screen opens.
type Tokens struct {
	*desk.Desk
	broker TokensBroker
	list   []broker.Token
	at     string  // id of the selected token
	minted *minted // nil when the box is closed
}

// minted is a new token while its box is on the screen. It is forgotten when the box
// closes.
type minted struct {
	kind         broker.TokenKind
	label, token string
}

// The broker's answers.
type (
	tokensMsg struct{ list []broker.Token }
	mintedMsg struct {
		minted
		err error
	}
	revokedMsg struct {
		name string // safe to draw
		err  error
	}
)

// NewTokens makes the screen.
func NewTokens(d *desk.Desk, b TokensBroker) *Tokens { return &Tokens{Desk: d, broker: b} }

// Opens lists the tokens. A box that was left is never opened again.
func (t *Tokens) Opens(desk.Subject) tea.Cmd {
	t.minted = nil
	return t.load()
}

// load reads the list anew; the broker has it.
func (t *Tokens) load() tea.Cmd {
	ctx, b := t.Ctx, t.broker
	return func() tea.Msg { return tokensMsg{b.Tokens(ctx)} }
}

// Subject is nothing that other screens know.
func (t *Tokens) Subject() desk.Subject { return desk.Subject{} }

// Update takes answers of the broker.
func (t *Tokens) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tokensMsg:
		t.list = msg.list
	case mintedMsg:
		return t.mintedCame(msg)
	case revokedMsg:
		return t.revokedCame(msg)
	}
	return nil
}

// Keys are those of the box while it is open, else those of the list.
func (t *Tokens) Keys() []desk.Key {
	if t.minted != nil {
		return t.boxKeys()
	}
	none := ""
	if len(t.list) == 0 {
		none = "no token is selected"
	}
	list := []desk.Key{
		{Binding: desk.Bind("n", "new token for a program that may decide", "n"), Short: "new", Do: t.asks(broker.OperatorToken, "label of the new operator token: ")},
		{Binding: desk.Bind("N", "new token for hooks, which only ask", "N"), Short: "new for asking", Do: t.asks(broker.AskingToken, "label of the new token for asking: ")},
		{Binding: desk.Bind("c", "code that lets another console attach, typed there once", "c"), Short: "console", Do: func(tea.KeyMsg) tea.Cmd { return t.mint(broker.ConsoleKey, "") }},
		able(desk.Key{Binding: desk.Bind("x", "revoke the token, after a question", "x"), Short: "revoke", Why: none, Do: t.askRevoke}),
	}
	return append(list, desk.Moves("", t.move)...)
}

// boxKeys are the keys of the box. All other signs do nothing, so that no key which
// was typed ahead puts the token out of sight.
func (t *Tokens) boxKeys() []desk.Key {
	leave := func(tea.KeyMsg) tea.Cmd {
		t.minted = nil
		return nil
	}
	return []desk.Key{
		{Binding: desk.Copy("copy the token"), Short: "copy", Do: func(tea.KeyMsg) tea.Cmd { return t.Copy("token", t.minted.token) }},
		{Binding: desk.Enter("close the box for good"), Short: "close", Do: leave},
		{Binding: desk.Bind("esc", "close the box for good", "esc", "q"), Do: leave},
		{Binding: desk.Bind("", "", signs("?")...), Why: "enter closes this box; the token is not shown again"},
	}
}

// signs are all keys that type a sign, but for these.
func signs(except string) []string {
	list := []string{" ", "up", "down", "tab"}
	for c := '!'; c <= '~'; c++ {
		if string(c) != except {
			list = append(list, string(c))
		}
	}
	return list
}

// place is where the selected token is listed; the first one when it is gone.
func (t *Tokens) place() int {
	for i, token := range t.list {
		if token.ID == t.at {
			return i
		}
	}
	return 0
}

// move selects another token.
func (t *Tokens) move(msg tea.KeyMsg) tea.Cmd {
	if n := len(t.list); n > 0 {
		_, height := area(t.Desk)
		t.at = t.list[desk.Moved(msg, t.place(), n, height)].ID
	}
	return nil
}

// tokenName is what a token is called; safe to draw. Without a label it goes by the
// end of its id.
func tokenName(t broker.Token) string {
	what := "token "
	switch t.Kind {
	case broker.ConsoleKey:
		what = "the console "
	case broker.FleetToken:
		what = "the fleet "
	case broker.OperatorToken, broker.AskingToken:
	}
	return what + draw.SafeLine(cmp.Or(t.Label, draw.LastOf(t.ID, 8)))
}

// asks asks for the label of a new token, and makes it. The label may stay empty.
func (t *Tokens) asks(kind broker.TokenKind, lead string) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd {
		t.Read(desk.Line{Lead: lead, Help: "enter makes it · esc cancels", Send: func(text string) tea.Cmd { return t.mint(kind, text) }})
		return nil
	}
}

// mint has the broker make a token, which comes back this once and is nowhere else.
func (t *Tokens) mint(kind broker.TokenKind, text string) tea.Cmd {
	ctx, b, by := t.Ctx, t.broker, t.Operator
	return func() tea.Msg {
		token, err := b.MintToken(ctx, kind, text, by)
		return mintedMsg{minted{kind: kind, label: text, token: token}, err}
	}
}

// mintedCame opens the box, also when the screen was left meanwhile: the token cannot
// be shown later.
func (t *Tokens) mintedCame(msg mintedMsg) tea.Cmd {
	if msg.err != nil {
		return t.Say(draw.Danger, "no token was made: "+draw.SafeLine(msg.err.Error()))
	}
	// The screen is opened first: Opens forgets a box that is there.
	cmd := t.Open(desk.Tokens, desk.Subject{})
	t.minted = &msg.minted
	return cmd
}

// askRevoke asks first, because what uses the token stops working.
func (t *Tokens) askRevoke(tea.KeyMsg) tea.Cmd {
	token := t.list[t.place()]
	t.Ask("revoke "+tokenName(token)+"?", "revoke it?", func() tea.Cmd { return t.revoke(token) })
	return nil
}

// revoke has the broker end a token for good.
func (t *Tokens) revoke(token broker.Token) tea.Cmd {
	ctx, b, by := t.Ctx, t.broker, t.Operator
	return func() tea.Msg {
		return revokedMsg{name: tokenName(token), err: b.RevokeToken(ctx, token.ID, by)}
	}
}

// revokedCame tells what became of it, and reads the list anew.
func (t *Tokens) revokedCame(msg revokedMsg) tea.Cmd {
	if msg.err != nil {
		return t.Say(draw.Danger, msg.name+" is not revoked: "+draw.SafeLine(msg.err.Error()))
	}
	return tea.Batch(t.load(), t.Say(draw.OK, msg.name+" is revoked: what uses it is turned away from now on"))
}
