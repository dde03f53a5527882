package callview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker/brokertest/cputime"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func TestShellMarks(t *testing.T) {
	command := "# go\nFOO=1 git push \"$X\" 'y' && if a; then b; elif c; then d; fi | cat > out; echo ${Z} $(id)"
	var got []string
	for _, m := range shellMarks(command) {
		got = append(got, fmt.Sprintf("%s:%d", command[m.From:m.To], m.Ink))
	}
	for _, want := range []string{
		fmt.Sprintf("# go:%d", draw.Comment), fmt.Sprintf("FOO:%d", draw.Varies), fmt.Sprintf("git:%d", draw.Command),
		fmt.Sprintf("$X:%d", draw.Varies), fmt.Sprintf("'y':%d", draw.Quoted), fmt.Sprintf("&&:%d", draw.Operator),
		fmt.Sprintf("if:%d", draw.Keyword), fmt.Sprintf("elif:%d", draw.Keyword), fmt.Sprintf("fi:%d", draw.Keyword),
		fmt.Sprintf("|:%d", draw.Operator), fmt.Sprintf(">:%d", draw.Operator), fmt.Sprintf("cat:%d", draw.Command),
		fmt.Sprintf("${Z}:%d", draw.Varies), fmt.Sprintf("id:%d", draw.Command),
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no mark %s among %v", want, got)
		}
	}
}

func TestShellMarksGiveUp(t *testing.T) {
	for name, command := range map[string]string{
		"not a command line": "if then (", "large": strings.Repeat("a ", maxColoured), "deep": strings.Repeat("$(", 20_000),
		"backquotes": strings.Repeat("`", 30_000),
	} {
		var marks []draw.Mark
		took := cputime.Of(func() { marks = shellMarks(command) })
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
		for _, m := range shellMarks(command) {
			if m.From < at || m.To <= m.From || m.To > len(command) {
				t.Fatalf("mark %+v behind %d of %d in %q", m, at, len(command), command)
			}
			at = m.To
		}
		st := draw.NewStyles(draw.DefaultPalette(), termenv.TrueColor, true, true)
		p := st.Paper(40)
		p.Write(draw.Gutter{}, draw.Text, command, shellMarks(command)...)
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
		s := summarise(tc.tool, json.RawMessage(tc.input), "/p")
		if got := s.Tool + "|" + s.Text; got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.tool, tc.input, got, tc.want)
		}
	}
	long := summarise("Bash", json.RawMessage(`{"command":"`+strings.Repeat("x", 5000)+`"}`), "")
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
			d := LayOut(tuitest.PlainStyles(), tuitest.NewCall("r", "s", tool, tuitest.Noon, input), Around{Loc: time.UTC}, 100)
			text := strings.Join(d.Rows[:d.CallEnd], "\n")
			for _, f := range strings.FieldsFunc(input, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_0123456789", r) }) {
				known := slices.Contains([]string{"command", "file_path", "old_string", "new_string", "edits", "content"}, f)
				if !known && !strings.Contains(strings.ToLower(text), strings.ToLower(f)) {
					t.Errorf("%q is not drawn:\n%s", f, text)
				}
			}
		})
	}
}
