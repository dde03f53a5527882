package change

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/tui/figures"
)

// maxGrown is how large a file may grow by an edit to be drawn whole, in bytes.
const maxGrown = 2 * MaxFile

// editSections places a change's replacements in its file, one after the other: each
// finds what those before it left.
func editSections(c Change, path string, now map[string]File) []Section {
	var list []Section
	f := now[path]
	for i, e := range c.Edits {
		s := Section{Path: c.Path, Named: c.Named && i == 0, Lang: c.Path, Old: e.Old, Fresh: e.Fresh, Rest: e.rest}
		if len(c.Edits) > 1 {
			s.Title = fmt.Sprintf("edit %d of %d", i+1, len(c.Edits))
		}
		fresh, ok := s.place(e, f)
		if ok {
			f.Text, f.Missing = fresh, false
		} else if f.compared() {
			f = File{Wanted: true, Done: true, Problem: "an edit before this one could not be placed", At: f.At}
		}
		if e.Old == e.Fresh {
			s.tell("old and new text are the same")
		}
		list = append(list, s)
	}
	if path != "" {
		now[path] = f
	}
	return list
}

// place finds a replacement in its file and says how it went; fresh is the file after it.
// A later one than the first finds what those before it left.
func (s *Section) place(e Replacement, f File) (fresh string, ok bool) {
	switch {
	case !f.compared():
		s.without(f)
		return "", false
	case e.Old == "":
		return s.placeNew(e, f)
	case f.Missing:
		s.fail("there is no such file: this edit would fail")
		return "", false
	}
	text, old, fresh := f.Text, e.Old, e.Fresh
	n := strings.Count(text, old)
	if n == 0 && lineEnd(text) == "CR LF" && lineEnd(old+"\n") == "LF" {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if n = strings.Count(text, old); n > 0 {
			s.tell("the file ends its lines in CR LF, the edit in LF: drawn as if both had LF")
		}
	}
	switch {
	case n == 0:
		s.fail("the old text is not in the file: this edit fails, unless the agent accepts text that is nearly the same")
		return "", false
	case n > 1 && !e.All:
		s.fail("the old text is in the file " + figures.Count(n) + " times, and the edit is for one place: it would fail")
		return "", false
	case len(text)+n*(len(fresh)-len(old)) > maxGrown:
		s.warn("the old text is in the file " + figures.Count(n) + " times: too much to draw all of it in its place")
		return "", false
	}
	if n > 1 {
		s.tell("the old text is in the file " + figures.Count(n) + " times: all of them are replaced")
	}
	s.Old, s.Fresh, s.Numbered = text, strings.ReplaceAll(text, old, fresh), true
	return s.Fresh, true
}

// placeNew is place for an edit without an old text: it makes a file.
func (s *Section) placeNew(e Replacement, f File) (fresh string, ok bool) {
	switch {
	case f.Missing:
		s.Whole = true
		s.tell("a new file")
	case f.Text == "":
		s.tell("the file is empty")
		s.Numbered = true
	default:
		s.fail("the edit has no old text, and there is a file already: it would fail")
		return "", false
	}
	return e.Fresh, true
}

func (s *Section) fail(why string) {
	s.failed = true
	s.warn(why)
}
