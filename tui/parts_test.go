package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker/brokertest/cputime"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func TestLargeTextsAreComparedWhole(t *testing.T) {
	t.Parallel()
	old := strings.Repeat("line\n", diff.MaxDiffed/5)
	added, gone := diff.Tally(diff.Compare(old, old+"more\n", diff.OffScreen))
	if want := draw.CountLines(old); gone != want || added != want+1 {
		t.Errorf("+%d −%d, want +%d −%d", added, gone, want+1, want)
	}
}

func TestShellMarks(t *testing.T) {
	command := "# go\nFOO=1 git push \"$X\" 'y' && if a; then b; elif c; then d; fi | cat > out; echo ${Z} $(id)"
	var got []string
	for _, m := range callview.ShellMarks(command) {
		got = append(got, fmt.Sprintf("%s:%d", command[m.From:m.To], m.Ink))
	}
	for _, want := range []string{
		fmt.Sprintf("# go:%d", draw.Comment), fmt.Sprintf("FOO:%d", draw.Varies), fmt.Sprintf("git:%d", draw.Command),
		fmt.Sprintf("$X:%d", draw.Varies), fmt.Sprintf("'y':%d", draw.Quoted), fmt.Sprintf("&&:%d", draw.Operator),
		fmt.Sprintf("if:%d", draw.Keyword), fmt.Sprintf("elif:%d", draw.Keyword), fmt.Sprintf("fi:%d", draw.Keyword),
		fmt.Sprintf("|:%d", draw.Operator), fmt.Sprintf(">:%d", draw.Operator), fmt.Sprintf("cat:%d", draw.Command),
		fmt.Sprintf("${Z}:%d", draw.Varies), fmt.Sprintf("id:%d", draw.Command),
	} {
		if !change.Contains(got, want) {
			t.Errorf("no mark %s among %v", want, got)
		}
	}
}

func TestShellMarksGiveUp(t *testing.T) {
	for name, command := range map[string]string{
		"not a command line": "if then (", "large": strings.Repeat("a ", callview.MaxColoured), "deep": strings.Repeat("$(", 20_000),
		"backquotes": strings.Repeat("`", 30_000),
	} {
		var marks []draw.Mark
		took := cputime.Of(func() { marks = callview.ShellMarks(command) })
		if marks != nil {
			t.Errorf("%s: %d marks", name, len(marks))
		}
		if took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func FuzzShellMarks(f *testing.F) {
	f.Add("a && b | c > d; echo \"$x ${y%z} $(id)\" <<E\nx\nE\n")
	f.Add("case x in a) b;; esac; while :; do x; done; for i in a; do :; done")
	f.Fuzz(func(t *testing.T, command string) {
		at := 0
		for _, m := range callview.ShellMarks(command) {
			if m.From < at || m.To <= m.From || m.To > len(command) {
				t.Fatalf("mark %+v behind %d of %d in %q", m, at, len(command), command)
			}
			at = m.To
		}
		st := draw.NewStyles(draw.DefaultPalette(), termenv.TrueColor, true, true)
		p := st.Paper(40)
		p.Write(draw.Gutter{}, draw.Text, command, callview.ShellMarks(command)...)
		for _, row := range p.Rows {
			if n := safe.Width(row); n != 40 {
				t.Fatalf("row %q takes %d cells", row, n)
			}
		}
	})
}

func TestSummaries(t *testing.T) {
	for _, tc := range []struct{ tool, input, want string }{
		{"Bash", `{"command":"ls\nrm"}`, "Bash|ls⏎rm"},
		{"Edit", `{"file_path":"/p/a/b.go","old_string":"x","new_string":"x\ny"}`, "Edit|a/b.go"},
		{"Write", `{"file_path":"/p/a.txt","content":"1\n2"}`, "Write|a.txt  2 lines"},
		{"Read", `{"file_path":"/p/../etc/passwd"}`, "Read|/p/../etc/passwd"},
		{"Read", `{"file_path":"/p-evil/x"}`, "Read|/p-evil/x"},
		{"mcp__git__push", `{"remote":"origin","force":true}`, "MCP|git push  remote=origin force=true"},
		{"SlashCommand", `{"typed":"/x now","source":"plugin","runs":["date"]}`, "Slash|/x now"},
		{"Odd", `{}`, "Odd|"},
		{"Odd", `[1]`, "Odd|[1]"},
		{"Bash", `{"command":["rm"]}`, `Bash|command=["rm"]`},
		{"Bash", `{"command":"a` + strings.Repeat(" ", 412) + `b"}`, "Bash|a␠×412 b"},
	} {
		s := callview.Summarise(tc.tool, json.RawMessage(tc.input), "/p")
		if got := s.Tool + "|" + s.Text; got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.tool, tc.input, got, tc.want)
		}
	}
	long := callview.Summarise("Bash", json.RawMessage(`{"command":"`+strings.Repeat("x", 5000)+`"}`), "")
	if n := safe.Width(long.Text); n != draw.MaxSummary+1 || !strings.HasSuffix(long.Text, "…") {
		t.Errorf("a long summary takes %d cells: %q", n, long.Text)
	}
}

