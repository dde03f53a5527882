package tui

import (
	"fmt"
	"path/filepath"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// Config is what there is to say of the operator's settings file.
type Config struct {
	File     string   // "" when there is none
	Settings []string // what it sets, such as timeout=5m

	// Why nothing of it holds, and what to do, a line each; empty when it was taken.
	Problem, Cure string
	Line          int // where; 0 is the file as a whole
}

// leastReason is how much of a reason is worth a place in a banner, cells.
const leastReason = 24

// configBanners tell that the settings file was not taken: why and what to do, as far as
// there is room for it in one row.
func (m *model) configBanners() []string {
	c := m.opts.Config
	if c.Problem == "" {
		return nil
	}
	place, problem, cure := draw.SafeLine(c.at(filepath.Base(c.File))), draw.SafeLine(c.Problem), draw.SafeLine(c.Cure)
	const more, held = " · see aoctl config", " · defaults hold"
	room := m.width - 4
	for _, t := range []string{held + " · " + cure, " · " + cure, held + more} {
		if text := place + ": " + problem + t; draw.Cells(text) <= room {
			return []string{text}
		}
	}
	if n := room - draw.Cells(place+": "+more); n >= leastReason {
		return []string{place + ": " + safe.Cut(problem, n) + more}
	}
	return []string{place + " wrong: aoctl config"}
}

// at is a line of the file, under this name.
func (c Config) at(name string) string {
	if c.Line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, c.Line)
}

// helpConfig tells on the help screen what the settings file does.
func (m *model) helpConfig(p *draw.Paper) {
	c := m.opts.Config
	if c.File == "" {
		return
	}
	p.Write(draw.Fixed(draw.Label, "settings", helpKeyWidth), draw.Text, c.at(c.File))
	if c.Problem != "" {
		p.SayBehind(draw.Label, "", helpKeyWidth, draw.Danger, draw.SafeLine(c.Problem))
		p.SayBehind(draw.Label, "", helpKeyWidth, draw.Text, draw.SafeLine(c.Cure))
		p.SayBehind(draw.Label, "", helpKeyWidth, draw.Text, "Nothing of it holds. It is read when the console starts.")
		return
	}
	for _, s := range c.Settings {
		p.Write(draw.Fixed(draw.Label, "", helpKeyWidth), draw.Text, s)
	}
}
