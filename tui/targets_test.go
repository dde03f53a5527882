package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// fileCall is an Edit of a real file, drawn, with the file read.
func fileCall(t *testing.T, text string) (s *still, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := tuitest.NewCall("r1", "s1", "Edit", seconds(5), map[string]any{"file_path": path, "old_string": "two", "new_string": "2"})
	s = newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}}, nil, termenv.Ascii)
	s.m.opts.ReadFile, s.m.opts.Stamp = change.ReadFile, change.StampFile
	s.draw(120, 40)
	s.readNow(t)
	return s, path
}

// readNow does what the console's own command would do.
func (s *still) readNow(t *testing.T) {
	t.Helper()
	read := s.reads()
	if len(read) == 0 {
		t.Fatal("nothing was read")
	}
	s.read = s.takes(read)
}

// looks has the first screen look whether the files of the drawn call are as they were.
func (s *still) looks() []tea.Msg {
	s.m.broadcast(desk.Tick{})
	return s.reads()
}

func TestFileChangedUnderTheCard(t *testing.T) {
	s, path := fileCall(t, "one\ntwo\n")
	if view := s.draw(120, 40); !strings.Contains(view, "1   one") || !strings.Contains(view, "2 + 2") {
		t.Fatalf("the edit is not in its file:\n%s", view)
	}
	if msg := s.looks(); len(msg) > 0 {
		t.Fatalf("the file is as it was, and yet %#v", msg)
	}
	if !s.m.card().SeenEnd {
		t.Fatal("the whole call was on the screen")
	}
	before := s.read
	if err := os.WriteFile(path, []byte("zero\none\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	msg := s.looks()
	if len(msg) == 0 {
		t.Fatal("that the file changed is not noticed")
	}
	old := s.m.card().Key()
	s.m.Update(msg[0])
	if s.m.card().Key() == old || !s.m.Guard.Deaf(s.at) {
		t.Error("a key would decide about the card that was drawn before")
	}
	s.readNow(t)
	view := s.draw(120, 40)
	for _, want := range []string{"a file of it changed", "3 + 2", "1   zero"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not drawn:\n%s", want, view)
		}
	}
	s.takes(before)
	if !strings.Contains(s.draw(120, 40), "1   zero") {
		t.Error("what was read for the earlier card is drawn")
	}
}

// Another file in the place of the one that was read is noticed, also when it has the
// same size and times; so is one that has gone.
func TestFileReplacedUnderTheCard(t *testing.T) {
	s, path := fileCall(t, "one\ntwo\n")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	other := path + ".new"
	if err := os.WriteFile(other, []byte("two\none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if len(s.looks()) == 0 {
		t.Error("another file is not noticed")
	}
	s, path = fileCall(t, "one\ntwo\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if len(s.looks()) == 0 {
		t.Error("that the file is gone is not noticed")
	}
}

// Colours that come late, for a card that was drawn anew meanwhile, are dropped.
func TestLateColours(t *testing.T) {
	s, path := fileCall(t, "one\ntwo\n")
	late := s.read
	c := s.m.card()
	if err := os.WriteFile(path, []byte("zero\none\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.m.Update(s.looks()[0])
	for _, msg := range s.reads() {
		s.m.Update(msg)
	}
	before := c.Sections
	for _, msg := range late {
		s.m.Update(msg)
	}
	if &c.Sections[0] != &before[0] {
		t.Error("colours of other sections were taken")
	}
	c.SeenEnd = true
	s.takes(s.reads())
	if &c.Sections[0] == &before[0] || !c.SeenEnd {
		t.Error("colours were not taken, or made the call unread")
	}
}

// An edit of one line is on the screen whole in a window of 80×24, so that a acts at once.
func TestSmallEditIsSeenWhole(t *testing.T) {
	s, _ := fileCall(t, strings.Repeat("line\n", 40)+"two\n"+strings.Repeat("line\n", 40))
	view := s.draw(80, 24)
	if c := s.m.card(); !c.SeenEnd || !strings.Contains(view, "a allow") {
		t.Errorf("it is not seen whole:\n%s", view)
	}
}

func TestViewKeys(t *testing.T) {
	s, _ := fileCall(t, strings.Repeat("line\n", 40)+"two\n"+strings.Repeat("line\n", 40))
	s.m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	for _, step := range []struct {
		key, note string
		want      []string
	}{
		{"+", "10 unchanged lines around each change", []string{"⋯ 30 unchanged", "31   line"}},
		{"+", "30 unchanged lines around each change", []string{"⋯ 10 unchanged"}},
		{"+", "all unchanged lines", []string{" 1   line"}},
		{"+", "all unchanged lines are drawn already", nil},
		{"-", "30 unchanged lines around each change", nil},
		{"-", "10 unchanged lines around each change", nil},
		{"-", "3 unchanged lines around each change", []string{"⋯ 37 unchanged"}},
		{"-", "0 unchanged lines around each change", []string{"⋯ 40 unchanged"}},
		{"-", "no unchanged line is drawn already", nil},
		{"v", "old and new beside each other", []string{"41 − two", " │ 41 + 2"}},
		{"v", "old and new one below the other", nil},
	} {
		*s.m.queue().Scrolled() = 0
		view := s.draw(120, 40, step.key)
		for _, want := range append(step.want, step.note) {
			if !strings.Contains(view, want) {
				t.Errorf("after %s %q is not drawn:\n%s", step.key, want, view)
			}
		}
	}
	if view := s.draw(80, 24, "v"); !strings.Contains(view, "83 columns") || strings.Contains(view, " │ 41 + 2") {
		t.Errorf("in a narrow window:\n%s", view)
	}
	if view := s.draw(120, 40); !strings.Contains(view, " │ 41 + 2") {
		t.Errorf("the choice is forgotten:\n%s", view)
	}
}

// Unfolding leaves the line in the first row where it is.
func TestUnfoldingKeepsThePlace(t *testing.T) {
	var file strings.Builder
	for i := range 300 {
		file.WriteString(strings.Repeat("x", i%7) + " line\n")
		if i == 200 {
			file.WriteString("two\n")
		}
	}
	s, _ := fileCall(t, file.String())
	s.draw(120, 40, "+", "+", "+", "enter")
	d := s.m.sheet()
	for _, a := range d.Anchors {
		if a.Line == 190 {
			*s.m.queue().Scrolled() = a.Row
		}
	}
	s.draw(120, 40, "v")
	d = s.m.sheet()
	if got := d.AnchorAt(*s.m.queue().Scrolled()); got == nil || got.Line != 190 {
		t.Errorf("the first row is %+v, want line 190", got)
	}
}

func TestSayingsOfFiles(t *testing.T) {
	if got := change.StampFile(filepath.Join(t.TempDir(), "none")); got != "" {
		t.Errorf("a file that is missing has the stamp %q", got)
	}
	if got := (change.Changes{List: []change.Change{{Path: "x\x00y"}, {}}}).Targets("/tmp"); len(got) != 0 {
		t.Errorf("%q would be read", got)
	}
	var list []change.Change
	for range 3 * change.MaxTargets {
		list = append(list, change.Change{Path: "f" + strings.Repeat("x", len(list))})
	}
	if got := (change.Changes{List: list}).Targets("/tmp"); len(got) != change.MaxTargets || got[0] != "/tmp/f" {
		t.Errorf("%d files would be read, the first %q", len(got), got[0])
	}
	if got := (change.Changes{List: list[:1]}).Targets(""); len(got) != 0 {
		t.Errorf("without a folder %q would be read", got)
	}
}

// An edit that would blow its file up is drawn by itself.
func TestEditThatBlowsUp(t *testing.T) {
	c := change.Change{Kind: change.Replaces, Path: "/x", Edits: []change.Replacement{{Old: "a", Fresh: strings.Repeat("b", 1000), All: true}}}
	start := time.Now()
	list := change.Changes{List: []change.Change{c}}.Compare(map[string]change.File{"/x": {Done: true, Text: strings.Repeat("a", change.MaxFile)}}, "/", time.Second)
	if list[0].Numbered || len(list[0].Says) == 0 || time.Since(start) > 5*time.Second {
		t.Errorf("numbered %v, %+v, after %v", list[0].Numbered, list[0].Says, time.Since(start))
	}
}

// Other agents' words for edits are drawn as edits too.
func TestEditsOfOtherAgents(t *testing.T) {
	file := map[string]change.File{"/p/x.go": change.Result([]byte("one\ntwo\ntwo\n"), nil, tuitest.Noon)}
	for name, tc := range map[string]struct {
		agent, tool string
		input       any
		want        []string
	}{
		"Gemini replace": {"gemini", "replace", map[string]any{"file_path": "/p/x.go", "old_string": "two", "new_string": "2", "allow_multiple": true, "instruction": "all of them"}, []string{"2 − two", "3 − two", "3 + 2", "instruction", "all of them"}},
		"Gemini write":   {"gemini", "write_file", map[string]any{"file_path": "x.go", "content": "one\nTWO\ntwo\n"}, []string{"2 − two", "2 + TWO", "3   two"}},
		"Codex patch":    {"codex", "apply_patch", map[string]any{"command": "*** Begin Patch\n*** Update File: x.go\n@@\n one\n-two\n+2\n*** End Patch\n"}, []string{"update  x.go", "1   one", "2 − two", "2 + 2", "3   two"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := tuitest.NewCall("r1", "s1", tc.tool, tuitest.Noon, tc.input)
			r.Agent, r.CWD = tc.agent, "/p"
			cs, ok := change.ChangesOf(r)
			if !ok {
				t.Fatal("no changes")
			}
			a := callview.Around{Loc: time.UTC, Sections: cs.Compare(file, r.CWD, time.Minute), Rest: cs.Rest}
			d := callview.LayOut(tuitest.PlainStyles(), r, a, 100)
			text := strings.Join(d.Rows[:d.CallEnd], "\n")
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not drawn:\n%s", want, text)
				}
			}
		})
	}
}
