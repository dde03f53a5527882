package draw

import (
	"fmt"
	"math"
	"testing"

	"github.com/muesli/termenv"
)

// lineContrast is what WCAG 2.2 asks of lines and other signs that are no text (1.4.11).
const lineContrast = 3

// pair is an ink and a ground that are drawn together.
type pair struct {
	ink      Ink
	of       attributes
	on, what string // the ground's colour, and what it is
}

// pairs are all of a palette at one terminal. An ink without a ground of its own is drawn on
// the terminal's and on the selected row's; there are no others.
func (p *Palette) pairs(profile termenv.Profile, dark bool) []pair {
	papers := p.papers[1]
	if dark {
		papers = p.papers[0]
	}
	var all []pair
	for i, a := range p.table(profile, dark) {
		if own := value(a.back, profile, dark); own != "" {
			all = append(all, pair{Ink(i), a, own, "its own"})
			continue
		}
		for _, paper := range papers {
			all = append(all, pair{Ink(i), a, string(paper), "the terminal's"})
		}
		if chosen := value(a.chosen(p, profile, dark).back, profile, dark); chosen != "" {
			all = append(all, pair{Ink(i), a, chosen, "the selected row's"})
		}
	}
	return all
}

// needs is the least contrast that a pair may have.
func (p *Palette) needs(q pair) float64 {
	if q.of.line {
		return lineContrast
	}
	return p.contrast
}

// contrastOf is WCAG's ratio of two colours, from 1 to 21. A colour is a hexadecimal one, or the
// number of one of the 256.
func contrastOf(a, b string) float64 {
	one, other := luminance(a), luminance(b)
	return (math.Max(one, other) + 0.05) / (math.Min(one, other) + 0.05)
}

// luminance is how light a colour looks, from 0 to 1.
func luminance(color string) float64 {
	r, g, b := termenv.ConvertToRGB(termenv.TrueColor.Color(color)).LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

func eachTheme(t *testing.T, try func(t *testing.T, p Palette, profile termenv.Profile, dark bool)) {
	t.Helper()
	for name, p := range map[string]Palette{"default": DefaultPalette(), "high contrast": HighContrast()} {
		for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256} {
			for _, dark := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/dark=%t", name, profile.Name(), dark), func(t *testing.T) {
					try(t, p, profile, dark)
				})
			}
		}
	}
}

// Every text can be read on every ground that it is drawn on.
func TestContrast(t *testing.T) {
	eachTheme(t, func(t *testing.T, p Palette, profile termenv.Profile, dark bool) {
		t.Helper()
		for _, q := range p.pairs(profile, dark) {
			color := value(q.of.color, profile, dark)
			if got := contrastOf(color, q.on); got < p.needs(q) {
				t.Errorf("ink %d: %s on %s ground %s has %.2f:1, want %.1f:1", q.ink, color, q.what, q.on, got, p.needs(q))
			}
		}
	})
}

func TestContrastOf(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#ffffff", "#000000", 21}, {"#777777", "#ffffff", 4.48}, {"16", "231", 21}, {"22", "22", 1}} {
		if got := contrastOf(c.a, c.b); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s on %s: %.2f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

// The grounds of a comparison differ from each other and from the terminal's where they are
// drawn at all, and what changed inside a line is told without them too.
func TestGroundsDiffer(t *testing.T) {
	eachTheme(t, func(t *testing.T, p Palette, profile termenv.Profile, dark bool) {
		t.Helper()
		for _, line := range []Ground{GroundAdded, GroundRemoved} {
			whole, word := p.compared(p.text, line, profile, dark), p.compared(p.text, line.Word(), profile, dark)
			if word.codes == "" || word.codes == whole.codes {
				t.Errorf("ground %d: a changed word has attributes %q, its line %q", line, word.codes, whole.codes)
			}
			a, b := value(whole.back, profile, dark), value(word.back, profile, dark)
			if a != "" && b != "" && contrastOf(a, b) < 1.2 {
				t.Errorf("ground %d: %s and %s look the same", line, a, b)
			}
		}
	})
}
