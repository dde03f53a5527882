package tui

import (
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
)

// : finds an action by words, and enter does it on the screen below.
func TestPaletteDoes(t *testing.T) {
	for name, tc := range map[string]struct {
		before []string
		words  string
		screen string
	}{
		"a screen":        {nil, "what was decided", desk.History},
		"by its name":     {nil, "launch", desk.Launch},
		"from a screen":   {[]string{"h"}, "rules; on", desk.Rules},
		"a key of a list": {[]string{"r"}, "new rule", desk.RuleEdit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.press(append(tc.before, ":")...)
				r.typeText(tc.words)
				r.press("enter")
				if r.m.open() != r.m.rooms[tc.screen] {
					t.Errorf("it leads to:\n%s", r.view())
				}
			})
		})
	}
}

// Words are typed there as anywhere: the cursor moves, a paste is taken whole or not at all, and a
// character from elsewhere is seen.
func TestPaletteTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press(":")
		r.typeText("lauch")
		r.press("left", "left", "n")
		r.shows(":laun▎ch")
		r.press("enter")
		if r.m.open() != r.m.rooms[desk.Launch] {
			t.Errorf("it leads to:\n%s", r.view())
		}
		r.press("esc", ":")
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("rules\nhistory"), Paste: true})
		r.shows("not taken: it has more than one line")
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("ru\u202eles"), Paste: true})
		r.shows(`:ru\u{202e}les█`)
	})
}

// From there nothing is decided: it says which key does that.
func TestPaletteDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		for _, words := range []string{"allow this call", "deny it", "stop all", "edit the input"} {
			r.press(":")
			r.typeText(words)
			r.press("enter", "y")
			if got := r.decisions(); got != "" || len(r.c.stopped) > 0 || r.c.stopAlls > 0 || r.m.open() != nil {
				t.Fatalf("%s: decided %q:\n%s", words, got, r.view())
			}
		}
		r.press(":", "x", "y", "z", "z", "y")
		r.shows("nothing has these words")
		r.press("enter")
		r.shows("nothing here has these words")
		r.press("esc")
		if !r.m.listed() {
			t.Errorf("esc does not lead back:\n%s", r.view())
		}
	})
}

// The help of a screen begins with its own keys, and can be searched.
func TestHelpIsLocalAndFindsWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "?")
		r.shows("On this screen")
		r.press("/")
		r.typeText("speak before")
		r.shows("let it speak before the rule above")
		r.press("enter", "esc", "esc")
		if !r.m.listed() {
			t.Errorf("esc does not lead back:\n%s", r.view())
		}
	})
}

// Digits choose panes, unless they are the code of a dangerous call.
func TestDigitsChoosePanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("3")
		r.shows("▸Sessions")
		r.press("2")
		r.shows("▸Bash")
		r.press("1")
		r.shows("▸Waiting")
		r.press("4")
		if r.m.open() != r.m.rooms[desk.History] {
			t.Errorf("4 leads to:\n%s", r.view())
		}
		r.press("esc", "5")
		if r.m.open() != r.m.rooms[desk.Rules] {
			t.Errorf("5 leads to:\n%s", r.view())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := risky(t)
		r.press("3")
		r.shows("▸Waiting")
	})
}
