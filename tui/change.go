package tui

import (
	"encoding/json"
	"path/filepath"
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
	changeEdit  changeKind = iota // replaces texts in it
	changeWrite                   // gives it a whole new text
	changeCell                    // a cell of a notebook
	changePatch                   // a part of a patch
)

// change is what a call does to one file.
type change struct {
	kind  changeKind
	path  string        // as the agent wrote it; may be empty
	named bool          // the call has a path that is a text
	edits []replacement // changeEdit
	text  string        // changeWrite: the new text
	cell  cell          // changeCell
	part  patch.File
}

// replacement is one of a text that an agent wants to make.
type replacement struct {
	old, fresh string
	all        bool         // everywhere, not in one place
	rest       []wire.Field // its other fields
}

// changes are what a call does to files, read from its common words, and the fields of
// its input that they do not show.
type changes struct {
	list []change
	rest []wire.Field

	known map[[2]string][]diff.Line // texts compared already; nil when that is not kept
}

// changing are the tools that change files.
var changing = []string{"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch"}

// patchFields are what agents call the text of a patch. Of one that has several nobody
// knows here which one its agent reads.
var patchFields = []string{"command", "input", "patch", "patchText"}

// readChanges takes a call apart; false when it is none that changes files, or not of a
// shape that we know.
func readChanges(tool string, c call) (changes, bool) {
	if c.broken != "" {
		return changes{}, false
	}
	switch tool {
	case "Edit", "MultiEdit":
		edits, ok := readEdits(tool, c)
		one := change{kind: changeEdit, edits: edits}
		one.path, one.named = c.text("file_path")
		return changes{list: []change{one}, rest: c.without(shownFields("file_path", one.named, editFields[tool]...)...)}, ok
	case "Write":
		text, ok := c.text("content")
		one := change{kind: changeWrite, text: text}
		one.path, one.named = c.text("file_path")
		return changes{list: []change{one}, rest: c.without(shownFields("file_path", one.named, "content")...)}, ok
	case "NotebookEdit":
		return readCell(c)
	case "apply_patch":
		return readPatch(c)
	}
	return changes{}, false
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
func readEdits(tool string, c call) ([]replacement, bool) {
	if tool == "Edit" {
		one, ok := readEdit(c)
		return []replacement{one}, ok
	}
	raw, ok := c.raw("edits")
	if !ok {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return nil, false
	}
	edits := make([]replacement, 0, len(items))
	for _, item := range items {
		one := readCall(item)
		e, ok := readEdit(one)
		if !ok || one.broken != "" {
			return nil, false
		}
		e.rest = one.without("old_string", "new_string")
		edits = append(edits, e)
	}
	return edits, true
}

func readEdit(c call) (replacement, bool) {
	old, ok1 := c.text("old_string")
	fresh, ok2 := c.text("new_string")
	all, _ := c.raw("replace_all")
	return replacement{old: old, fresh: fresh, all: isTrue(all)}, ok1 && ok2
}

// readPatch takes a patch apart. One that we do not vouch for is drawn field by field.
func readPatch(c call) (changes, bool) {
	text, field := "", ""
	for _, key := range patchFields {
		s, ok := c.text(key)
		switch {
		case ok && (field != "" || key == "patchText"): // opencode's, whose reader is not this one
			return changes{}, false
		case ok:
			text, field = s, key
		}
	}
	files, err := patch.Parse(text)
	if err != nil {
		return changes{}, false
	}
	all := changes{rest: c.without(field)}
	for _, f := range files {
		all.list = append(all.list, change{kind: changePatch, path: f.Path, named: true, part: f})
	}
	return all, true
}

// changesOf are the changes of a call.
func changesOf(r broker.Request) (changes, bool) {
	tool, input := r.Call()
	if !contains(changing, tool) {
		return changes{}, false
	}
	return readChanges(tool, readCall(input))
}

// maxTargets is how many files of one call are read to draw it.
const maxTargets = 64

// targets are the files that the changes are about, each once, as the agent would find
// them from the folder cwd.
func (cs changes) targets(cwd string) []string {
	var list []string
	for _, c := range cs.list {
		for _, path := range []string{c.path, c.part.MoveTo} {
			if full, ok := fullPath(path, cwd); ok && !contains(list, full) && len(list) < maxTargets {
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

// tally counts the lines that the changes bring and take, as far as the call alone
// tells.
func (cs changes) tally() (added, gone int) {
	for _, c := range cs.list {
		a, g := c.part.Counts()
		for _, e := range c.edits {
			lines, ok := cs.known[[2]string{e.old, e.fresh}]
			if !ok {
				lines = comparePieces(e.old, e.fresh)
			}
			if cs.known != nil {
				cs.known[[2]string{e.old, e.fresh}] = lines
			}
			ea, eg := diff.Tally(lines)
			a, g = a+ea, g+eg
		}
		added, gone = added+a, gone+g
	}
	return added, gone
}
