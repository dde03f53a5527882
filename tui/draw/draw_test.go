package draw

import (
	"testing"
	"time"

	"github.com/muesli/termenv"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Count(1234567): "1,234,567", Count(999): "999", Plural(1, "call"): "1 call", Plural(2000, "call"): "2,000 calls",
		Left(9*time.Minute + 47*time.Second + time.Millisecond): "9:48", Left(0): "0:00", Left(-time.Second): "0:00",
		Clock(61 * time.Minute): "61:00", Ago(90 * time.Second): "1m", Ago(50 * time.Hour): "2d", Brief(3200 * time.Millisecond): "3.2s",
		Brief(-1): "", Size(12): "12 B", Size(24_800): "24.8 KB", Size(2_000_000): "2.0 MB",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

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
