package tui

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// A row begins with a sign of one cell for a tool that most calls are made with, and its name is nowhere
// in the row.
func TestRowsBeginWithASign(t *testing.T) {
	for tool, tc := range map[string]struct{ input, want string }{
		"Bash":         {`{"command":"make"}`, "$ make "},
		"Edit":         {`{"file_path":"/src/x.go","old_string":"a","new_string":"b"}`, "± /src/x.go "},
		"Write":        {`{"file_path":"/src/x.go","content":"b\n"}`, "+ /src/x.go "},
		"NotebookEdit": {`{"notebook_path":"/src/sales.ipynb","cell_id":"c1","new_source":"a = 1"}`, "▤ /src/sales.ipynb "},
		"WebFetch":     {`{"url":"https://x.example"}`, "↗ https://x.example "},
	} {
		s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{tuitest.NewCall("r1", "s2", tool, seconds(5), tc.input)}}, nil, termenv.Ascii)
		for line := range strings.Lines(s.draw(120, 40)) {
			if strings.Contains(line, "▌") && (!strings.Contains(line, " "+tc.want) || strings.Contains(line, "Noteb")) {
				t.Errorf("%s: no %q in %s", tool, tc.want, line)
			}
		}
	}
}
