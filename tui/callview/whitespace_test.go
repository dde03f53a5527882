package callview_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// Tabs that begin lines are blanks, until that would hide what a change does or what a text is.
func TestSignsStandWhereWhiteSpaceIsOdd(t *testing.T) {
	for name, tc := range map[string]struct {
		old, fresh string
		want, not  string
	}{
		"tabs":                {"x\n\tone\n", "x\n\ttwo\n", "    two", "⇥"},
		"a tab after text":    {"x\n", "x\ty\n", "x⇥   y", "␠"},
		"tab becomes blanks":  {"x\n\tone\n", "x\n    one\n", "⇥   one", "␠"},
		"blanks become a tab": {"x\n    one\n", "x\n\tone\n", "⇥   one", "␠"},
		"a tab at the end":    {"x\n", "x\n\t\n", "⇥", "␠"},
		"blanks at the end":   {"x\n", "x  \n", "x␠␠", "⇥"},
		"blanks between":      {"x\n", "x" + strings.Repeat(" ", 39) + "y\n", "x" + strings.Repeat(" ", 39) + "y", "␠"},
		"many of them":        {"x\n", "x" + strings.Repeat(" ", 40) + "y\n", "x␠×40 y", "⇥"},
	} {
		t.Run(name, func(t *testing.T) {
			input, _ := json.Marshal(map[string]string{"file_path": "/x", "old_string": tc.old, "new_string": tc.fresh})
			text, _ := laid(tuitest.NewCall("r1", "s1", "Edit", tuitest.Noon, string(input)), callview.Around{}, 100)
			if !strings.Contains(text, tc.want) || strings.Contains(text, tc.not) {
				t.Errorf("wants %q and no %q:\n%s", tc.want, tc.not, text)
			}
		})
	}
	text, _ := laid(tuitest.NewCall("r1", "s1", "mcp__x__read", tuitest.Noon, `{"path":"\tname","text":"a:\n\tb\n"}`), callview.Around{}, 100)
	for _, want := range []string{"⇥   name", "    b"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}
