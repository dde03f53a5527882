package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
			{draw.Warn, "frozen"},
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

// A short result is gone after three seconds; a warning stays longer, since it has to be read.
func TestShortResultsLeaveSoon(t *testing.T) {
	for text, tc := range map[string]struct {
		ink   draw.Ink
		stays time.Duration
	}{"allowed 3 calls": {draw.OK, 3 * time.Second}, "frozen": {draw.Warn, 6 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			r := three(t)
			r.exec(r.m.Say(tc.ink, text))
			r.wait(tc.stays - time.Second)
			r.shows(text)
			r.wait(2 * time.Second)
			if strings.Contains(r.view(), text) {
				t.Errorf("%q still stands there:\n%s", text, r.view())
			}
		})
	}
}
