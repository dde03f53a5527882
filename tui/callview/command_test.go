package callview_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// A command breaks between its words where they fit on a row. Each row that goes on is marked, a row
// that broke between words ends in a blank or the next one begins with one, and no letter is lost.
func TestCommandsBreakAtBlanks(t *testing.T) {
	word := rapid.SampledFrom([]string{"ls", "--all", "|", "grep", "/usr/share/doc/a/rather/long/path", "日本語", "\x1b[31m", strings.Repeat("x", 90), "é", "'a"})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 30).Draw(t, "words")
		width := rapid.IntRange(30, 100).Draw(t, "width")
		command := strings.Join(words, " ")
		input, _ := json.Marshal(map[string]string{"command": command})
		_, d := laid(tuitest.NewCall("r1", "s1", "Bash", tuitest.Noon, string(input)), callview.Around{}, width)
		var all strings.Builder
		var whole []string
		for i, row := range d.Rows[:d.CallEnd] {
			mark, text := string([]rune(row)[:2]), string([]rune(row)[2:])
			if want := "↪ "; i > 0 && mark != want || i == 0 && mark != "$ " {
				t.Fatalf("row %d is %q", i, row)
			}
			whole = append(whole, strings.Fields(text)...)
			all.WriteString(text)
		}
		if got := strings.NewReplacer(" ", "", `\x1b`, "\x1b").Replace(all.String()); got != strings.ReplaceAll(command, " ", "") {
			t.Fatalf("%q is drawn as %q", command, got)
		}
		for _, w := range words {
			if w = strings.ReplaceAll(w, "\x1b", `\x1b`); len(w)+2 <= width && !slices.Contains(whole, w) {
				t.Fatalf("%q is broken at %d:\n%s", w, width, strings.Join(d.Rows[:d.CallEnd], "\n"))
			}
		}
	})
}

// What a row's end hides can be told: two commands that differ by a blank are never drawn alike.
func TestABlankIsSeenAtARowsEnd(t *testing.T) {
	for width := 30; width < 60; width++ {
		for n := 1; n < 90; n++ {
			rows := map[string]bool{}
			for _, between := range []string{"", " "} {
				input, _ := json.Marshal(map[string]string{"command": "a " + strings.Repeat("x", n) + between + strings.Repeat("y", 70)})
				_, d := laid(tuitest.NewCall("r1", "s1", "Bash", tuitest.Noon, string(input)), callview.Around{}, width)
				rows[strings.Join(d.Rows[:d.CallEnd], "\n")] = true
			}
			if len(rows) != 2 {
				t.Fatalf("%d letters at %d: both are drawn as %v", n, width, rows)
			}
		}
	}
}

// A row that goes on with a field's value is marked: no break of ours passes for one of the value's.
func TestValuesThatGoOnAreMarked(t *testing.T) {
	for name, value := range map[string]string{"goes on": strings.Repeat("rm -rf x; ", 9), "has lines": "rm -rf x\nrm -rf y"} {
		input, _ := json.Marshal(map[string]string{"script": value})
		text, _ := laid(tuitest.NewCall("r1", "s1", "mcp__sh__run", tuitest.Noon, string(input)), callview.Around{}, 60)
		if strings.Contains(text, "↪") != (name == "goes on") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
