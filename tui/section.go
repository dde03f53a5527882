package tui

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/patch"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/syntax"
)

// section is one comparison of a call: what stands in a file and what would, as far as
// both are known.
type section struct {
	title  string // safe to draw; empty for the only one of a file
	verb   string // what a patch does to the file
	path   string // raw
	moveTo string // raw: the file's new name
	named  bool   // path is to be drawn
	says   []saying

	old, fresh string
	numbered   bool // lines have the numbers of the file, or of a notebook's cell
	whole      bool // there is nothing to compare with: fresh is drawn as it is
	parts      []patch.Hunk
	rest       []wire.Field

	lines []diff.Line

	lang           string // a file's name or a language's; raw
	inOld, inFresh []syntax.Span
	failed         bool // the agent could not make this change
}

// saying is a sentence of ours about a section.
type saying struct {
	ink  draw.Ink
	text string // safe to draw
}

func (s *section) tell(text string) { s.says = append(s.says, saying{draw.Muted, text}) }

func (s *section) warn(text string) { s.says = append(s.says, saying{draw.Warn, "! " + text}) }

// without says why the file is not compared with.
func (s *section) without(f fileState) {
	switch {
	case f.wanted && !f.done:
		s.tell("reading the file to compare …")
	case f.problem != "":
		s.warn("cannot compare with the file: " + draw.SafeLine(f.problem))
	}
}

// against compares fresh with the whole file.
func (s *section) against(f fileState, missing, replaced string) {
	switch {
	case !f.compared():
		s.whole = true
		s.without(f)
	case f.missing:
		s.whole = true
		s.tell(missing)
	default:
		s.old, s.numbered = f.text, true
		if replaced != "" {
			s.warn(replaced)
		}
		if f.text == s.fresh {
			s.whole = true
			s.tell("the file already has exactly this text (" + draw.Plural(draw.CountLines(s.fresh), "line") + ")")
			return
		}
		s.tell("compared with the file as it was at " + f.clock())
		s.lineEnds(f.text, s.fresh)
	}
}

func (s *section) located(f fileState) { s.tell("in the file as it was at " + f.clock()) }

// lineEnds remarks that the two texts end their lines otherwise.
func (s *section) lineEnds(old, fresh string) {
	if a, b := lineEnd(old), lineEnd(fresh); a != b && a != "" && b != "" {
		s.warn("the file ends its lines in " + a + ", the new text in " + b)
	}
}

// lineEnd names how a text ends its lines, "" when it has none.
func lineEnd(text string) string {
	all, carriage := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case all == 0:
		return ""
	case carriage == 0:
		return "LF"
	case carriage == all:
		return "CR LF"
	}
	return "both LF and CR LF"
}

// compare compares a call's changes with the files they are about, by full path. It
// takes no longer than limit, roughly.
func (cs changes) compare(files map[string]fileState, cwd string, limit time.Duration) []section {
	now := make(map[string]fileState, len(files)) // as the changes before leave them
	for path, f := range files {
		now[path] = f
	}
	var list []section
	for _, c := range cs.list {
		path, _ := fullPath(c.path, cwd)
		switch c.kind {
		case changeEdit:
			list = append(list, editSections(c, path, now)...)
		case changeWrite:
			s := section{path: c.path, named: c.named, fresh: c.text, lang: c.path}
			s.against(now[path], "a new file", "")
			list = append(list, s)
		case changeCell:
			list = append(list, cellSection(c, now[path]))
		case changePatch:
			to, _ := fullPath(c.part.MoveTo, cwd)
			s := patchSection(c, now[path], now[to])
			leave(now, path, to, c.part.Op, s)
			list = append(list, s)
		}
	}
	deadline := time.Now().Add(limit)
	for i := range list {
		list[i].compare(cs.known, max(time.Until(deadline), time.Millisecond))
	}
	return list
}

// leave notes what a patch's part makes of its files, for the parts after it.
func leave(now map[string]fileState, path, to string, op patch.Op, s section) {
	f := now[path]
	if !f.compared() || op == patch.Update && !s.numbered {
		return
	}
	f.text, f.missing = s.fresh, op == patch.Delete
	now[path] = f
	if to != "" {
		f.at = now[to].at
		now[to] = f
		now[path] = fileState{wanted: true, done: true, missing: true, at: f.at}
	}
}

// compare lists the lines of a section.
func (s *section) compare(known map[[2]string][]diff.Line, limit time.Duration) {
	switch {
	case s.whole:
		s.lines = diff.Compare("", s.fresh, limit)
		s.old = ""
	case len(s.parts) > 0:
		s.lines = nil
		for _, h := range s.parts {
			s.lines = append(s.lines, hunkComparison(h)...)
		}
	default:
		var ok bool
		if s.lines, ok = known[[2]string{s.old, s.fresh}]; !ok {
			s.lines = diff.Compare(s.old, s.fresh, limit)
		}
	}
}

// hunkComparison is a hunk that could not be placed in its file, line by line as it came.
func hunkComparison(h patch.Hunk) []diff.Line {
	var lines []diff.Line
	if h.Header != "" {
		lines = append(lines, diff.Line{Kind: diff.Sought, Text: h.Header + "\n"})
	}
	for _, l := range h.Lines {
		kind := diff.Stays
		switch l.Kind {
		case '+':
			kind = diff.Comes
		case '-':
			kind = diff.Goes
		}
		lines = append(lines, diff.Line{Kind: kind, Text: l.Text + "\n"})
	}
	if h.AtEnd {
		lines = append(lines, diff.Line{Kind: diff.Sought, Text: "\n"})
	}
	return lines
}
