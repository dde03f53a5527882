package words

import (
	"errors"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/safe"
)

// RunError is what the broker has against an order to a session; safe to draw.
func RunError(err error) string {
	for known, text := range map[error]string{
		broker.ErrNotFound:     "the broker knows no such session",
		broker.ErrNotManaged:   "aoctl only watches this session",
		broker.ErrSessionEnded: "it has ended",
		broker.ErrNotRecorded:  "it could not be recorded",
	} {
		if errors.Is(err, known) {
			return text
		}
	}
	text := broker.Plain(err)
	if _, rest, ok := strings.Cut(text, broker.ErrInvalid.Error()+": "); ok { // not what the broker was doing
		text = rest
	}
	return safe.Line(text)
}

// OnlyWatched says why a session takes nothing from here, and what does; the longest text first.
func OnlyWatched(label, there string) []string {
	return []string{
		label + " is only watched: " + there + ", in its own terminal (o goes to it); n or aoctl run start one that takes it from here",
		label + " is only watched: " + there + " in its own terminal (o); aoctl run holds one",
		"only watched: " + there + " in its terminal (o)",
		"only watched: o goes to it",
	}
}

// Trimmed is a text as it is sent: without the blanks behind it and empty lines before.
func Trimmed(text string) string {
	return strings.TrimLeft(strings.TrimRight(text, " \t\n"), "\n")
}
