package shell

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// walker goes through one text and adds what it would do to output. A script inside
// the text has a walker of its own.
type walker struct {
	*output
	survey
	src  string
	vars map[string]value

	at   place // where commands run
	in   input // what commands read
	via  through
	base int // how many of via are around the text itself
	host string
	nest int

	branch int  // above 0: what is walked may not run, or run often, or run elsewhere
	moved  bool // some command of the text has changed the folder
	pipe   int
	linked bool // pipe is the number of a command that reads from or writes to this one

	bodies [][2]int // the elements of functions, which may run in any folder
}

// through are the wrappers around a command, outermost first: by their names, and as the
// line calls them.
type through struct{ names, called []string }

// and is t with another wrapper inside: name may have words behind the program.
func (t through) and(name, program string) through {
	called := program
	if _, words, ok := strings.Cut(name, " "); ok {
		called += " " + words
	}
	return through{append(slices.Clip(t.names), name), append(slices.Clip(t.called), called)}
}

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

// text walks a whole text.
func (w *walker) text(file *syntax.File) {
	w.survey = look(file)
	w.vars = make(map[string]value)
	w.hide(w.shadowed)
	w.list(file.Stmts)
	if w.moved {
		for _, b := range w.bodies {
			w.lose(b[0], b[1])
		}
	}
}

// lose marks elements as working nobody knows where.
func (o *output) lose(from, to int) {
	for i := from; i < to; i++ {
		o.elements[i].DirUnsure = true
	}
}

// cut is the part of the text that n stands for.
func (w *walker) cut(n syntax.Node) string {
	from, to := n.Pos(), n.End()
	if !from.IsValid() || !to.IsValid() || to.Offset() > uint(len(w.src)) || from.Offset() > to.Offset() {
		return ""
	}
	return w.src[from.Offset():to.Offset()]
}

// unsure adds a part that no rule may allow.
func (w *walker) unsure(n syntax.Node, why string) {
	e := w.element(Unknown, w.cut(n))
	e.Unsure = why
	w.add(e)
}

// element begins an element that works here.
func (w *walker) element(k Kind, text string) Element {
	return Element{
		Kind: k, Text: text, Via: w.via.names, ViaAs: w.via.called, Host: w.host, Pipe: w.pipe,
		Dir: w.at.dir, DirUnsure: w.at.unsure,
	}
}

func (w *walker) sink() {
	if w.nest++; w.nest > MaxNesting {
		panic(beyond("it is nested too deep"))
	}
}

// list walks commands that run after each other.
func (w *walker) list(stmts []*syntax.Stmt) {
	w.sink()
	for _, s := range stmts {
		ok, failed := w.stmt(s)
		w.at = either(ok, failed)
	}
	w.nest--
}

// apart walks commands in a shell of their own: folder and variables stay with them.
func (w *walker) apart(stmts []*syntax.Stmt) {
	at := w.at
	w.branch++
	w.list(stmts)
	w.branch--
	w.at = at
}

// stmt walks one statement with its redirections. It gives the folders after it has
// succeeded and after it has failed.
func (w *walker) stmt(s *syntax.Stmt) (ok, failed place) {
	w.step(0)
	at, in := w.at, w.in
	apart := s.Background || s.Coprocess || s.Disown
	detached := w.detached(s)
	if apart || detached {
		w.branch++
		w.moves.late = true
	}
	if s.Coprocess || s.Disown {
		w.unsure(s, "only one kind of shell reads it")
	}
	if end := s.Semicolon.Offset() + 1; s.Background && end < uint(len(w.src)) && strings.IndexByte("!|", w.src[end]) >= 0 {
		w.unsure(s, "zsh reads &! and &| as one")
	}
	w.in = w.input(s)
	ok, failed = w.command(s)
	w.in, w.at = in, at
	w.redirects(s.Redirs)
	if apart || detached {
		w.branch--
	}
	if apart {
		return at, at
	}
	if detached {
		ok, failed = either(ok, at), either(failed, at)
	}
	if s.Negated {
		ok, failed = failed, ok
	}
	return ok, failed
}

// detached reports whether s has a redirection like &>, at which a plain sh sends the
// command to the background, opens the file, and takes words behind it for a command.
func (w *walker) detached(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		if r.Op != syntax.RdrAll && r.Op != syntax.AppAll {
			continue
		}
		if c, ok := s.Cmd.(*syntax.CallExpr); ok && c.End().After(r.Pos()) {
			w.unsure(s, "a plain sh would run what stands behind "+command.Cite(w.cut(r)))
		}
		return true
	}
	return false
}

// command walks what a statement runs. A statement of nothing but redirections runs
// nothing.
func (w *walker) command(s *syntax.Stmt) (ok, failed place) {
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		return w.call(c)
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return w.chain(c)
		}
		w.pipeline(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt)
		}
	case *syntax.Block:
		w.list(c.Stmts)
	case *syntax.Subshell:
		w.apart(c.Stmts)
	default:
		w.compound(s.Cmd)
	}
	return w.at, w.at
}

// chain walks a list of && and ||, which the parser nests to the left.
func (w *walker) chain(b *syntax.BinaryCmd) (ok, failed place) {
	links, ops := []*syntax.Stmt{b.Y}, []syntax.BinCmdOperator{b.Op}
	first := b.X
	for {
		x, isChain := first.Cmd.(*syntax.BinaryCmd)
		if !isChain || x.Op != syntax.AndStmt && x.Op != syntax.OrStmt || bound(first) {
			break
		}
		links, ops = append(links, x.Y), append(ops, x.Op)
		first = x.X
	}
	ok, failed = w.stmt(first)
	w.branch++
	for i := len(links) - 1; i >= 0; i-- {
		if ops[i] == syntax.AndStmt {
			w.at = ok
			yes, no := w.stmt(links[i])
			ok, failed = yes, either(failed, no)
		} else {
			w.at = failed
			yes, no := w.stmt(links[i])
			ok, failed = either(ok, yes), no
		}
	}
	w.branch--
	return ok, failed
}

// bound reports whether a statement is more than its command.
func bound(s *syntax.Stmt) bool {
	return len(s.Redirs) > 0 || s.Negated || s.Background || s.Coprocess || s.Disown
}

// pipeline walks a | b | c, which the parser nests to the left.
func (w *walker) pipeline(b *syntax.BinaryCmd) {
	parts := []*syntax.Stmt{b.Y}
	first := b.X
	for {
		x, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || bound(first) {
			break
		}
		parts = append(parts, x.Y)
		first = x.X
	}
	parts = append(parts, first)
	pipe, in, at := w.pipe, w.in, w.at
	if !w.linked {
		w.pipe = w.newPipe()
	}
	w.linked = false
	w.branch++
	w.moves.beside++
	end, names := at, false
	for i := len(parts) - 1; i >= 0; i-- {
		ok, failed := w.stmt(parts[i])
		end = either(ok, failed)
		names = w.namesBelow(parts[i], names)
		w.in = input{kind: "pipe", names: names}
	}
	w.moves.beside--
	w.branch--
	w.pipe, w.in, w.at = pipe, in, either(at, end) // zsh runs the last part in the shell itself
}

func (o *output) newPipe() int {
	o.pipes++
	return o.pipes
}
