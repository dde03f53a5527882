package tui

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/tui/draw"
)

// maxGrown is how large a file may grow by an edit to be drawn whole, in bytes.
const maxGrown = 2 * maxFile

// editSections places a change's replacements in its file, one after the other: each
// finds what those before it left.
func editSections(c change, path string, now map[string]fileState) []section {
	var list []section
	f := now[path]
	for i, e := range c.edits {
		s := section{path: c.path, named: c.named && i == 0, lang: c.path, old: e.old, fresh: e.fresh, rest: e.rest}
		if len(c.edits) > 1 {
			s.title = fmt.Sprintf("edit %d of %d", i+1, len(c.edits))
		}
		fresh, ok := s.place(e, f, i > 0)
		if ok {
			f.text, f.missing = fresh, false
		} else if f.compared() {
			f = fileState{wanted: true, done: true, problem: "an edit before this one could not be placed", at: f.at}
		}
		if e.old == e.fresh {
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
func (s *section) place(e replacement, f fileState, later bool) (fresh string, ok bool) {
	switch {
	case !f.compared():
		s.without(f)
		return "", false
	case e.old == "":
		return s.placeNew(e, f)
	case f.missing:
		s.fail("there is no such file: this edit would fail")
		return "", false
	}
	text, old, fresh := f.text, e.old, e.fresh
	n := strings.Count(text, old)
	if n == 0 && lineEnd(text) == "CR LF" && lineEnd(old+"\n") == "LF" {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if n = strings.Count(text, old); n > 0 {
			s.tell("the file ends its lines in CR LF, the edit in LF: drawn as if both had LF")
		}
	}
	switch {
	case n == 0:
		s.fail("the old text is not in the file: this edit would fail, unless the agent takes a place that is like it")
		return "", false
	case n > 1 && !e.all:
		s.fail("the old text is in the file " + draw.Count(n) + " times, and the edit is for one place: it would fail")
		return "", false
	case len(text)+n*(len(fresh)-len(old)) > maxGrown:
		s.warn("the old text is in the file " + draw.Count(n) + " times: too much to draw all of it in its place")
		return "", false
	}
	if n > 1 {
		s.tell("the old text is in the file " + draw.Count(n) + " times: all of them are replaced")
	}
	s.old, s.fresh, s.numbered = text, strings.ReplaceAll(text, old, fresh), true
	if later {
		s.tell("in the file as the edits before leave it")
	} else {
		s.located(f)
	}
	return s.fresh, true
}

// placeNew is place for an edit without an old text: it makes a file.
func (s *section) placeNew(e replacement, f fileState) (fresh string, ok bool) {
	switch {
	case f.missing:
		s.whole = true
		s.tell("a new file")
	case f.text == "":
		s.tell("the file is empty")
		s.numbered = true
	default:
		s.fail("the edit has no old text, and there is a file already: it would fail")
		return "", false
	}
	return e.fresh, true
}

func (s *section) fail(why string) {
	s.failed = true
	s.warn(why)
}
