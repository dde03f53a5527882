package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// state is the shell that reads one text, as far as the line tells what has become of it at
// this place of the walk. What it comes to do is added to output. Whoever walks into a part
// that runs elsewhere or later keeps the fields he changes and puts them back behind it.
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

// and is t with another wrapper inside: name may have words behind the program, such as "bash
// -c", and program is the word that the line calls it by. It never changes t, which other
// commands of the same wrapper share.
func (t through) and(name, program string) through {
	called := program
	if _, words, ok := strings.Cut(name, " "); ok {
		called += " " + words
	}
	return through{append(slices.Clip(t.names), name), append(slices.Clip(t.called), called), t.host}
}

// around notes in e how it is reached.
func (t through) around(e *Element) { e.Via, e.ViaAs, e.Host = t.names, t.called, t.host }

// place is a folder that commands run in. dir is as Element.Dir; the zero place is the folder
// that the line starts in.
type place struct {
	dir    string
	unsure bool
	gone   bool // nothing runs here: the shell has ended
}

// either is where a command runs that comes after a or b. Two different places make an unsure
// one: its dir is kept for the screen, and no rule relies on it. In "cd a || cd b; rm x" nobody
// can say where rm works.
func either(a, b place) place {
	switch {
	case a.gone:
		return b
	case b.gone, a == b:
		return a
	}
	return place{dir: a.dir, unsure: true}
}

// input is what commands read from. The zero input is what the line's own shell has.
type input struct {
	kind string // as Element.Stdin
	text arg    // of kind "text", when only one command reads it

	names bool // of kind "pipe": names of files below the folder, and nothing else
}

// element begins an element that works here: with the folder, the pipeline and the wrappers of
// this place. The caller fills in what it does and adds it.
func (s *state) element(k Kind, text string) Element {
	e := Element{Kind: k, Text: text, Pipe: s.pipe, Dir: s.at.dir, DirUnsure: s.at.unsure}
	s.via.around(&e)
	return e
}

// builtin begins an element for a part of the shell itself that does nothing by itself, such as
// [[ or a loop's (( )). It is Neutral until the caller finds otherwise.
func (s *state) builtin(n syntax.Node, name string) Element {
	e := s.element(Command, s.cut(n))
	e.Argv, e.Neutral = []string{name}, true
	return e
}

// unsure adds a part that no rule may allow. why is shown to a person, and begins in the middle
// of a sentence.
func (s *state) unsure(n syntax.Node, why string) {
	e := s.element(Unknown, s.cut(n))
	e.Unsure = why
	s.add(e)
}

// sink counts one more level of the walk; the caller takes it back with nest--. The parser's
// own guard does not see the levels that scripts in scripts add.
func (s *state) sink() {
	if s.nest++; s.nest > MaxNesting {
		panic(beyond("it is nested too deep"))
	}
}

// chdir moves to the folder of a cd. The empty word stands for cd without one, which goes home.
// "cd -" leads to a folder that nobody keeps, and after a command that makes links no folder is
// known.
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
		// With CDPATH a relative name may be looked for in any other folder.
		s.at.unsure = s.at.unsure || !ok || s.sets["CDPATH"]+s.sets["cdpath"] > 0
	}
}

// join goes from one folder to another as shells do: ".." takes the last name away, even of a
// link. ok is false when the way leads above the user's home. A name that begins with a tilde,
// and is none, gets "./" before it, so that nobody reads it as the home.
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
