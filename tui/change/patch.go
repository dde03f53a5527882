package change

import (
	"strings"

	"github.com/aoctl/aoctl/broker/patch"
)

// patchSection draws one file's part of a patch.
func patchSection(c Change, f, target File) Section {
	s := Section{Path: c.Path, Named: true, Verb: map[patch.Op]string{
		patch.Add: "add", patch.Update: "update", patch.Delete: "delete",
	}[c.Part.Op], Lang: c.Path, MoveTo: c.Part.MoveTo}
	if s.MoveTo != "" && target.Done && target.exists() {
		s.warn("there is a file of the new name already: it would be replaced")
	}
	switch c.Part.Op {
	case patch.Add:
		s.Fresh = linesOf(c.Part.Hunks, "+")
		s.against(f, "a new file", "the patch adds a file that is there already: it would be replaced")
	case patch.Delete:
		s.deleted(f)
	case patch.Update:
		s.updated(c.Part, f)
	}
	return s
}

// linesOf are the lines of hunks that have one of the kinds.
func linesOf(hunks []patch.Hunk, kinds string) string {
	var b strings.Builder
	for _, h := range hunks {
		for _, l := range h.Lines {
			if strings.IndexByte(kinds, l.Kind) >= 0 {
				b.WriteString(l.Text)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

func (s *Section) deleted(f File) {
	switch {
	case f.Done && f.Missing:
		s.warn("there is no such file: this patch would fail")
	case f.compared():
		s.Old, s.Numbered = f.Text, true
		s.tell("all of the file goes")
	default:
		s.without(f)
	}
}

func (s *Section) updated(part patch.File, f File) {
	s.Old, s.Fresh = linesOf(part.Hunks, " -"), linesOf(part.Hunks, " +")
	switch {
	case !f.compared():
		s.without(f)
	case f.Missing:
		s.warn("there is no such file: this patch would fail")
	default:
		fresh, problem := ApplyPatch(f.Text, part.Hunks)
		if problem == "" {
			s.Old, s.Fresh, s.Numbered = f.Text, fresh, true
			break
		}
		s.warn(problem)
	}
	if s.Numbered {
		return
	}
	s.Parts = part.Hunks // not placed: drawn as they came
}

// maxSought is how many lines are compared at most to place one patch.
const maxSought = 20_000_000

// The problems of a patch that does not fit its file.
const (
	HeaderMissing = "a line that the patch looks for is not in the file: it would fail"
	LinesMissing  = "lines that the patch replaces are not in the file: it would fail"
	TooMuchSought = "the patch takes too long to be placed in the file"
)

// ApplyPatch is text after hunks, or why they do not fit. Each is looked for behind the
// one before: as it stands, then without blanks at the ends of lines, then without
// those at both ends, as Codex does.
func ApplyPatch(text string, hunks []patch.Hunk) (fresh, problem string) {
	s := Seeker{Left: maxSought}
	if text != "" {
		s.Text = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	var out []string
	at, from := 0, 0 // copied up to; looked for from
	for _, h := range hunks {
		if h.Header != "" {
			i := s.Find([]string{h.Header}, from, false)
			if i < 0 {
				return "", s.Why(HeaderMissing)
			}
			from = i + 1
		}
		i, old, fresh := s.place(h, from)
		if i < at {
			return "", s.Why(LinesMissing)
		}
		out = append(append(out, s.Text[at:i]...), fresh...)
		at = i + len(old)
		from = at
	}
	out = append(out, s.Text[at:]...)
	return strings.Join(out, "\n") + "\n", ""
}

// Seeker finds lines in a text.
type Seeker struct {
	Text []string
	Left int // comparisons of lines that it may still make
}

// Why is problem, or that too much was looked for.
func (s *Seeker) Why(problem string) string {
	if s.Left <= 0 {
		return TooMuchSought
	}
	return problem
}

// place finds the lines that h replaces, and says by which; -1 when they are not there.
func (s *Seeker) place(h patch.Hunk, from int) (at int, old, fresh []string) {
	old, fresh = hunkLines(h, '-'), hunkLines(h, '+')
	if len(old) == 0 {
		return len(s.Text), nil, fresh // lines that only come go to the end of the file
	}
	if at = s.Find(old, from, h.AtEnd); at >= 0 || old[len(old)-1] != "" {
		return at, old, fresh
	}
	old = old[:len(old)-1] // its last empty line may stand for the end of the file
	if n := len(fresh); n > 0 && fresh[n-1] == "" {
		fresh = fresh[:n-1]
	}
	return s.Find(old, from, h.AtEnd), old, fresh
}

// hunkLines are a hunk's lines that stay, with those of one kind.
func hunkLines(h patch.Hunk, kind byte) []string {
	var lines []string
	for _, l := range h.Lines {
		if l.Kind == ' ' || l.Kind == kind {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

// Find finds lines from a line on; -1 when they are not there. With atEnd they are
// looked for at the end of the text first.
func (s *Seeker) Find(lines []string, from int, atEnd bool) int {
	if len(lines) == 0 {
		return from
	}
	last := len(s.Text) - len(lines)
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.TrimRight(a, " \t\r") == strings.TrimRight(b, " \t\r") },
		func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) },
	} {
		if atEnd && last >= from && s.stand(lines, last, same) {
			return last
		}
		for i := from; i <= last && s.Left > 0; i++ {
			if s.stand(lines, i, same) {
				return i
			}
		}
	}
	return -1
}

// stand reports whether lines stand at line at.
func (s *Seeker) stand(lines []string, at int, same func(a, b string) bool) bool {
	for i, l := range lines {
		if s.Left--; !same(s.Text[at+i], l) {
			return false
		}
	}
	return true
}
