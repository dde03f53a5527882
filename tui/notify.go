package tui

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/aoctl/aoctl/broker"
)

const (
	bellGap  = time.Second // at most one bell in this time
	nameMost = 40          // characters of a name in a notification
	copyMost = 100_000     // bytes that are copied through the terminal: more than most take
)

// announce rings and notifies that c began to wait.
func (m *model) announce(c *card) tea.Cmd {
	return m.ring("aoctl: " + bare(c.req.ToolName) + " waits in " + bare(m.board.label(c.req.SessionID)))
}

// remind rings once for each call whose time is half over.
func (m *model) remind() tea.Cmd {
	var due *card
	for _, c := range m.board.waiting {
		whole := c.req.ExpiresAt.Sub(c.req.CreatedAt)
		if !c.reminded && m.at.Sub(c.req.CreatedAt) >= whole/2 {
			c.reminded, due = true, c
		}
	}
	if due == nil {
		return nil
	}
	return m.ring("aoctl: " + bare(due.req.ToolName) + " still waits in " + bare(m.board.label(due.req.SessionID)))
}

func (m *model) ring(text string) tea.Cmd {
	if !m.opts.Bell || m.at.Sub(m.lastBell) < bellGap {
		return nil
	}
	m.lastBell = m.at
	return m.beside("\a" + throughTmux(ansi.Notify(text)))
}

// bare keeps of an untrusted name what no terminal can take for more than text: ASCII
// letters, digits and a few signs.
func bare(name string) string {
	var b strings.Builder
	for i, r := range []rune(name) {
		if i >= nameMost {
			break
		}
		if r < 0x80 && (r == ' ' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("-_./", r)) {
			b.WriteRune(r)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}

// throughTmux wraps a sequence that is meant for the terminal outside tmux.
func throughTmux(sequence string) string {
	if os.Getenv("TMUX") == "" {
		return sequence
	}
	return ansi.TmuxPassthrough(sequence)
}

// clipboardSequence puts text on the clipboard, by OSC 52: as base64, so that no byte
// of it reaches the terminal as it is.
func clipboardSequence(text string) string {
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if os.Getenv("TMUX") == "" {
		return sequence
	}
	return sequence + ansi.TmuxPassthrough(sequence) // tmux itself may keep it, or pass it on
}

func (m *model) copyCall(c *card) tea.Cmd {
	if c == nil {
		return m.say(inkMuted, "nothing waits")
	}
	return m.copyText(c.req)
}

// copyText puts a call's command, or its input, on the clipboard.
func (m *model) copyText(r broker.Request) tea.Cmd {
	what, text := "input", string(r.ToolInput)
	_, input := r.Call()
	if command, ok := readCall(input).text("command"); ok {
		what, text = "command", command
	}
	if len(text) > copyMost {
		return m.say(inkWarn, fmt.Sprintf("too large to copy through the terminal: %s", size(len(text))))
	}
	return tea.Batch(m.beside(clipboardSequence(text)),
		m.say(inkOK, fmt.Sprintf("sent the %s to the clipboard (%s)", what, size(len(text)))))
}
