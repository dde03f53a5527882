package draw

import (
	"testing"

	"github.com/muesli/termenv"
)

// NO_COLOR leaves bold and reverse; what is not a terminal gets no sequence at all.
func TestStylesWithoutColour(t *testing.T) {
	if got := NewStyles(DefaultPalette(), termenv.Ascii, true, true).Row(9).Put(Sign, "x").String(); got != "\x1b[7mx\x1b[0m" {
		t.Errorf("NO_COLOR: %q", got)
	}
	if got := NewStyles(DefaultPalette(), termenv.Ascii, true, false).Row(9).Put(Sign, "x").String(); got != "x" {
		t.Errorf("no terminal: %q", got)
	}
	dark, light := NewStyles(DefaultPalette(), termenv.TrueColor, true, true), NewStyles(DefaultPalette(), termenv.TrueColor, false, true)
	if dark.Plain == light.Plain {
		t.Error("light and dark look the same")
	}
}
