package programs

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// book is what all pages say. It is complete before anybody sees it and never changes after
// that.
type book struct {
	rows  map[string]*Row
	kinds map[Kind]map[string]bool
	words map[string]int
}

// readAll reads every page of a folder.
func readAll(folder fs.FS) (*book, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	all := &book{rows: map[string]*Row{}, kinds: map[Kind]map[string]bool{}, words: map[string]int{}}
	for k := range kinds {
		all.kinds[k] = map[string]bool{}
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		p := page{book: all, lists: map[string]string{}}
		if err := p.read(string(text)); err != nil {
			return nil, fmt.Errorf("page %s, line %d: %w", name, p.line, err)
		}
	}
	return all, nil
}

// page is a page that is being read.
type page struct {
	*book
	lists map[string]string // of "let"
	open  []*block          // those that the line stands in, the outermost first
	line  int
}

// block is a row while facts are added to it.
type block struct {
	names []string
	rows  map[string]*Row // that the row is in; nil for names without one
	row   *Row
	sub   bool
	said  map[string]bool
}

// read takes the lines of a page. Empty ones and comments count for nothing, and end no block.
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
	if depth > len(p.open) || depth == 0 && key != "program" && key != "name" && key != "let" {
		return errors.New("it stands in no block")
	}
	p.open = p.open[:depth]
	switch {
	case rest != strings.Join(strings.Fields(rest), " "):
		return errors.New("it has odd blanks")
	case rest == "":
		return fmt.Errorf("nothing follows %q", key)
	case depth > 0 && key == "sub" && p.open[depth-1].row != nil:
		in := p.open[depth-1].row
		if in.Subs == nil {
			in.Subs = map[string]*Row{}
		}
		return p.begin(&block{rows: in.Subs, row: &Row{}, sub: true}, rest)
	case depth > 0:
		return p.say(p.open[depth-1], key, rest)
	case key == "program":
		return p.begin(&block{rows: p.rows, row: &Row{}}, rest)
	case key == "name":
		return p.begin(&block{}, rest)
	}
	return p.let(rest)
}

// let notes a list of options under a name. It holds for the lines below it, on this page
// alone.
func (p *page) let(rest string) error {
	name, list, _ := strings.Cut(rest, " ")
	if p.lists[name] != "" || list == "" {
		return fmt.Errorf("the list %q is empty or there already", name)
	}
	p.lists[name] = list
	return nil
}

// begin opens a block for several names.
func (p *page) begin(b *block, names string) error {
	b.said = map[string]bool{}
	p.open = append(p.open, b)
	return b.add(names)
}

// add gives the row of a block to more names.
func (b *block) add(names string) error {
	for _, name := range strings.Fields(names) {
		if slices.Contains(b.names, name) || b.rows[name] != nil {
			return fmt.Errorf("%s has a block already", name)
		}
		b.names = append(b.names, name)
		if b.rows != nil {
			b.rows[name] = b.row
		}
	}
	return nil
}

// say adds a fact to a block. Names and lists of options may go on in a further line.
func (p *page) say(b *block, key, rest string) error {
	if key == "also" && len(b.said) == 0 {
		return b.add(rest)
	}
	list := b.row.list(key)
	if b.said[key] && list == nil {
		return fmt.Errorf("%q is said already, or too late", key)
	}
	b.said[key] = true
	switch {
	case key == "kinds" && !b.sub:
		return p.kindsOf(b.names, rest)
	case key == "words" && !b.sub:
		return p.wordsOf(b.names, rest)
	case b.row == nil:
		return fmt.Errorf("%q is no fact about a name without a row", key)
	case key == "as":
		return b.as(rest)
	case list != nil:
		return p.options(list, rest)
	}
	return b.row.say(key, rest)
}

// as gives a block the row of another program. Nothing else may be said of it.
func (b *block) as(name string) error {
	other := b.rows[name]
	if other == nil || !reflect.DeepEqual(*b.row, Row{}) {
		return fmt.Errorf("there is no %q before it, or more is said", name)
	}
	for _, n := range b.names {
		b.rows[n] = other
	}
	b.row = nil
	return nil
}

// kindsOf says of which kinds some programs are.
func (p *page) kindsOf(names []string, rest string) error {
	for _, word := range strings.Fields(rest) {
		set := p.kinds[Kind(word)]
		if set == nil {
			return fmt.Errorf("there is no kind %q", word)
		}
		for _, name := range names {
			if set[name] {
				return fmt.Errorf("%s is %q already", name, word)
			}
			set[name] = true
		}
	}
	return nil
}

// wordsOf says how many words name what some programs do.
func (p *page) wordsOf(names []string, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number of words", rest)
	}
	for _, name := range names {
		if p.words[name] > 0 {
			return fmt.Errorf("the words of %s are said already", name)
		}
		p.words[name] = n
	}
	return nil
}

// say sets a fact that is no list.
func (r *Row) say(key, rest string) error {
	text := map[string]*string{"last": &r.Last, "whole": &r.Whole, "never": &r.Never, "other": &r.Other, "then": &r.Then, "by": &r.By}
	switch {
	case text[key] != nil:
		*text[key] = rest
		return nil
	case key == "is":
		return r.are(rest)
	case key == "skip":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of operands", rest)
		}
		r.Skip = n
		return nil
	}
	return fmt.Errorf("nobody knows the fact %q", key)
}

// list is the list of options that a fact is about, nil for other facts.
func (r *Row) list(key string) *string {
	if r == nil {
		return nil
	}
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

// options adds options to a list. A word that begins with an @ is a list of the page. The order
// is kept, but nothing depends on it.
func (p *page) options(list *string, rest string) error {
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

// plainOption reports whether a word of a list is options: dashes and a name, with = or ?
// behind it. Anything else is a slip of the pen, which would silently be no option of any
// command.
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
