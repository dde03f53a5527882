package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/tuitest"
)

var refusedConfig = Config{
	File: "/home/ada/.config/aoctl/config.toml", Line: 3,
	Problem: "observe is not taken from a file: nothing would be held", Cure: "take it out, and type: aoctl --observe",
}

// A settings file that was not taken is told of on every screen, also on a small one, and
// the help screen has all of it.
func TestGoldenConfig(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		keys   string
	}{
		"refused":      {refusedConfig, ""},
		"refused-help": {refusedConfig, "?G"},
		"taken-help":   {Config{File: refusedConfig.File, Settings: []string{"timeout=5m", "notify=off"}}, "?G"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range sizes {
				s := newScene(t, termenv.Ascii)
				s.m.opts.Config = c.config
				view := s.draw(size[0], size[1], strings.Split(c.keys, "")...)
				if problem := tuitest.Misfit(view, size[0], size[1]); problem != "" {
					t.Errorf("%v: %s", size, problem)
				}
				b.WriteString(view + "\n\n")
			}
			tuitest.Golden(t, "config-"+name, b.String())
		})
	}
}

// Attack: what a settings file holds repaints the screen, or pushes the cure off it.
func TestConfigBannerIsSafe(t *testing.T) {
	for _, text := range []string{"\x1b]0;x\a\x1b[2J", "a\nb", strings.Repeat("k", 9000), "\u202eabc", ""} {
		s := newScene(t, termenv.Ascii)
		s.m.opts.Config = Config{File: "/h/" + text + "/config.toml", Line: 1, Problem: `there is no setting "` + text + `"`, Cure: "mend it " + text}
		for _, size := range sizes {
			s.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			view := s.m.View()
			if problem := tuitest.Misfit(view, size[0], size[1]); problem != "" {
				t.Errorf("%q at %v: %s", text, size, problem)
			}
			if strings.ContainsAny(view, "\x1b\a\u202e") {
				t.Errorf("%q at %v reaches the terminal", text, size)
			}
			if !strings.Contains(view, "aoctl config") && !strings.Contains(view, "mend it") {
				t.Errorf("%q at %v: no cure:\n%s", text, size, view)
			}
		}
	}
}
