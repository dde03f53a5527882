// Package patch reads the patches of Codex's apply_patch tool. It is pure: text in,
// values out, no I/O.
//
// Shape, in the words of Codex 0.169.0's own grammar:
//
//	start:        "*** Begin Patch" LF file+ "*** End Patch" LF?
//	add:          "*** Add File: " path LF ("+" text LF)*
//	delete:       "*** Delete File: " path LF
//	update:       "*** Update File: " path LF ("*** Move to: " path LF)? hunk+
//	hunk:         ("@@" | "@@ " header) LF ((" " | "+" | "-") text LF)+ ("*** End of File" LF)?
//
// Codex takes more than that: blanks around its marks, text around the patch, a shell's
// here-document. Parse refuses what it does not read just as Codex would, so that no
// file that a patch touches goes unseen.
//
// A patch that is refused here is still shown as text, and its files are then those that any
// reader might find in it (Mentioned). So a call never looks as if it touched fewer files than it
// may.
package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Op says what a patch does to a file.
type Op string

// The operations.
const (
	Add    Op = "add" // makes the file, or replaces it
	Update Op = "update"
	Delete Op = "delete"
)

// File is what a patch does to one file. A patch may name a file more than once.
type File struct {
	Op     Op
	Path   string // as the patch has it: absolute, or relative to the folder of the call
	MoveTo string // Update: the file's new name; empty when it keeps its own
	Hunks  []Hunk // Add: one, of '+' lines only, or none for an empty file; Delete: none
}

// Hunk is one change of a file.
type Hunk struct {
	Header string // Update: a line to look for first, such as "func main() {"; may be empty
	Lines  []Line
	AtEnd  bool // Update: the last line is the file's last
}

// Line is one line of a hunk, without its line end.
type Line struct {
	Kind byte // ' ' stays, '+' is added, '-' is removed
	Text string
}

// ErrPatch marks a text that is no patch, or one that Parse does not vouch for; the
// error names the line, counted from 1.
var ErrPatch = errors.New("not a readable patch")

// MaxFiles is how many files a patch may name.
const MaxFiles = 1000

// Parse reads the whole of a patch. Its lines may end in CR LF, as Codex takes them. An
// error wraps ErrPatch and comes with no files. An empty text is an error, and so is a patch
// without a file.
func Parse(text string) ([]File, error) {
	p := newParser(text)
	if err := p.patch(); err != nil {
		return nil, fmt.Errorf("%w: line %d: %w", ErrPatch, p.at+1, err)
	}
	return p.files, nil
}

// Paths are the files that a patch touches, under their old and their new names, each
// once, in the patch's order. They are not made absolute: what they are relative to is the call's
// own folder, which the caller knows.
func Paths(files []File) []string {
	var list []string
	for _, f := range files {
		for _, path := range []string{f.Path, f.MoveTo} {
			if path != "" && !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list
}

// Mentioned are the files that any reader might take text to touch, also where Parse
// refuses it: whatever stands behind a mark, with or without blanks around it.
func Mentioned(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{markAdd, markDelete, markUpdate, markMove} {
			rest, ok := strings.CutPrefix(line, strings.TrimSpace(mark))
			if name := strings.TrimSpace(rest); ok && name != "" && !slices.Contains(list, name) && len(list) < MaxFiles {
				list = append(list, name)
			}
		}
	}
	return list
}

// Counts are how many lines f adds and removes.
func (f File) Counts() (added, removed int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}
