package callview_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// The path of a file is never cut: it stands in the title where the frame has room for it beside all
// that it may have to say, else on the card.
func TestPathOfAFileIsNeverCut(t *testing.T) {
	for _, path := range []string{"x.go", "internal/http/server.go", strings.Repeat("folder/", 9) + "x.go", "a\u202eb.go"} {
		input, _ := json.Marshal(map[string]string{"file_path": "/home/ada/src/" + path, "old_string": "a", "new_string": "b"})
		r := tuitest.NewCall("r1", "s1", "Edit", tuitest.Noon, string(input))
		r.CWD = "/home/ada/src"
		for width := 30; width < 130; width += 3 {
			text, d := laid(r, callview.Around{Label: "api", Framed: true}, width)
			card := strings.NewReplacer("\n", "", " ", "").Replace(text)
			want := draw.SafeLine(path)
			inTitle := d.Title == "Edit "+want && draw.Cells(d.Title)+3+draw.Cells("▼ 1,234 more rows") <= d.Width
			if !inTitle && !strings.Contains(card, want) {
				t.Errorf("%s at %d: title %q of\n%s", path, width, d.Title, text)
			}
		}
	}
}

// A screen with another title has the path on the card, and whole.
func TestPathStandsOnACardWithoutItsTitle(t *testing.T) {
	r := tuitest.NewCall("r1", "s1", "Edit", tuitest.Noon, `{"file_path":"/home/ada/src/x.go","old_string":"a","new_string":"b","replace_all":false}`)
	r.CWD = "/home/ada/src"
	text, _ := laid(r, callview.Around{Label: "api"}, 100)
	for _, want := range []string{"file  /home/ada/src/x.go", "replace_all  false"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// Only the very value that a field has by itself is left out, and only while the card is folded.
func TestOnlyDefaultsAreLeftOut(t *testing.T) {
	for value, drawn := range map[string]bool{"false": false, "true": true, `"false"`: true, "null": true, "0": true, "[]": true} {
		for tool, field := range map[string]string{"Edit": "replace_all", "Bash": "run_in_background"} {
			r := tuitest.NewCall("r1", "s1", tool, tuitest.Noon, `{"command":"make","file_path":"/x","old_string":"a","new_string":"b","`+field+`":`+value+`}`)
			text, _ := laid(r, callview.Around{Framed: true}, 80)
			if strings.Contains(text, field) != drawn {
				t.Errorf("%s %s %s:\n%s", tool, field, value, text)
			}
			text, _ = laid(r, callview.Around{Framed: true, View: callview.DiffView{More: 1}}, 80)
			if !strings.Contains(text, field) {
				t.Errorf("unfolded, %s %s %s is left out:\n%s", tool, field, value, text)
			}
		}
	}
}
