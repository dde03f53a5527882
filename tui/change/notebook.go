package change

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/figures"
)

// Cell is what a NotebookEdit does to a cell.
type Cell struct {
	ID     string
	Mode   string // replace, insert or delete
	kind   string // code or markdown; may be empty
	Source string
}

// readCell takes a NotebookEdit apart.
func readCell(c Input) (Changes, bool) {
	one := Change{Kind: EditsCell}
	one.Path, one.Named = c.Text("notebook_path")
	shown := shownFields("notebook_path", one.Named, "new_source")
	source, ok := c.Text("new_source")
	one.Cell.Source = source
	one.Cell.Mode = "replace"
	for key, field := range map[string]*string{"cell_id": &one.Cell.ID, "edit_mode": &one.Cell.Mode, "cell_type": &one.Cell.kind} {
		if _, has := c.Raw(key); !has {
			continue
		}
		text, isText := c.Text(key)
		if !isText {
			return Changes{}, false
		}
		*field = text
	}
	rest := c.Without(shown...)
	if one.Cell.Mode == "delete" && source != "" { // nothing is written: what stands there is a field like others
		if raw, ok := c.Raw("new_source"); ok {
			rest = append(rest, wire.Field{Key: "new_source", Value: raw})
		}
	}
	return Changes{List: []Change{one}, Rest: rest}, ok || one.Cell.Mode == "delete"
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
	if s, ok := StringValue(raw); ok {
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
func cellSection(c Change, f File) Section {
	s := Section{Path: c.Path, Named: c.Named, Fresh: c.Cell.Source, Lang: notebook{}.language(c.Cell.kind)}
	if c.Cell.Mode == "delete" {
		s.Fresh = ""
	}
	var n notebook
	switch {
	case !f.compared():
		s.without(f)
		return s
	case f.Missing:
		s.warn("there is no such file: this edit would fail")
		return s
	case json.Unmarshal([]byte(f.Text), &n) != nil:
		s.warn("the file is no notebook that can be read: this edit would fail")
		return s
	}
	s.Numbered = true
	at := n.find(c.Cell.ID)
	kind := c.Cell.kind
	if at >= 0 && kind == "" {
		kind = n.Cells[at].Type
	}
	s.Lang = n.language(kind)
	switch {
	case c.Cell.Mode == "insert" && at < 0 && c.Cell.ID == "":
		s.tell("a new cell, the first one of " + figures.Plural(len(n.Cells), "cell") + " so far")
	case at < 0:
		s.warn("the notebook has no such cell: this edit would fail")
	case c.Cell.Mode == "insert":
		s.tell("a new cell behind cell " + figures.Count(at+1) + " of " + figures.Count(len(n.Cells)))
	default:
		source, ok := n.source(at)
		if !ok {
			s.warn("the cell cannot be read, so its text is not shown")
			return s
		}
		s.Old = source
		s.tell("cell " + figures.Count(at+1) + " of " + figures.Count(len(n.Cells)))
	}
	return s
}
