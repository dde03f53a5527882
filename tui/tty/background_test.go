package tty

import (
	"testing"
)

func TestBackground(t *testing.T) {
	for answer, want := range map[string][2]bool{
		"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c": {true, true},
		"\x1b]11;rgb:ffff/ffff/ffff\a":              {false, true},
		"\x1b]11;rgb:fd/f6/e3\a":                    {false, true},
		"\x1b]11;rgb:2e/34/40\a":                    {true, true},
		"\x1b[?62c":                                 {false, false},
		"\x1b]11;rgb:zz/1/1\a":                      {false, false},
		"\x1b]11;rgb:1/1":                           {false, false},
		"":                                          {false, false},
	} {
		dark, ok := darkByAnswer(answer)
		if dark != want[0] || ok != want[1] {
			t.Errorf("%q: %v %v", answer, dark, ok)
		}
	}
	for answer, want := range map[string]bool{
		"": false, "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;4c": false, "\x1b]11;rgb:ff/f/f\a": false, "\x1b[?1;2c": false,
		"m": true, "m\x1b]11;rgb:ff/f/f\a\x1b[?1;2c": true, "\x1b]11;rgb:ff/f/f\am\x1b[?1;2c": true, "\x1b[?1;2c\x1b[A": true,
	} {
		if got := typedIn(answer); got != want {
			t.Errorf("typed in %q: %v", answer, got)
		}
	}
	for env, want := range map[string][2]bool{"15;0": {true, true}, "0;15": {false, true}, "0;default;7": {false, true}, "x": {}, "": {}, "1;y": {}} {
		dark, ok := darkByEnv(env)
		if dark != want[0] || ok != want[1] {
			t.Errorf("COLORFGBG=%q: %v %v", env, dark, ok)
		}
	}
}
