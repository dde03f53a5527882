package change

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/patch"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/diff"
)

// changeKind says what a call does to a file.
type changeKind uint8

// The kinds of change.
const (
	Replaces  changeKind = iota // replaces texts in it
	Writes                      // gives it a whole new text
	EditsCell                   // a cell of a notebook
	Patches                     // a part of a patch
)

// Change is what a call does to one file.
type Change struct {
	Kind  changeKind
	Path  string        // as the agent wrote it; may be empty
	Named bool          // the call has a path that is a text
	Edits []Replacement // changeEdit
	Text  string        // changeWrite: the new text
	Cell  Cell          // changeCell
	Part  patch.File
}

// Replacement is one of a text that an agent wants to make.
type Replacement struct {
	Old, Fresh string
	All        bool         // everywhere, not in one place
	rest       []wire.Field // its other fields
}

// Changes are what a call does to files, read from its common words, and the fields of
// its input that they do not show.
type Changes struct {
	List []Change
	Rest []wire.Field

	Known map[[2]string][]diff.Line // texts compared already; nil when that is not kept
}

// changing are the tools that change files.
var changing = []string{"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch"}

// patchFields are what agents call the text of a patch. Of one that has several nobody
// knows here which one its agent reads.
var patchFields = []string{"command", "input", "patch", "patchText"}

// ReadChanges takes a call apart; false when it is none that changes files, or not of a
// shape that we know.
func ReadChanges(tool string, c Input) (Changes, bool) {
	if c.Broken != "" {
		return Changes{}, false
	}
	switch tool {
	case "Edit", "MultiEdit":
		edits, ok := readEdits(tool, c)
		one := Change{Kind: Replaces, Edits: edits}
		one.Path, one.Named = c.Text("file_path")
		return Changes{List: []Change{one}, Rest: c.Without(shownFields("file_path", one.Named, editFields[tool]...)...)}, ok
	case "Write":
		text, ok := c.Text("content")
		one := Change{Kind: Writes, Text: text}
		one.Path, one.Named = c.Text("file_path")
		return Changes{List: []Change{one}, Rest: c.Without(shownFields("file_path", one.Named, "content")...)}, ok
	case "NotebookEdit":
		return readCell(c)
	case "apply_patch":
		return readPatch(c)
	}
	return Changes{}, false
}

var editFields = map[string][]string{"Edit": {"old_string", "new_string"}, "MultiEdit": {"edits"}}

// shownFields are fields that the drawing of a change shows; a path that is no text is
// drawn among the others.
func shownFields(path string, named bool, others ...string) []string {
	if named {
		return append([]string{path}, others...)
	}
	return others
}

// readEdits takes the replacements out of an Edit's or a MultiEdit's input; false
// when the input is not of that shape.
func readEdits(tool string, c Input) ([]Replacement, bool) {
	if tool == "Edit" {
		one, ok := readEdit(c)
		return []Replacement{one}, ok
	}
	raw, ok := c.Raw("edits")
	if !ok {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return nil, false
	}
	edits := make([]Replacement, 0, len(items))
	for _, item := range items {
		one := ReadInput(item)
		e, ok := readEdit(one)
		if !ok || one.Broken != "" {
			return nil, false
		}
		e.rest = one.Without("old_string", "new_string")
		edits = append(edits, e)
	}
	return edits, true
}

func readEdit(c Input) (Replacement, bool) {
	old, ok1 := c.Text("old_string")
	fresh, ok2 := c.Text("new_string")
	all, _ := c.Raw("replace_all")
	return Replacement{Old: old, Fresh: fresh, All: IsTrue(all)}, ok1 && ok2
}

// readPatch takes a patch apart. One that we do not vouch for is drawn field by field.
func readPatch(c Input) (Changes, bool) {
	text, field := "", ""
	for _, key := range patchFields {
		s, ok := c.Text(key)
		switch {
		case ok && (field != "" || key == "patchText"): // opencode's, whose reader is not this one
			return Changes{}, false
		case ok:
			text, field = s, key
		}
	}
	files, err := patch.Parse(text)
	if err != nil {
		return Changes{}, false
	}
	all := Changes{Rest: c.Without(field)}
	for _, f := range files {
		all.List = append(all.List, Change{Kind: Patches, Path: f.Path, Named: true, Part: f})
	}
	return all, true
}

// ChangesOf are the changes of a call.
func ChangesOf(r broker.Request) (Changes, bool) {
	tool, input := r.Call()
	if !slices.Contains(changing, tool) {
		return Changes{}, false
	}
	return ReadChanges(tool, ReadInput(input))
}

// MaxTargets is how many files of one call are read to draw it.
const MaxTargets = 64

// Targets are the files that the changes are about, each once, as the agent would find
// them from the folder cwd.
func (cs Changes) Targets(cwd string) []string {
	var list []string
	for _, c := range cs.List {
		for _, path := range []string{c.Path, c.Part.MoveTo} {
			if full, ok := fullPath(path, cwd); ok && !slices.Contains(list, full) && len(list) < MaxTargets {
				list = append(list, full)
			}
		}
	}
	return list
}

// fullPath is a path as the agent would find it; false when it leads nowhere known.
func fullPath(path, cwd string) (string, bool) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return path, filepath.IsAbs(path)
}

// comparePieces compares two pieces of a file for their count. Where both end within a
// line, the rest of that line stands behind both, so that their last lines may be alike.
func comparePieces(old, fresh string) []diff.Line {
	if old != "" && fresh != "" && !strings.HasSuffix(old, "\n") && !strings.HasSuffix(fresh, "\n") {
		old, fresh = old+"\n", fresh+"\n"
	}
	return diff.Compare(old, fresh, diff.WhileDrawing)
}

// Tally counts the lines that the changes bring and take, as far as the call alone
// tells.
func (cs Changes) Tally() (added, gone int) {
	for _, c := range cs.List {
		a, g := c.Part.Counts()
		for _, e := range c.Edits {
			lines, ok := cs.Known[[2]string{e.Old, e.Fresh}]
			if !ok {
				lines = comparePieces(e.Old, e.Fresh)
			}
			if cs.Known != nil {
				cs.Known[[2]string{e.Old, e.Fresh}] = lines
			}
			ea, eg := diff.Tally(lines)
			a, g = a+ea, g+eg
		}
		added, gone = added+a, gone+g
	}
	return added, gone
}
