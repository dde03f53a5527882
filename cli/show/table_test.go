package show

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/tui/safe"
)

// A dim row is faint where there are colours, and as any other elsewhere.
func TestDimRow(t *testing.T) {
	tab := &Table{Head: []string{"ID"}}
	tab.Add("a")
	tab.AddDim("b")
	for styled, want := range map[bool]string{true: "\x1b[1mID\x1b[0m\na\n\x1b[2mb\x1b[0m\n", false: "ID\na\nb\n"} {
		var b strings.Builder
		out := bufio.NewWriter(&b)
		tab.draw(out, 40, styled)
		if _ = out.Flush(); b.String() != want {
			t.Errorf("%v: %q", styled, b.String())
		}
	}
}

func TestTable(t *testing.T) {
	tab := &Table{Head: []string{"ID", "NAME", "NONE", "LAST"}}
	tab.Add("1", "漢字", "", "x")
	tab.Add("22", "a\x1b[2Jb", "", "")
	tab.Add("333", "", "", "a long\tone\nwith a second line")
	var b bytes.Buffer
	if err := tab.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := "1\t漢字\t\tx\n" +
		"22\ta\\x1b[2Jb\t\t\n" +
		"333\t\t\ta long⇥   one⏎with a second line\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("in a pipe:\n%s", diff)
	}
	for width, want := range map[int]string{
		80: "ID   NAME       LAST\n" +
			"1    漢字       x\n" +
			"22   a\\x1b[2Jb\n" +
			"333             a long⇥   one⏎with a second line\n",
		30: "ID   NAME       LAST\n" +
			"1    漢字       x\n" +
			"22   a\\x1b[2Jb\n" +
			"333             a long⇥   one…\n",
		19: "ID   NAME    LAST\n" +
			"1    漢字    x\n" +
			"22   a\\x1b…\n" +
			"333          a lon…\n",
	} {
		b.Reset()
		out := bufio.NewWriter(&b)
		tab.draw(out, width, false)
		_ = out.Flush()
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%d cells:\n%s", width, diff)
		}
	}
}

// A table that cannot fit is cut at the window's edge; nothing wraps.
func TestTableNeverWraps(t *testing.T) {
	tab := &Table{Head: []string{"ID", "SESSION", "AGE", "LEFT", "TOOL", "CALL"}}
	tab.Add("0197f3a2", "a session with a long name", "12s", "9:48 held", "NotebookEdit", "make the whole of it")
	for width := 1; width < 90; width++ {
		var b bytes.Buffer
		out := bufio.NewWriter(&b)
		tab.draw(out, width, false)
		_ = out.Flush()
		for line := range strings.Lines(b.String()) {
			if n := safe.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d cells in a window of %d: %q", n, width, line)
			}
		}
	}
}

// At 40 cells no head is cut, and a long name of a row gives way to its numbers.
func TestTableKeepsItsHeads(t *testing.T) {
	for want, tab := range map[string]*Table{
		"ID        NAME      STATUS   WAITING\n0197aaaa  api-ser…  workin…  2\n": {
			Head: []string{"ID", "NAME", "STATUS", "WAITING", "FOLDER"}, Spare: []string{"FOLDER"},
			rows: [][]string{{"0197aaaa", "api-server", "working, frozen", "2", "/src/api-server"}},
		},
		"TOOL                  CALLS  PROMPTS\nmcp__a_server_with_…  64     4\n": {
			Head: []string{"TOOL", "CALLS", "PROMPTS"},
			rows: [][]string{{"mcp__a_server_with_a_long_name__and_a_tool", "64", "4"}},
		},
	} {
		var b bytes.Buffer
		out := bufio.NewWriter(&b)
		tab.draw(out, 36, false)
		_ = out.Flush()
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// A narrow window does without what says least.
func TestTableLeavesOut(t *testing.T) {
	tab := &Table{Head: []string{"ID", "AGE", "TOOL", "CALL"}, Spare: []string{"AGE", "TOOL"}}
	tab.Add("0197f3a2", "12s", "Bash", "make the whole of it")
	for width, want := range map[int]string{
		36: "ID        AGE  TOOL  CALL\n0197f3a2  12s  Bash  make the whole…\n",
		32: "ID        TOOL  CALL\n0197f3a2  Bash  make the whole …\n",
		22: "ID        CALL\n0197f3a2  make the wh…\n",
	} {
		var b bytes.Buffer
		out := bufio.NewWriter(&b)
		tab.draw(out, width, false)
		_ = out.Flush()
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%d cells:\n%s", width, diff)
		}
	}
}
