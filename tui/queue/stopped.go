package queue

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// stopLines is stopTold for the sessions pane.
func (x *roster) stopLines(s *broker.Session, width int, chosen bool) []string {
	if words.StopTold(s) == "" {
		return nil
	}
	lines := make([]string, 0, stopRows)
	for _, text := range [stopRows]string{"each call is refused", "until its user speaks"} {
		if width <= len("until its user speaks") {
			text = strings.NewReplacer(" is", "", "its ", "").Replace(text)
		}
		lines = append(lines, x.Styles.Row(width).Choose(chosen).Put(draw.Text, " ").Fit(draw.Muted, text, width-1).To(width).String())
	}
	return lines
}

// stopRows is how many rows stopLines has, if any.
const stopRows = 2
