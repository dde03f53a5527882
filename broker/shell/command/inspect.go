package command

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Inspect says what a simple command does with its words, of which argv[0] is the program.
// Programs that the table does not know are plain commands, whose rule decides, unless their
// words look like another program's. Inspect never looks inside what a wrapper runs; that is
// for the caller.
//
// The words are the agent's. Nothing of them makes it fail: no words, or a program whose word is
// not known before it runs, give a zero Meaning, and the caller doubts those.
func Inspect(argv []Word) Meaning {
	if len(argv) == 0 {
		return Meaning{}
	}
	name, bare, twisted := programOf(argv[0])
	if name == "" {
		return elsewhere(argv)
	}
	s, name, ok := lookUp(name)
	if !ok || s.Builtin && !bare {
		return foreign(argv)
	}
	c := newCall(s, name, argv[1:], &Meaning{})
	c.inspect()
	if twisted {
		c.unsuref("the path of %s is not written plainly", name)
	}
	return c.done()
}

// Doubts says what is wrong with a command of words that are all known, as Exact and
// Unsure of an Element.
func Doubts(argv []string) (exact, unsure string) {
	m := Inspect(literals(argv))
	return m.Exact, m.Unsure
}

// elsewhere is a program that is named by a path outside of the system's folders.
func elsewhere(argv []Word) Meaning {
	if !argv[0].Known || argv[0].Glob || argv[0].Tilde {
		return Meaning{}
	}
	return local(argv, path.Base(argv[0].Text))
}

// lookUp finds the row of a program. python3.12, gcc-13 and their like have the row of the name
// without the version, and x86_64-linux-gnu-gcc that of gcc. It gives the name of the row as
// well. ok is false for a program without one.
func lookUp(name string) (*spec, string, bool) {
	if s, ok := table()[name]; ok {
		return s, name, true
	}
	short := strings.TrimRight(name, "0123456789.-")
	if s, ok := table()[short]; ok && programs.Is(programs.Versioned, short) {
		return s, short, true
	}
	if i := strings.LastIndexByte(short, '-'); i > 0 && programs.Is(programs.Crossed, short[i+1:]) { // x86_64-linux-gnu-gcc-12
		s, ok := table()[short[i+1:]]
		return s, short[i+1:], ok
	}
	return nil, name, false
}

// Inert says that no operand and no option, whatever it is, makes the program run, write,
// delete or send anything. It asks for the bare name, or one by a path in a folder of the
// system.
func Inert(program string) bool {
	name, _, twisted := programOf(Word{Text: program, Known: true})
	return !twisted && programs.Is(programs.Inert, name)
}

// programOf gives the name under which the table may know a program: a bare name, or
// the last part of a path in a folder of the system. twisted: it lies there, but by a
// path with "..", "." or doubled slashes.
func programOf(w Word) (name string, bare, twisted bool) {
	if !w.Known || w.Glob || w.Tilde {
		return "", false, false
	}
	if !strings.Contains(w.Text, "/") {
		return w.Text, true, false
	}
	clean := path.Clean(w.Text)
	dir, base := path.Split(clean)
	if !systemFolders.Has(strings.TrimSuffix(dir, "/")) {
		return "", false, false
	}
	return base, false, clean != w.Text
}

// systemFolders are where systems and Homebrew keep programs that others installed. A name
// elsewhere may be anything.
var systemFolders = wordset.New("/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin /opt/homebrew/bin")
