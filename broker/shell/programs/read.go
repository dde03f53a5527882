package programs

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// readAll reads every page of a folder.
func readAll(folder fs.FS) (map[string]*Row, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	rows := map[string]*Row{}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		p := page{rows: rows, lists: map[string]string{}}
		if err := p.read(string(text)); err != nil {
			return nil, fmt.Errorf("page %s, line %d: %w", name, p.line, err)
		}
	}
	return rows, nil
}

// page is a page that is being read.
type page struct {
	rows  map[string]*Row
	lists map[string]string // of "let"
	open  []block           // those that the line stands in, the outermost first
	line  int
}

// block is a row while facts are added to it.
type block struct {
	rows map[string]*Row // that the row is in
	row  *Row
	said map[string]bool
}

func (p *page) read(text string) error {
	for line := range strings.Lines(text) {
		p.line++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		said := strings.TrimLeft(line, "\t")
		key, rest, _ := strings.Cut(said, " ")
		if err := p.fact(len(line)-len(said), key, rest); err != nil {
			return err
		}
	}
	return nil
}

// fact takes one line, which stands depth tabs in.
func (p *page) fact(depth int, key, rest string) error {
	if depth > len(p.open) || depth == 0 && key != "program" && key != "let" {
		return errors.New("it stands in no block")
	}
	p.open = p.open[:depth]
	switch {
	case rest != strings.Join(strings.Fields(rest), " "):
		return errors.New("it has odd blanks")
	case key == "let" && depth == 0:
		name, list, _ := strings.Cut(rest, " ")
		if p.lists[name] != "" || list == "" {
			return fmt.Errorf("the list %q is empty or there already", name)
		}
		p.lists[name] = list
		return nil
	case key == "program" && depth == 0:
		return p.begin(p.rows, rest)
	case key == "sub" && depth > 0:
		in := p.open[depth-1].row
		if in.Subs == nil {
			in.Subs = map[string]*Row{}
		}
		return p.begin(in.Subs, rest)
	}
	return p.say(p.open[depth-1], key, rest)
}

// begin opens a block for several names.
func (p *page) begin(rows map[string]*Row, names string) error {
	b := block{rows: rows, row: &Row{}, said: map[string]bool{}}
	p.open = append(p.open, b)
	return b.names(names)
}

// names gives the row of a block to several names.
func (b block) names(names string) error {
	if names == "" {
		return errors.New("it names nothing")
	}
	for _, name := range strings.Fields(names) {
		if b.rows[name] != nil {
			return fmt.Errorf("%s has a block already", name)
		}
		b.rows[name] = b.row
	}
	return nil
}

// say adds a fact to a block. Names and lists of options may go on in a further line.
func (p *page) say(b block, key, rest string) error {
	if key == "also" {
		return b.names(rest)
	}
	if list := b.row.list(key); list != nil {
		return p.options(list, rest)
	}
	if b.said[key] {
		return fmt.Errorf("%q is said already", key)
	}
	b.said[key] = true
	text := map[string]*string{"last": &b.row.Last, "whole": &b.row.Whole, "never": &b.row.Never, "other": &b.row.Other, "then": &b.row.Then, "by": &b.row.By}
	switch {
	case rest == "":
		return fmt.Errorf("nothing follows %q", key)
	case text[key] != nil:
		*text[key] = rest
		return nil
	case key == "is":
		return b.row.are(rest)
	case key == "skip":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of operands", rest)
		}
		b.row.Skip = n
		return nil
	}
	return fmt.Errorf("nobody knows the fact %q", key)
}

// list is the list of options that a fact is about, nil for other facts.
func (r *Row) list(key string) *string {
	switch key {
	case "ok":
		return &r.OK
	case "reads":
		return &r.Reads
	case "writes":
		return &r.Writes
	case "spills":
		return &r.Spills
	case "code":
		return &r.Code
	case "loads":
		return &r.Loads
	case "exact":
		return &r.Exact
	case "unsure":
		return &r.Unsure
	}
	return nil
}

// options adds options to a list. A word that begins with an @ is a list of the page.
func (p *page) options(list *string, rest string) error {
	if rest == "" {
		return errors.New("the list is empty")
	}
	for _, word := range strings.Fields(rest) {
		if name, ok := strings.CutPrefix(word, "@"); ok {
			if word = p.lists[name]; word == "" {
				return fmt.Errorf("there is no list %q", name)
			}
		} else if !plainOption(word) {
			return fmt.Errorf("%q is no option", word)
		}
		*list = strings.TrimPrefix(*list+" "+word, " ")
	}
	return nil
}

// plainOption reports whether a word of a list is options: dashes and a name, with = or ? behind it.
func plainOption(word string) bool {
	name := strings.TrimRight(word, "=?")
	return len(word)-len(name) < 2 && len(name) > 1 && name[0] == '-' && !strings.ContainsAny(name, "=? \t")
}

// are sets what a row is.
func (r *Row) are(rest string) error {
	for _, word := range strings.Fields(rest) {
		flags := map[string]*bool{"lax": &r.Lax, "stop": &r.Stop, "mild": &r.Mild, "single": &r.Single, "builtin": &r.Builtin, "wraps": &r.Wraps}
		if flags[word] == nil || *flags[word] {
			return fmt.Errorf("it is %q twice, or nobody knows what that is", word)
		}
		*flags[word] = true
	}
	return nil
}
