package tty

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Notify says by which ways the terminal is told that a call waits; the zero value is
// none.
type Notify uint8

// The ways: a bell, and sequences for notifications that different terminals know.
const (
	Bell   Notify = 1 << iota
	OSC9          // iTerm2, WezTerm, Ghostty, Windows Terminal
	OSC777        // foot, rxvt-unicode
	OSC99         // kitty
)

// NotifyWays are the words that ParseNotify knows.
var NotifyWays = []string{"auto", "bell", "osc9", "osc777", "osc99", "off"}

// ParseNotify reads a comma-separated list of ways. "off" and "auto" stand alone; auto
// is the bell and what the terminal that env describes knows.
func ParseNotify(list string, env func(string) string) (Notify, error) {
	switch list {
	case "auto":
		return Bell | known(env), nil
	case "off":
		return 0, nil
	}
	var n Notify
	for word := range strings.SplitSeq(list, ",") {
		way, ok := map[string]Notify{"bell": Bell, "osc9": OSC9, "osc777": OSC777, "osc99": OSC99}[strings.TrimSpace(word)]
		if !ok {
			return 0, fmt.Errorf("%q is no way to notify", word)
		}
		n |= way
	}
	return n, nil
}

// known is the sequence that the terminal takes for a notification. Inside tmux the
// variables are those of the terminal in which its server was started; where they do
// not tell, OSC 9 is what most terminals know, and the others pass over it.
func known(env func(string) string) Notify {
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case term == "" || term == "dumb" || term == "linux" || strings.HasPrefix(term, "vt"):
		return 0
	case strings.Contains(term, "kitty") || env("KITTY_WINDOW_ID") != "":
		return OSC99
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt") || program == "rxvt":
		return OSC777
	case program == "Apple_Terminal":
		return 0
	}
	return OSC9
}

// Sequence is what rings and notifies of text, which must be plain: see Bare. With no
// way it is "".
func (n Notify) Sequence(text string) string {
	var b strings.Builder
	if n&Bell != 0 {
		b.WriteByte('\a')
	}
	if n&OSC9 != 0 {
		b.WriteString(throughTmux(ansi.Notify(text)))
	}
	if n&OSC777 != 0 {
		b.WriteString(throughTmux("\x1b]777;notify;aoctl;" + strings.TrimPrefix(text, "aoctl: ") + "\x1b\\"))
	}
	if n&OSC99 != 0 { // one name for all: the next notification replaces the last one
		b.WriteString(throughTmux("\x1b]99;i=aoctl;" + text + "\x1b\\"))
	}
	return b.String()
}

const nameMost = 40 // characters of a name in a notification

// Bare keeps of an untrusted name what no terminal can take for more than text: ASCII
// letters, digits and a few signs.
func Bare(name string) string {
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
