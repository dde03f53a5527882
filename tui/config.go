package tui

import (
	"fmt"
	"path/filepath"

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
	place, problem, cure := safeLine(c.at(filepath.Base(c.File))), safeLine(c.Problem), safeLine(c.Cure)
	const more, held = " · see aoctl config", " · defaults hold"
	room := m.width - 4
	for _, t := range []string{held + " · " + cure, " · " + cure, held + more} {
		if text := place + ": " + problem + t; cells(text) <= room {
			return []string{text}
		}
	}
	if n := room - cells(place+": "+more); n >= leastReason {
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
func (m *model) helpConfig(p *paper) {
	c := m.opts.Config
	if c.File == "" {
		return
	}
	p.write(fixed(inkLabel, "settings", helpKeyWidth), inkText, c.at(c.File))
	if c.Problem != "" {
		p.sayBehind(inkLabel, "", helpKeyWidth, inkDanger, safeLine(c.Problem))
		p.sayBehind(inkLabel, "", helpKeyWidth, inkText, safeLine(c.Cure))
		p.sayBehind(inkLabel, "", helpKeyWidth, inkText, "Nothing of it holds. It is read when the console starts.")
		return
	}
	for _, s := range c.Settings {
		p.write(fixed(inkLabel, "", helpKeyWidth), inkText, s)
	}
}