// Every field of an input is drawn, also of tools that are known.
func TestAllFieldsAreDrawn(t *testing.T) {
	fields := `"zz_unknown":"zz1","timeout":4711,"nested":{"deep":["zz2"]}`
	for tool, input := range map[string]string{
		"Bash":      `{` + fields + `,"command":"zz3","dangerouslyDisableSandbox":true}`,
		"Edit":      `{` + fields + `,"file_path":"/zz3","old_string":"a","new_string":"b","replace_all":true}`,
		"MultiEdit": `{` + fields + `,"file_path":"/zz3","edits":[{"old_string":"a","new_string":"b","zz4":"zz5"}]}`,
		"Write":     `{` + fields + `,"file_path":"/zz3","content":"zz4"}`,
		"Other":     `{` + fields + `,"a":null}`,
		"broken":    `{` + fields + `,"a":1,"a":2}`,
	} {
		t.Run(tool, func(t *testing.T) {
			d := callview.LayOut(tuitest.PlainStyles(), tuitest.NewCall("r", "s", tool, tuitest.Noon, input), callview.Around{Loc: time.UTC}, 100)
			text := strings.Join(d.Rows[:d.CallEnd], "\n")
			for _, f := range strings.FieldsFunc(input, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_0123456789", r) }) {
				known := change.Contains([]string{"command", "file_path", "old_string", "new_string", "edits", "content"}, f)
				if !known && !strings.Contains(strings.ToLower(text), strings.ToLower(f)) {
					t.Errorf("%q is not drawn:\n%s", f, text)
				}
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	for name, tc := range map[string]struct {
		path string
		want change.File
	}{
		"text":    {write("a", "hello"), change.File{Wanted: true, Done: true, Text: "hello", At: at}},
		"missing": {filepath.Join(dir, "b"), change.File{Wanted: true, Done: true, Missing: true, At: at}},
		"binary":  {write("c", "\xff\x00"), change.File{Wanted: true, Done: true, Problem: change.ErrNotText.Error(), At: at}},
		"NUL":     {write("n", "a\x00b"), change.File{Wanted: true, Done: true, Problem: change.ErrNotText.Error(), At: at}},
		"large":   {write("d", strings.Repeat("x", change.MaxFile+1)), change.File{Wanted: true, Done: true, Problem: change.ErrTooLarge.Error(), At: at}},
		"FIFO":    {fifo, change.File{Wanted: true, Done: true, Problem: change.ErrNotRegular.Error(), At: at}},
		"folder":  {dir, change.File{Wanted: true, Done: true, Problem: change.ErrNotRegular.Error(), At: at}},
	} {
		data, err := change.ReadFile(tc.path)
		if got := change.Result(data, err, at); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	if got := change.Result(nil, errors.New("boom"), at); got.Problem != "boom" || !got.Done {
		t.Errorf("another error: %+v", got)
	}
}

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
		dark, ok := tty.DarkByAnswer(answer)
		if dark != want[0] || ok != want[1] {
			t.Errorf("%q: %v %v", answer, dark, ok)
		}
	}
	for answer, want := range map[string]bool{
		"": false, "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;4c": false, "\x1b]11;rgb:ff/f/f\a": false, "\x1b[?1;2c": false,
		"m": true, "m\x1b]11;rgb:ff/f/f\a\x1b[?1;2c": true, "\x1b]11;rgb:ff/f/f\am\x1b[?1;2c": true, "\x1b[?1;2c\x1b[A": true,
	} {
		if got := tty.TypedIn(answer); got != want {
			t.Errorf("typed in %q: %v", answer, got)
		}
	}
	for env, want := range map[string][2]bool{"15;0": {true, true}, "0;15": {false, true}, "0;default;7": {false, true}, "x": {}, "": {}, "1;y": {}} {
		dark, ok := tty.DarkByEnv(env)
		if dark != want[0] || ok != want[1] {
			t.Errorf("COLORFGBG=%q: %v %v", env, dark, ok)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		draw.Count(1234567): "1,234,567", draw.Count(999): "999", draw.Plural(1, "call"): "1 call", draw.Plural(2000, "call"): "2,000 calls",
		draw.Left(9*time.Minute + 47*time.Second + time.Millisecond): "9:48", draw.Left(0): "0:00", draw.Left(-time.Second): "0:00",
		draw.Clock(61 * time.Minute): "61:00", draw.Ago(90 * time.Second): "1m", draw.Ago(50 * time.Hour): "2d", draw.Brief(3200 * time.Millisecond): "3.2s",
		draw.Brief(-1): "", draw.Size(12): "12 B", draw.Size(24_800): "24.8 KB", draw.Size(2_000_000): "2.0 MB",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// NO_COLOR leaves bold and reverse; what is not a terminal gets no sequence at all.
func TestStylesWithoutColour(t *testing.T) {
	if got := draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, true).Row(9).Put(draw.Sign, "x").String(); got != "\x1b[7mx\x1b[0m" {
		t.Errorf("NO_COLOR: %q", got)
	}
	if got := tuitest.PlainStyles().Row(9).Put(draw.Sign, "x").String(); got != "x" {
		t.Errorf("no terminal: %q", got)
	}
	dark, light := draw.NewStyles(draw.DefaultPalette(), termenv.TrueColor, true, true), draw.NewStyles(draw.DefaultPalette(), termenv.TrueColor, false, true)
	if dark.Plain == light.Plain {
		t.Error("light and dark look the same")
	}
}
