package tty

import (
	"encoding/base64"
	"os"

	"github.com/charmbracelet/x/ansi"
)

// ClipboardSequence puts text on the clipboard, by OSC 52: as base64, so that no byte
// of it reaches the terminal as it is. Whether the terminal takes it, nobody tells.
func ClipboardSequence(text string) string {
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if os.Getenv("TMUX") == "" {
		return sequence
	}
	return sequence + ansi.TmuxPassthrough(sequence) // tmux itself may keep it, or pass it on
}
