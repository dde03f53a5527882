package shell

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// walker goes through the syntax tree of one text, and keeps the state of the shell that reads
// it. A script inside the text has a walker of its own. It walks each part as if it ran:
// whether a branch is taken does not matter for what the line may do.
type walker struct {
	state
	linked bool // pipe is the number of a command that reads from or writes to this one
}

// walk walks a whole text. At its end it is known whether the text changes the folder; if so,
// functions may have run in any of them.
func (w *walker) walk(file *syntax.File) {
	w.list(file.Stmts)
	if w.moved {
		for _, b := range w.bodies {
			w.lose(b[0], b[1])
		}
	}
}

// list walks commands that run after each other. The next one runs whether the one before has
// failed or not.
func (w *walker) list(stmts []*syntax.Stmt) {
	w.sink()
	for _, s := range stmts {
		ok, failed := w.stmt(s)
		w.at = either(ok, failed)
	}
	w.nest--
}

// apart walks commands in a shell of their own: folder and variables stay with them. branch
// keeps assignments in there from being remembered.
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
	// These run in a shell of their own, at their own time.
	apart := s.Background || s.Coprocess || s.Disown
	detached := w.detached(s)
	if apart || detached {
		// What runs in the background is not over when the next command starts.
		w.branch++
		w.moves.late = true
	}
	if s.Coprocess || s.Disown {
		w.unsure(s, "only one kind of shell reads it")
	}
	if end := s.Semicolon.Offset() + 1; s.Background && end < uint(len(w.text)) && strings.IndexByte("!|", w.text[end]) >= 0 {
		w.unsure(s, "zsh reads &! and &| as one")
	}
	// The command's element comes first, then the files of its redirections, as the screen
	// shows them; the shell opens these in the folder from before the command.
	w.in = w.input(s)
	ok, failed = w.command(s)
	w.in, w.at = in, at
	w.redirects(s.Redirs)
	if apart || detached {
		w.branch--
	}
	// The shell itself stays where it was.
	if apart {
		return at, at
	}
	// It may have gone on at once, in the folder from before.
	if detached {
		ok, failed = either(ok, at), either(failed, at)
	}
	// "! cd x && y" runs y where cd has failed.
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

// chain walks a list of && and ||, which the parser nests to the left. Each link starts where
// the one before has succeeded, or has failed, so that in "cd x && rm y" rm surely works in x.
// Unwinding the nest here keeps a long list from costing a level for each link.
func (w *walker) chain(b *syntax.BinaryCmd) (ok, failed place) {
	// From the last link to the first, as the tree has them.
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
	// All links but the first may not run.
	w.branch++
	for i := len(links) - 1; i >= 0; i-- {
		// After "&&" the link ran only if all has gone well so far; else the earlier failure
		// stands.
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

// bound reports whether a statement is more than its command. Such a one must not be unwound
// into the list or pipeline around it: its redirections are for the whole of it.
func bound(s *syntax.Stmt) bool { return len(s.Redirs) > 0 || marked(s) }

// marked reports whether a statement has more than a command and redirections.
func marked(s *syntax.Stmt) bool { return s.Negated || s.Background || s.Coprocess || s.Disown }

// pipeline walks a | b | c, which the parser nests to the left. All parts get the same number,
// run at the same time, and in shells of their own, except that zsh keeps the last one.
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
	// Inside of <(…) the number is already that of the command that reads it.
	if !w.linked {
		w.pipe = w.newPipe()
	}
	w.linked = false
	w.branch++
	w.moves.beside++
	end, names := at, false
	for i := len(parts) - 1; i >= 0; i-- {
		ok, failed := w.stmt(parts[i])
		// Only the last part counts; the next round overwrites it.
		end = either(ok, failed)
		names = w.namesBelow(parts[i], names)
		w.in = input{kind: "pipe", names: names}
	}
	w.moves.beside--
	w.branch--
	w.pipe, w.in, w.at = pipe, in, either(at, end) // zsh runs the last part in the shell itself
}

// call walks a simple command: its assignments, what it runs, and the substitutions in all of
// them. A command of assignments alone sets variables of the shell; before a program they are
// exported to it.
func (w *walker) call(c *syntax.CallExpr) (ok, failed place) {
	before, pipe := w.at, w.pipe
	for _, a := range c.Assigns {
		w.assign(a, len(c.Args) > 0)
	}
	args := w.all(c.Args)
	if w.pipe == 0 && slices.ContainsFunc(args, func(a arg) bool { return a.fd }) {
		w.pipe = w.newPipe() // what <(…) runs is in one pipeline with it
	}
	if len(c.Args) > 0 {
		invocation{s: &w.state, args: args, text: w.cut(c), via: w.via}.run()
	}
	if literal, ok := withoutBraces(c.Args); ok && bracesIn.Has(c.Args[0].Lit()) { // the other reading: these programs change nothing of the shell
		invocation{s: &w.state, args: w.all(literal), text: w.cut(c), via: w.via}.run()
	}
	// Substitutions run before the command, in the folder from before it, though their elements
	// follow its own.
	after := w.at
	w.at = before
	for _, a := range c.Assigns {
		w.insideAssign(a)
	}
	for _, word := range c.Args {
		w.inside(word)
	}
	w.at, w.pipe = after, pipe
	switch {
	// Nothing comes after exit, whether it has failed or not.
	case after.gone:
		return after, after
	case len(args) > 0 && !chdirs.Has(args[0].Text): // it may have failed after it has moved
		return after, either(before, after)
	}
	return after, before
}

// chdirs are builtins that stay in their folder when they fail.
var chdirs = wordset.New("cd chdir pushd popd")
