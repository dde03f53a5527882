package patch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/patch"
)

func text(lines ...string) string { return strings.Join(lines, "\n") }

func TestParse(t *testing.T) {
	cases := map[string]struct {
		text string
		want []patch.File
	}{
		"a new file": {
			text("*** Begin Patch", "*** Add File: src/a.go", "+package a", "+", "*** End Patch"),
			[]patch.File{{Op: patch.Add, Path: "src/a.go", Hunks: []patch.Hunk{{Lines: []patch.Line{{'+', "package a"}, {'+', ""}}}}}},
		},
		"what looks like a mark is content": {
			text("*** Begin Patch", "*** Add File: a", "+*** Delete File: b", "+@@", "*** End Patch", ""),
			[]patch.File{{Op: patch.Add, Path: "a", Hunks: []patch.Hunk{{Lines: []patch.Line{{'+', "*** Delete File: b"}, {'+', "@@"}}}}}},
		},
		"all kinds": {
			text("*** Begin Patch", "*** Delete File: old name.txt", "*** Update File: a.go", "*** Move to: b.go", "@@ func main() {",
				" x", "-y", "+z", "", "@@", "-last", "*** End of File", "*** Add File: c", "*** End Patch"),
			[]patch.File{
				{Op: patch.Delete, Path: "old name.txt"},
				{Op: patch.Update, Path: "a.go", MoveTo: "b.go", Hunks: []patch.Hunk{
					{Header: "func main() {", Lines: []patch.Line{{' ', "x"}, {'-', "y"}, {'+', "z"}, {' ', ""}}},
					{Lines: []patch.Line{{'-', "last"}}, AtEnd: true},
				}},
				{Op: patch.Add, Path: "c"},
			},
		},
		"the first change may do without its mark": {
			text("*** Begin Patch", "*** Update File: a", " x", "+y", "*** End Patch"),
			[]patch.File{{Op: patch.Update, Path: "a", Hunks: []patch.Hunk{{Lines: []patch.Line{{' ', "x"}, {'+', "y"}}}}}},
		},
		"lines that end in CR LF": {
			"*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n",
			[]patch.File{{Op: patch.Update, Path: "a", Hunks: []patch.Hunk{{Lines: []patch.Line{{'-', "x"}, {'+', "y"}}}}}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := patch.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRefuses: what Codex reads otherwise than it looks, or might, is no patch here, and
// the error names the line.
func TestRefuses(t *testing.T) {
	cases := map[string]struct{ text, where string }{
		"nothing":                      {"", "line 1:"},
		"a blank before the beginning": {" *** Begin Patch\n*** Delete File: a\n*** End Patch", "line 1:"},
		"a here-document":              {"<<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF", "line 1:"},
		"no end":                       {"*** Begin Patch\n*** Delete File: a", "line 3:"},
		"no file":                      {"*** Begin Patch\n*** End Patch", "line 2:"},
		"text after the end":           {"*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Delete File: b", "line 4:"},
		"empty lines after the end":    {"*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n", "line 4:"},
		"an indented mark after an added file": {
			"*** Begin Patch\n*** Add File: a\n+x\n  *** Delete File: b\n*** End Patch", "line 4:",
		},
		"an indented mark after a deletion": {"*** Begin Patch\n*** Delete File: a\n *** Update File: b\n+x\n*** End Patch", "line 3:"},
		"blanks after a name":               {"*** Begin Patch\n*** Delete File: a \n*** End Patch", "line 2:"},
		"blanks before a name":              {"*** Begin Patch\n*** Delete File:  a\n*** End Patch", "line 2:"},
		"no blank before a name":            {"*** Begin Patch\n*** Delete File:a\n*** End Patch", "line 2:"},
		"a name with a control character":   {"*** Begin Patch\n*** Delete File: a\rb\n*** End Patch", "line 2:"},
		"no name":                           {"*** Begin Patch\n*** Delete File: \n*** End Patch", "line 2:"},
		"an update without changes":         {"*** Begin Patch\n*** Update File: a\n*** End Patch", "line 3:"},
		"a move without changes":            {"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch", "line 4:"},
		"a change without lines":            {"*** Begin Patch\n*** Update File: a\n@@\n*** End Patch", "line 4:"},
		"a mark that runs on":               {"*** Begin Patch\n*** Update File: a\n@@x\n+x\n*** End Patch", "line 3:"},
		"two marks":                         {"*** Begin Patch\n*** Update File: a\n@@ x\n@@ y\n+x\n*** End Patch", "line 4:"},
		"a line of no kind":                 {"*** Begin Patch\n*** Update File: a\n@@\n+x\ny\n*** End Patch", "line 5:"},
		"a move of what is deleted":         {"*** Begin Patch\n*** Delete File: a\n*** Move to: b\n*** End Patch", "line 3:"},
		"a move without a name":             {"*** Begin Patch\n*** Update File: a\n*** Move to: \n@@\n+x\n*** End Patch", "line 3:"},
		"more after the end of a file":      {"*** Begin Patch\n*** Update File: a\n@@\n+x\n*** End of File\n+y\n*** End Patch", "line 6:"},
		"a place to patch in":               {"*** Begin Patch\n*** Environment ID: remote\n*** Delete File: a\n*** End Patch", "line 2:"},
		"a unified difference":              {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "line 1:"},
		"too many files":                    {"*** Begin Patch\n" + strings.Repeat("*** Delete File: a\n", patch.MaxFiles+1) + "*** End Patch", "line 1002:"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := patch.Parse(c.text)
			if !errors.Is(err, patch.ErrPatch) || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if !strings.Contains(err.Error(), c.where) {
				t.Errorf("%q does not say %s", err, c.where)
			}
		})
	}
}

func TestPathsAndCounts(t *testing.T) {
	files, err := patch.Parse(text("*** Begin Patch", "*** Update File: a", "*** Move to: b", "@@", "-x", "-y", "+z", " k",
		"*** Delete File: a", "*** Add File: c", "+1", "*** End Patch"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, patch.Paths(files)); d != "" {
		t.Error(d)
	}
	if added, removed := files[0].Counts(); added != 1 || removed != 2 {
		t.Errorf("%d added, %d removed", added, removed)
	}
}

// FuzzParse: a patch that is read says the same when it is written again, and names no
// file that the text does not name after a mark, and all that it does.
func FuzzParse(f *testing.F) {
	f.Add("*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@ f\n x\n-y\n+z\n*** End of File\n*** End Patch\n")
	f.Add("*** Begin Patch\r\n*** Update File: a b\r\n x\r\n\r\n@@\r\n+\r\n*** End Patch")
	f.Add("*** Begin Patch\n*** Update File: a\n  *** Delete File: b\n*** End Patch")
	f.Fuzz(func(t *testing.T, in string) {
		files, err := patch.Parse(in)
		if err != nil {
			if files != nil {
				t.Fatalf("an error with %v", files)
			}
			return
		}
		again, err := patch.Parse(write(files))
		if err != nil {
			t.Fatalf("written again it is no patch: %v", err)
		}
		if d := cmp.Diff(files, again); d != "" {
			t.Fatal(d)
		}
		for line := range strings.Lines(in) {
			for _, mark := range []string{"*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "} {
				name, ok := strings.CutPrefix(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), mark)
				if ok && !strings.Contains("\n"+strings.Join(patch.Paths(files), "\n")+"\n", "\n"+name+"\n") {
					t.Fatalf("%q was not seen", name)
				}
			}
		}
	})
}

// write is a patch in its canonical form: with CR LF, of which the CR is no part of a line,
// so that one which ends in CR keeps that.
func write(files []patch.File) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\r\n")
	for _, f := range files {
		b.WriteString(map[patch.Op]string{patch.Add: "*** Add File: ", patch.Delete: "*** Delete File: ", patch.Update: "*** Update File: "}[f.Op] + f.Path + "\r\n")
		if f.MoveTo != "" {
			b.WriteString("*** Move to: " + f.MoveTo + "\r\n")
		}
		for _, h := range f.Hunks {
			if f.Op == patch.Update {
				b.WriteString("@@ " + h.Header + "\r\n")
			}
			for _, l := range h.Lines {
				b.WriteString(string(l.Kind) + l.Text + "\r\n")
			}
			if h.AtEnd {
				b.WriteString("*** End of File\r\n")
			}
		}
	}
	return b.String() + "*** End Patch\r\n"
}
