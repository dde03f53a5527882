package tui

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/draw"
)

// cell is what a NotebookEdit does to a cell.
type cell struct {
	id     string
	mode   string // replace, insert or delete
	kind   string // code or markdown; may be empty
	source string
}

// readCell takes a NotebookEdit apart.
func readCell(c call) (changes, bool) {
	one := change{kind: changeCell}
	one.path, one.named = c.text("notebook_path")
	shown := shownFields("notebook_path", one.named, "new_source")
	source, ok := c.text("new_source")
	one.cell.source = source
	one.cell.mode = "replace"
	for key, field := range map[string]*string{"cell_id": &one.cell.id, "edit_mode": &one.cell.mode, "cell_type": &one.cell.kind} {
		if _, has := c.raw(key); !has {
			continue
		}
		text, isText := c.text(key)
		if !isText {
			return changes{}, false
		}
		*field = text
	}
	rest := c.without(shown...)
	if one.cell.mode == "delete" && source != "" { // nothing is written: what stands there is a field like others
		if raw, ok := c.raw("new_source"); ok {
			rest = append(rest, wire.Field{Key: "new_source", Value: raw})
		}
	}
	return changes{list: []change{one}, rest: rest}, ok || one.cell.mode == "delete"
}

// notebook is as much of a notebook's file as is needed to draw a change of a cell.
type notebook struct {
	Cells []struct {
		ID     string          `json:"id"`
		Type   string          `json:"cell_type"`
		Source json.RawMessage `json:"source"`
	} `json:"cells"`
	Metadata struct {
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

// find is the place of the cell called id: by its own id, or as agents count cells that
// have none, "cell-0" being the first. It is -1 when there is no such cell.
func (n notebook) find(id string) int {
	for i, c := range n.Cells {
		if id != "" && c.ID == id {
			return i
		}
	}
	if digits, ok := strings.CutPrefix(id, "cell-"); ok {
		if i, err := strconv.Atoi(digits); err == nil && i >= 0 && i < len(n.Cells) {
			return i
		}
	}
	return -1
}

// source is the text of the cell at place i; false when it is no text.
func (n notebook) source(i int) (string, bool) {
	raw := n.Cells[i].Source
	if s, ok := stringValue(raw); ok {
		return s, true
	}
	var lines []string
	if json.Unmarshal(raw, &lines) != nil {
		return "", false
	}
	return strings.Join(lines, ""), true
}

// language is what a cell is written in.
func (n notebook) language(kind string) string {
	switch {
	case kind == "markdown":
		return "markdown"
	case n.Metadata.Language.Name != "":
		return n.Metadata.Language.Name
	}
	return "python"
}

// cellSection draws a change of a cell beside what the file has there. Lines are
// numbered within the cell.
func cellSection(c change, f fileState) section {
	s := section{path: c.path, named: c.named, fresh: c.cell.source, lang: notebook{}.language(c.cell.kind)}
	if c.cell.mode == "delete" {
		s.fresh = ""
	}
	var n notebook
	switch {
	case !f.compared():
		s.without(f)
		return s
	case f.missing:
		s.warn("there is no such file: this edit would fail")
		return s
	case json.Unmarshal([]byte(f.text), &n) != nil:
		s.warn("the file is no notebook that can be read: this edit would fail")
		return s
	}
	s.numbered = true
	at := n.find(c.cell.id)
	kind := c.cell.kind
	if at >= 0 && kind == "" {
		kind = n.Cells[at].Type
	}
	s.lang = n.language(kind)
	switch {
	case c.cell.mode == "insert" && at < 0 && c.cell.id == "":
		s.tell("a new cell, the first one of " + draw.Plural(len(n.Cells), "cell") + " so far")
	case at < 0:
		s.warn("the notebook has no such cell: this edit would fail")
	case c.cell.mode == "insert":
		s.tell("a new cell behind cell " + draw.Count(at+1) + " of " + draw.Count(len(n.Cells)))
	default:
		source, ok := n.source(at)
		if !ok {
			s.warn("the cell cannot be read, so its text is not shown")
			return s
		}
		s.old = source
		s.tell("cell " + draw.Count(at+1) + " of " + draw.Count(len(n.Cells)) + ", compared with the file as it was at " + f.clock())
	}
	return s
}
