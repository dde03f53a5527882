// Package tuitest is what tests of the console's rooms share: golden files, calls, the
// texts of a hostile agent, and what must hold of whatever is drawn.
//
// A test draws with PlainStyles at Noon, so that its golden file is plain text and
// never changes by itself. CheckView holds for every screen and every text of
// Payloads: a screen that lets one of them through could be repainted by an agent.
package tuitest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Noon is the moment at which all golden screens are drawn.
var Noon = time.Date(2026, 3, 14, 12, 31, 0, 0, time.UTC)

// OwnColours are the only control sequences that a screen may hold.
var OwnColours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// Payloads are what hostile text tries: to retitle, repaint, copy, answer, hide. A
// test that draws foreign text draws each of these.
var Payloads = []string{
	"\x1b]0;owned\a", "\x1b]52;c;cm0gLXJm\a", "\x1b[2J\x1b[H", "\x1bP+q544e\x1b\\", "\x1b[6n", "\x9b31m", "\u009b2J",
	"ls\rrm -rf ~", "a\bb", "\x00\x07\x0e", "\u202egnp.exe", "\u2066x\u2069", "r\u200bm", "\ufeff", "\u00ad", "\u3164", "\u2800",
	"\U000e0041\U000e0042", "\ufe0f", "e" + strings.Repeat("\u0301", 50), "\xff\xfe", "\ue000", "\u0378",
	strings.Repeat(" ", 500), strings.Repeat("\n", 500), strings.Repeat("\t", 100), "\x7f", "раypal", "日本語", strings.Repeat("語", 200),
	"\U0001f1e9\U0001f1ea\U0001f44d\U0001f3fd", "\x1b[0m", "╮\n│", "a\n\x1b[31mb",
}

// Golden compares got with the golden file of that name, below testdata; -update
// writes it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	// A golden file is written only when somebody asks for it, and looked at before it
	// is committed.
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path) //nolint:gosec // the name is in the test
	if err != nil {
		t.Fatalf("%v (go test with -update writes it)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: -want +got\n%s", path, diff)
	}
}

// CheckView asserts what holds of every screen: its size, and no control byte but our
// own colours. Widths are counted by package safe and by a library, which have to
// agree.
func CheckView(t *testing.T, view string, width, height int) {
	t.Helper()
	plain := OwnColours.ReplaceAllString(view, "")
	lines := strings.Split(plain, "\n")
	if len(lines) != height {
		t.Fatalf("%d rows in a window of %d×%d:\n%s", len(lines), width, height, plain)
	}
	for i, l := range lines {
		// Two counts that differ mean a sign on which terminals may not agree.
		if n := safe.Width(l); n > width || n != ansi.StringWidth(l) {
			t.Fatalf("row %d takes %d of %d cells, the library counts %d: %q", i, n, width, ansi.StringWidth(l), l)
		}
		for _, r := range l {
			// Colours were taken out before, so no control character is left that
			// could be ours.
			if r < ' ' || r >= 0x7f && r <= 0x9f || r == 0xfffd {
				t.Fatalf("row %d has %U: %q", i, r, l)
			}
		}
	}
}

// Misfit says why view does not fill a window of that size, empty when it does.
func Misfit(view string, width, height int) string {
	rows := strings.Split(view, "\n")
	if len(rows) != height {
		return fmt.Sprintf("%d rows instead of %d", len(rows), height)
	}
	for i, row := range rows {
		if n := safe.Width(row); n != width {
			return fmt.Sprintf("row %d takes %d cells of %d", i, n, width)
		}
	}
	return ""
}

// PlainStyles are those of a terminal without colours.
func PlainStyles() *draw.Styles {
	return draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false)
}

// ToolCall is NewCall with what such a test does not ask about.
func ToolCall(tool string, input any) broker.Request {
	return NewCall("r1", "s1", tool, Noon.Add(-5*time.Second), input)
}

// NewCall makes a waiting request; input is JSON text or anything that becomes an
// object. It is asked at a time of the test's own and has a digest that fits it.
func NewCall(id, session, tool string, at time.Time, input any) broker.Request {
	raw, ok := input.(string)
	if !ok {
		b, err := json.Marshal(input)
		if err != nil {
			panic(err)
		}
		raw = string(b)
	}
	r := broker.Request{
		ID: id, SessionID: session, Agent: "claude", Event: "PreToolUse", ToolName: tool,
		ToolInput: json.RawMessage(raw), CWD: "/home/ada/src/api-server", Mode: "default",
		CreatedAt: at, ExpiresAt: at.Add(10 * time.Minute), State: broker.Pending, Annotations: broker.Annotations{Legible: true},
	}
	r.Digest = broker.Digest(tool, r.ToolInput, r.CWD)
	return r
}

// Plan is a plan in Markdown with all that is drawn of it.
const Plan = `# Close twice

The server *must* survive a **second** Close. See [the issue](https://x.example/42 "why") and
![a picture](pic.png).

## Steps

1. Read ` + "`server.go`" + ` whole, since a long sentence has to be broken between its words and not inside them
2. Guard it:
   - with a ` + "`sync.Once`" + `
   - never with a mutex

` + "```go\nfunc (s *Server) Close() error {\n\ts.once.Do(s.close)\n}\n```" + `

> Quoted <b>as it is</b> <!-- and a comment -->

[//]: # (a definition that others hide)

---
<script>alert(1)</script>
`
