package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// state is the shell that reads one text, as far as the line tells what has become of it at this
// place of the walk. What it comes to do is added to output.
type state struct {
	*output
	*source

	at   place // where commands run
	in   input // what commands read
	pipe int   // the pipeline that commands are in
	via  through
	base int // how many of via are around the text itself
	nest int

	branch int  // above 0: what is walked may not run, or run often, or run elsewhere
	moved  bool // some command of the text has changed the folder

	bodies [][2]int // the elements of functions, which may run in any folder
}

// through is how a command is reached: the wrappers around it, outermost first, by their names and
// as the line calls them, and the other machine that they lead to.
type through struct {
	names, called []string
	host          string
}

// and is t with another wrapper inside: name may have words behind the program.
func (t through) and(name, program string) through {
	called := program
	if _, words, ok := strings.Cut(name, " "); ok {
		called += " " + words
	}
	return through{append(slices.Clip(t.names), name), append(slices.Clip(t.called), called), t.host}
}

// around notes in e how it is reached.
func (t through) around(e *Element) { e.Via, e.ViaAs, e.Host = t.names, t.called, t.host }

// place is a folder that commands run in.
type place struct {
	dir    string
	unsure bool
	gone   bool // nothing runs here: the shell has ended
}

// either is where a command runs that comes after a or b.
func either(a, b place) place {
	switch {
	case a.gone:
		return b
	case b.gone, a == b:
		return a
	}
	return place{dir: a.dir, unsure: true}
}

// input is what commands read from.
type input struct {
	kind string // as Element.Stdin
	text arg    // of kind "text", when only one command reads it

	names bool // of kind "pipe": names of files below the folder, and nothing else
}

// element begins an element that works here.
func (s *state) element(k Kind, text string) Element {
	e := Element{Kind: k, Text: text, Pipe: s.pipe, Dir: s.at.dir, DirUnsure: s.at.unsure}
	s.via.around(&e)
	return e
}

// builtin begins an element for a part of the shell itself that does nothing by itself.
func (s *state) builtin(n syntax.Node, name string) Element {
	e := s.element(Command, s.cut(n))
	e.Argv, e.Neutral = []string{name}, true
	return e
}

// unsure adds a part that no rule may allow.
func (s *state) unsure(n syntax.Node, why string) {
	e := s.element(Unknown, s.cut(n))
	e.Unsure = why
	s.add(e)
}

func (s *state) sink() {
	if s.nest++; s.nest > MaxNesting {
		panic(beyond("it is nested too deep"))
	}
}

// chdir moves to the folder of a cd.
func (s *state) chdir(to command.Word) {
	s.moved = true
	if s.moves.any() {
		s.at.unsure = true
		return
	}
	switch {
	case to == (command.Word{}):
		s.at = place{dir: "~", unsure: s.home}
	case !to.Known, to.Glob, to.Text == "", to.Text == "-":
		s.at.unsure = true
	case to.Tilde, strings.HasPrefix(to.Text, "/"):
		s.at = place{dir: path.Clean(to.Text)}
	default:
		dir, ok := join(s.at.dir, to.Text)
		s.at.dir = dir
		s.at.unsure = s.at.unsure || !ok || s.sets["CDPATH"]+s.sets["cdpath"] > 0
	}
}

// join goes from one folder to another as shells do: ".." takes the last name away,
// even of a link. ok is false when the way leads above the user's home.
func join(dir, to string) (joined string, ok bool) {
	home := dir == "~" || strings.HasPrefix(dir, "~/")
	joined = path.Join(dir, to)
	switch {
	case home:
		return joined, joined == "~" || strings.HasPrefix(joined, "~/")
	case joined == ".":
		return "", true
	case joined[0] == '~':
		return "./" + joined, true
	}
	return joined, true
}
