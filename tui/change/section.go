package change

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/patch"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/syntax"
)

// Section is one comparison of a call: what stands in a file and what would, as far as
// both are known.
type Section struct {
	Title  string // safe to draw; empty for the only one of a file
	Verb   string // what a patch does to the file
	Path   string // raw
	MoveTo string // raw: the file's new name
	Named  bool   // path is to be drawn
	Says   []saying

	Old, Fresh string
	Numbered   bool // lines have the numbers of the file, or of a notebook's cell
	Whole      bool // there is nothing to compare with: fresh is drawn as it is
	Parts      []patch.Hunk
	Rest       []wire.Field

	Lines []diff.Line

	Lang           string // a file's name or a language's; raw
	InOld, InFresh []syntax.Span
	failed         bool // the agent could not make this change
}

// saying is a sentence of ours about a section.
type saying struct {
	Ink  draw.Ink
	Text string // safe to draw
}

func (s *Section) tell(text string) { s.Says = append(s.Says, saying{draw.Muted, text}) }

func (s *Section) warn(text string) { s.Says = append(s.Says, saying{draw.Warn, "! " + text}) }

// without says why the file is not compared with.
func (s *Section) without(f File) {
	switch {
	case f.Wanted && !f.Done:
		s.tell("reading the file to compare …")
	case f.Problem != "":
		s.warn("cannot compare with the file: " + draw.SafeLine(f.Problem))
	}
}

// against compares fresh with the whole file.
func (s *Section) against(f File, missing, replaced string) {
	switch {
	case !f.compared():
		s.Whole = true
		s.without(f)
	case f.Missing:
		s.Whole = true
		s.tell(missing)
	default:
		s.Old, s.Numbered = f.Text, true
		if replaced != "" {
			s.warn(replaced)
		}
		if f.Text == s.Fresh {
			s.Whole = true
			s.tell("the file already has exactly this text (" + figures.Plural(draw.CountLines(s.Fresh), "line") + ")")
			return
		}
		s.lineEnds(f.Text, s.Fresh)
	}
}

// lineEnds remarks that the two texts end their lines otherwise.
func (s *Section) lineEnds(old, fresh string) {
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

// Compare compares a call's changes with the files they are about, by full path. It
// takes no longer than limit, roughly.
func (cs Changes) Compare(files map[string]File, cwd string, limit time.Duration) []Section {
	now := make(map[string]File, len(files)) // as the changes before leave them
	for path, f := range files {
		now[path] = f
	}
	var list []Section
	for _, c := range cs.List {
		path, _ := fullPath(c.Path, cwd)
		switch c.Kind {
		case Replaces:
			list = append(list, editSections(c, path, now)...)
		case Writes:
			s := Section{Path: c.Path, Named: c.Named, Fresh: c.Text, Lang: c.Path}
			s.against(now[path], "a new file", "")
			list = append(list, s)
		case EditsCell:
			list = append(list, cellSection(c, now[path]))
		case Patches:
			to, _ := fullPath(c.Part.MoveTo, cwd)
			s := patchSection(c, now[path], now[to])
			leave(now, path, to, c.Part.Op, s)
			list = append(list, s)
		}
	}
	deadline := time.Now().Add(limit)
	for i := range list {
		list[i].Compare(cs.Known, max(time.Until(deadline), time.Millisecond))
	}
	return list
}

// leave notes what a patch's part makes of its files, for the parts after it.
func leave(now map[string]File, path, to string, op patch.Op, s Section) {
	f := now[path]
	if !f.compared() || op == patch.Update && !s.Numbered {
		return
	}
	f.Text, f.Missing = s.Fresh, op == patch.Delete
	now[path] = f
	if to != "" {
		f.At = now[to].At
		now[to] = f
		now[path] = File{Wanted: true, Done: true, Missing: true, At: f.At}
	}
}

// Compare lists the lines of a section.
func (s *Section) Compare(known map[[2]string][]diff.Line, limit time.Duration) {
	switch {
	case s.Whole:
		s.Lines = diff.Compare("", s.Fresh, limit)
		s.Old = ""
	case len(s.Parts) > 0:
		s.Lines = nil
		for _, h := range s.Parts {
			s.Lines = append(s.Lines, hunkComparison(h)...)
		}
	default:
		var ok bool
		if s.Lines, ok = known[[2]string{s.Old, s.Fresh}]; !ok {
			s.Lines = diff.Compare(s.Old, s.Fresh, limit)
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
