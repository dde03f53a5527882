package sessionview

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
)

func TestAFreezeIsSaid(t *testing.T) {
	for _, frozen := range []bool{true, false} {
		s := broker.Session{ID: "s", State: broker.SessionActive, Frozen: frozen}
		text := ansi.Strip(strings.Join(LayOut(draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false), &s, Around{Waiting: 1, Loc: time.UTC}, 80).Rows, "\n"))
		if strings.Contains(text, "1 waiting, frozen") != frozen || strings.Contains(text, "freeze is lifted") != frozen {
			t.Errorf("frozen %t:\n%s", frozen, text)
		}
	}
}
