package tui

import (
	"crypto/rand"
	"reflect"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
)

// codeFor is how long the first digit of a code waits for the second one.
const codeFor = 3 * time.Second

// class is how dangerous the call is. What nobody has judged is normal.
func (c *card) class() risk.Class {
	if a := c.req.Assessment; a != nil {
		return a.Class
	}
	return risk.Normal
}

// dangerous reports whether only a typed code allows the call.
func (c *card) dangerous() bool { return c.class() >= risk.Dangerous }

// renew takes in the new value of a call that still waits. Where the rules or its
// files have changed, what is drawn has too, and is another card to decide about; when
// it means something else now, it has not been read either.
func (c *card) renew(r broker.Request) {
	before, after := c.req.Assessment, r.Assessment
	c.reminded = c.reminded && c.req.ExtendedAt.Equal(r.ExtendedAt)
	c.req = r
	if reflect.DeepEqual(before, after) {
		return
	}
	c.rev++
	if !sameMeaning(before, after) {
		c.unread()
	}
}

// unread forgets that anything of c was on the screen.
func (c *card) unread() {
	c.rev++
	c.seenEnd, c.seenRow, c.code, c.kind = false, false, "", ""
	c.files, c.sections, c.rest, c.ask = nil, nil, nil, nil
}

// sameMeaning reports whether two assessments say the same of what a call does,
// whatever the rules say about it.
func sameMeaning(x, y *rules.Assessment) bool {
	if x == nil || y == nil {
		return x == y
	}
	if !reflect.DeepEqual(x.Risk, y.Risk) || len(x.Elements) != len(y.Elements) {
		return false
	}
	for i := range x.Elements {
		e, f := x.Elements[i], y.Elements[i]
		e.Verdict, e.Rule, e.Why, e.Matches, e.Idle = f.Verdict, f.Rule, f.Why, f.Matches, f.Idle
		if !reflect.DeepEqual(e, f) {
			return false
		}
	}
	return true
}

// newCode makes the code of a dangerous call: two digits that differ, so that no key
// held down types it, and not one that begins with 0. Each is as likely as another.
func newCode() string {
	for {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails: the program ends when there is no randomness
		tens, ones := b[0]/10, b[0]%10
		if tens > 0 && tens < 10 && tens != ones {
			return string([]byte{'0' + tens, '0' + ones})
		}
	}
}

// digit is the digit that msg types towards the drawn card's code; empty when it is
// another key or no code is asked for.
func (m *model) digit(msg tea.KeyMsg) string {
	if c := m.drawnCard(); c == nil || !c.dangerous() || msg.Type != tea.KeyRunes || msg.Alt || len(msg.Runes) != 1 {
		return ""
	}
	if r := msg.Runes[0]; r >= '0' && r <= '9' {
		return string(r)
	}
	return ""
}

// typeDigit takes a digit for the drawn card's code. Both digits must pass the guard.
func (m *model) typeDigit(digit string) tea.Cmd {
	c := m.drawnCard()
	first, wait, refusal := m.guard.digit(digit, m.at)
	switch {
	case refusal != "":
		return m.say(draw.Warn, "… "+refusal)
	case c.sending != "":
		return m.say(draw.Muted, "already sent; waiting for the record")
	case c.held():
		return m.sayHeld(c)
	case locked(c):
		return m.sayReadOn()
	case first == "" && c.code != "" && digit == c.code[:1]:
		m.guard.begin(digit, m.at)
		return tea.Tick(codeFor, func(time.Time) tea.Msg { return awakeMsg{} })
	case first != "" && first+digit == c.code:
		return m.guard.hold(held{verdict: broker.Allow}, wait, m.at)
	}
	return m.sayFitting(draw.Warn,
		"that is not the code of this card: type "+c.code+" to allow, d to deny",
		"wrong digit: "+c.code+" allows")
}

// sayCode tells that a dangerous call is not allowed by one key.
func (m *model) sayCode(c *card) tea.Cmd {
	what := "allow"
	if c.late() {
		what = "let its retry pass"
	}
	return m.sayFitting(draw.Danger, "dangerous: type "+c.code+" to "+what+", d to deny", "dangerous: type "+c.code+" to allow")
}

func (m *model) sayReadOn() tea.Cmd { return m.say(draw.Warn, "read to the end to allow: G or ctrl+d") }

// codeHint is the hint that stands where others have the key that allows.
func (m *model) codeHint(c *card) hint {
	if first := m.guard.begun(m.at); first != "" {
		return hint{first + "_", "then " + c.code[1:] + " allows"}
	}
	if c.late() {
		return hint{"type " + c.code, "allow retry"}
	}
	return hint{"type " + c.code, "allow"}
}
