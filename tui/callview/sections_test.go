package callview

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// Rows that are counted before they are drawn are as many as then are drawn.
func FuzzRowsOf(f *testing.F) {
	f.Add("\t\tif x {", 20)
	f.Add("       a        b", 6)
	f.Add(strings.Repeat("x", 40), 20)
	f.Add("a\t\t\t\t\t\t\t\tb ", 9)
	f.Fuzz(func(t *testing.T, text string, room int) {
		text, room = strings.NewReplacer("\n", "", "\r", "").Replace(text), 5+(room&0x7f)
		n, ok := rowsOf(text, room)
		if !ok {
			return
		}
		p := draw.Paper{Styles: tuitest.PlainStyles(), Width: room + 2}
		p.Write(draw.Gutter{Width: 2}, draw.Text, text)
		if len(p.Rows) != n {
			t.Fatalf("%q takes %d rows of %d cells, not %d: %q", text, len(p.Rows), room, n, p.Rows)
		}
	})
}

// A miscount loses no row.
func TestMiscountedRows(t *testing.T) {
	d := &Doc{Paper: *tuitest.PlainStyles().Paper(40)}
	d.Say(draw.Text, "first")
	drawing := func(texts ...string) func(*draw.Paper) {
		return func(p *draw.Paper) {
			for _, text := range texts {
				p.Say(draw.Text, text)
			}
		}
	}
	d.later(1, drawing("a", "b", "c"))
	d.later(3, drawing("d"))
	d.Say(draw.Text, "last")
	d.CallEnd = len(d.Rows)
	d.LookAtAll()
	if got := strings.Join(strings.Fields(strings.Join(d.Rows, " ")), " "); got != "first a b c d last" || d.CallEnd != len(d.Rows) {
		t.Errorf("%q, call ends at %d of %d", got, d.CallEnd, len(d.Rows))
	}
}
