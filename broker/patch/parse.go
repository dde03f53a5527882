package patch

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The marks of a patch.
const (
	markBegin  = "*** Begin Patch"
	markEnd    = "*** End Patch"
	markAdd    = "*** Add File: "
	markDelete = "*** Delete File: "
	markUpdate = "*** Update File: "
	markMove   = "*** Move to: "
	markEOF    = "*** End of File"
	markHunk   = "@@"
)

// parser reads a patch line by line. It stays at the line of a fault. Files are kept only while
// no line was at fault: Parse returns none with an error. The line of a fault is counted by Parse
// from where it stands.
type parser struct {
	lines []string
	at    int
	files []File
}

// newParser takes the line ends off. A last line without an end is a line too.
func newParser(text string) *parser {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return &parser{lines: lines}
}

// peek is the line at which p stands; false after the last one.
func (p *parser) peek() (string, bool) {
	if p.at >= len(p.lines) {
		return "", false
	}
	return p.lines[p.at], true
}

// patch reads a whole patch. Text after its end is refused. It goes on file by file, so an error
// stands at the line where the first wrong one begins.
func (p *parser) patch() error {
	if l, _ := p.peek(); l != markBegin {
		return fmt.Errorf("a patch begins with %q", markBegin)
	}
	for p.at++; ; {
		l, ok := p.peek()
		switch {
		case !ok:
			return fmt.Errorf("a patch ends with %q", markEnd)
		// Codex takes text around a patch. What it makes of that is not read here, so it is
		// refused.
		case l == markEnd && p.at < len(p.lines)-1:
			p.at++
			return errors.New("there is text after the end of the patch")
		case l == markEnd && len(p.files) == 0:
			return errors.New("the patch changes no file")
		case l == markEnd:
			return nil
		case len(p.files) == MaxFiles:
			return fmt.Errorf("the patch names more than %d files", MaxFiles)
		}
		if err := p.file(l); err != nil {
			return err
		}
	}
}

// file reads one file's part, whose first line is l.
func (p *parser) file(l string) error {
	for _, kind := range []struct {
		op   Op
		mark string
		rest func(*File) error
	}{
		{Add, markAdd, p.added},
		{Delete, markDelete, func(*File) error { return nil }},
		{Update, markUpdate, p.updated},
	} {
		path, ok := strings.CutPrefix(l, kind.mark)
		if !ok {
			continue
		}
		if err := checkPath(path); err != nil {
			return err
		}
		p.at++
		f := File{Op: kind.op, Path: path}
		if err := kind.rest(&f); err != nil {
			return err
		}
		p.files = append(p.files, f)
		return nil
	}
	return errors.New("here a file must begin, or the patch end")
}

// checkPath refuses names that Codex reads otherwise than they look. A blank at the end, or a
// character that does not show, would make the path on the screen another one than the file that
// is changed.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("the file has no name")
	case strings.TrimSpace(path) != path:
		return errors.New("there is a blank before or after the file's name")
	case !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl):
		return errors.New("the file's name has a character that no name has")
	}
	return nil
}

// added reads the lines of a new file.
func (p *parser) added(f *File) error {
	var h Hunk
	for {
		l, ok := p.peek()
		if !ok || l == "" || l[0] != '+' {
			break
		}
		h.Lines = append(h.Lines, Line{'+', l[1:]})
		p.at++
	}
	if len(h.Lines) > 0 {
		f.Hunks = []Hunk{h}
	}
	return nil
}

// updated reads the changes of a file. A move without a change is refused, as Codex refuses it.
func (p *parser) updated(f *File) error {
	if l, _ := p.peek(); strings.HasPrefix(l, markMove) {
		f.MoveTo = strings.TrimPrefix(l, markMove)
		if err := checkPath(f.MoveTo); err != nil {
			return err
		}
		p.at++
	}
	for {
		l, ok := p.peek()
		if !ok || strings.HasPrefix(l, "***") {
			break
		}
		if err := p.hunk(f, l); err != nil {
			return err
		}
	}
	if len(f.Hunks) == 0 {
		return errors.New("an update of a file has changes")
	}
	return nil
}

// hunk reads one change, whose first line is l. Only a file's first change may do
// without its mark.
func (p *parser) hunk(f *File, l string) error {
	var h Hunk
	header, marked := strings.CutPrefix(l, markHunk)
	switch {
	case marked && header != "" && header[0] != ' ':
		return errors.New(`after "@@" comes a blank, or nothing`)
	case marked:
		h.Header = strings.TrimPrefix(header, " ")
		p.at++
	case len(f.Hunks) > 0:
		return errors.New(`a change begins with "@@"`)
	}
	for {
		l, ok := p.peek()
		if !ok || strings.HasPrefix(l, "***") || len(h.Lines) > 0 && strings.HasPrefix(l, markHunk) {
			break
		}
		line, err := changed(l)
		if err != nil {
			return err
		}
		h.Lines = append(h.Lines, line)
		p.at++
	}
	if len(h.Lines) == 0 {
		return errors.New("a change has lines")
	}
	if l, _ := p.peek(); l == markEOF {
		h.AtEnd = true
		p.at++
	}
	f.Hunks = append(f.Hunks, h)
	return nil
}

// changed reads a line of a change. An empty one is an empty line that stays.
func changed(l string) (Line, error) {
	switch {
	case l == "":
		return Line{Kind: ' '}, nil
	case l[0] == ' ' || l[0] == '+' || l[0] == '-':
		return Line{l[0], l[1:]}, nil
	}
	return Line{}, errors.New("a line of a change begins with a blank, + or -")
}
