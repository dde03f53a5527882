package show

import (
	"bytes"
	"testing"

	"github.com/aoctl/aoctl/tui/draw"
)

// TestPaperInAPipe: what the console draws has a hundred cells there, no colours and no blanks
// at the ends.
func TestPaperInAPipe(t *testing.T) {
	t.Setenv("CLICOLOR_FORCE", "1")
	var out bytes.Buffer
	st, width := Styles(&out)
	if width != 100 {
		t.Errorf("%d cells wide", width)
	}
	p := st.Paper(width)
	p.Say(draw.Danger, "careful")
	p.SayBehind(draw.Label, "here", 10, draw.OK, "there")
	if err := Paper(&out, p.Rows); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "careful\nhere      there\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
