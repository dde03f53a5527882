package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// A short result stands beside the keys; a warning, or what is long, has the line to itself.
func TestGoldenToast(t *testing.T) {
	var b strings.Builder
	for _, size := range fourSizes {
		for _, said := range []struct {
			ink  draw.Ink
			text string
		}{
			{draw.OK, "allowed 3 calls"},
			{draw.OK, "shop-7185 is stopped"},
			{draw.OK, "shop-7185 is stopped: its calls are denied until its user speaks"},
			{draw.Warn, "held by a freeze"},
		} {
			s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: mixedCalls()}, nil, termenv.Ascii)
			s.draw(size[0], size[1])
			s.m.Say(said.ink, said.text)
			view := s.m.View()
			tuitest.CheckView(t, view, size[0], size[1])
			rows := strings.Split(view, "\n")
			fmt.Fprintf(&b, "%d: %s\n", size[0], rows[len(rows)-1])
		}
	}
	tuitest.Golden(t, "toast", b.String())
}
