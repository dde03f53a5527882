package callview

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker/brokertest/cputime"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func drawMarkdown(source string, width int) (string, bool) {
	d := &Doc{Paper: *draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false).Paper(width)}
	ok := d.Markdown(source)
	return strings.Join(d.Rows, "\n"), ok
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	for _, width := range []int{36, 72} {
		got, ok := drawMarkdown(tuitest.Plan, width)
		if !ok {
			t.Fatal("it was drawn as plain text")
		}
		for row := range strings.Lines(got) {
			b.WriteString(strings.TrimRight(row, " \n") + "\n")
		}
		b.WriteString("\n")
	}
	tuitest.Golden(t, "markdown", b.String())
}

// Whatever is in a text, it is drawn in little time, fits, and says all its words.
func TestMarkdownHostile(t *testing.T) {
	n := maxMarkdown
	if testing.Short() { // it starts no goroutine
		n /= 4
	}
	for name, source := range map[string]string{
		"quotes":      strings.Repeat(">", n),
		"quotes deep": strings.Repeat("> ", n/2) + "x",
		"lists":       strings.Repeat("- ", n/2) + "x",
		"numbers":     strings.Repeat("1. ", n/3) + "x",
		"brackets":    strings.Repeat("[", n),
		"links":       strings.Repeat("[a](", n/4),
		"images":      strings.Repeat("![", n/2),
		"stars":       strings.Repeat("*a ", n/3),
		"stars both":  strings.Repeat("*a_ ", n/4),
		"bold":        strings.Repeat("**a", n/3),
		"ticks":       strings.Repeat("`a``", n/4),
		"tags":        strings.Repeat("<a ", n/3),
		"comments":    strings.Repeat("<!--", n/4),
		"entities":    strings.Repeat("&#x202e;", n/8),
		"fences":      strings.Repeat("```\n", n/4),
		"staircase":   staircase(300),
		"escapes":     "# \x1b[2J\x1b]0;x\a\n\n`\x9b31m`\n\n[a\x1b](\x1b\u202e)\n\n```\x1b\n\x1b[A\n```\n",
		"too long":    strings.Repeat("word ", maxMarkdown/5+1),
		"definition":  "[hidden]: /x 'words'\n[hidden]: /y 'twice'\n",
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			if took := cputime.Of(func() { got, _ = drawMarkdown(source, 60) }); took > 10*time.Second {
				t.Errorf("it took %v", took)
			} else {
				t.Logf("%v", took)
			}
			if problem := tuitest.Misfit(got, 60, strings.Count(got, "\n")+1); problem != "" {
				t.Error(problem)
			}
		})
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// FuzzMarkdown: every letter of the text is on the paper, and nothing that a terminal
// acts upon.
func FuzzMarkdown(f *testing.F) {
	f.Add(tuitest.Plan)
	f.Add("a\n===\n\n* b\n\n  c\n* d\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\\*e\\* &amp; <i>\n")
	f.Fuzz(func(t *testing.T, source string) {
		got, _ := drawMarkdown(source, 40)
		if problem := tuitest.Misfit(got, 40, strings.Count(got, "\n")+1); problem != "" {
			t.Fatalf("%s: %q", problem, got)
		}
		drawn := map[rune]int{}
		for _, r := range got {
			drawn[r]++
		}
		for _, r := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			if want := strings.Count(source, string(r)); drawn[r] < want {
				t.Fatalf("%d of %d %q were drawn:\n%s", drawn[r], want, r, safe.Text(got))
			}
		}
	})
}
