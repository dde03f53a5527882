package shell

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/plain"
	"mvdan.cc/sh/v3/syntax"
)

// compound walks loops, conditions, functions and tests. A kind that the parser learns later is
// unsure until it is known here.
func (w *walker) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.loop(func() {
			w.list(c.Cond)
			w.list(c.Do)
		})
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.caseClause(c)
	case *syntax.FuncDecl:
		w.functionDecl(c)
	case *syntax.DeclClause:
		w.declare(c)
	case *syntax.TestClause:
		w.testClause(c)
	case *syntax.ArithmCmd:
		w.arithmCommand(c, "((", c.X)
	case *syntax.LetClause:
		w.arithmCommand(c, "let", c.Exprs...)
	case *syntax.CoprocClause:
		w.unsure(c, "a coprocess may be read and fed by anything")
		w.apart([]*syntax.Stmt{c.Stmt})
	default:
		w.unsure(c, "this kind of command is not known")
	}
}

// ifClause walks all branches from where the condition leaves the shell. Which one runs is not
// asked, so the folder afterwards is sure only if all of them, and none, end in the same one.
func (w *walker) ifClause(c *syntax.IfClause) {
	w.branch++
	var ends []place
	for ; c != nil; c = c.Else {
		w.list(c.Cond)
		after := w.at
		w.list(c.Then)
		ends = append(ends, w.at)
		w.at = after
	}
	for _, end := range ends {
		w.at = either(w.at, end)
	}
	w.branch--
}

// loop walks a body that runs any number of times. If it changes the folder, nobody knows where
// its commands run: the second round starts where the first one ended.
func (w *walker) loop(body func()) {
	from, at := len(w.elements), w.at
	w.branch++
	w.moves.again++
	body()
	w.moves.again--
	w.branch--
	// The second round would start elsewhere.
	if w.at != at {
		w.at = either(at, w.at)
		w.at.unsure = true
		w.lose(from, len(w.elements))
	}
}

// caseClause walks all cases. Patterns are words, and what is in them runs while they are
// compared.
func (w *walker) caseClause(c *syntax.CaseClause) {
	w.inside(c.Word)
	w.braced(c.Word)
	w.branch++
	at, end := w.at, w.at
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.inside(p)
			w.braced(p)
		}
		w.at = either(at, end) // ;& goes on from the case before
		w.list(item.Stmts)
		end = either(end, w.at)
	}
	w.at = end
	w.branch--
}

// braced adds a doubt for a brace that zsh may take for the start or end of a block.
func (w *walker) braced(word *syntax.Word) {
	if closes(word) {
		w.unsure(word, "zsh may take the brace of "+command.Cite(w.cut(word))+" for a part of a block")
	}
}

// maxRounds is how many values of a for loop are followed one by one. With more, the variable
// is unknown and the body is walked once.
const maxRounds = 20

// forClause walks the body once for each value, if they are known. "for f in a b; do rm $f;
// done" then has two rm that rules can match. Rounds that do the same are folded into one.
func (w *walker) forClause(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		loop, _ := c.Loop.(*syntax.CStyleLoop)
		w.unsure(loop, "a counting loop")
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			w.insideArithm(x)
		}
		w.loop(func() { w.list(c.Do) })
		return
	}
	if e := w.loopVar(c, iter); e.Exact+e.Unsure != "" {
		w.add(e)
	}
	for _, item := range iter.Items {
		w.inside(item)
		w.braced(item)
	}
	name := iter.Name.Value
	w.loop(func() {
		seen := make(map[[sha256.Size]byte]bool)
		for _, v := range w.rounds(c, iter) {
			// Keys are made from the whole text of a round, so a long body costs more than its
			// statements.
			w.step(len(w.cut(c)) / 64)
			if v != nil {
				w.vars[name] = *v
			}
			// Each round starts where the one before has left the shell.
			at, mark := w.at, len(w.elements)
			w.list(c.Do)
			w.at = either(at, w.at)
			delete(w.vars, name)
			w.fold(seen, mark)
		}
	})
}

// loopVar judges the variable that a loop sets, by all its values. The element is added only if
// something is wrong; an ordinary name is no more than part of the loop.
func (s *state) loopVar(c *syntax.ForClause, iter *syntax.WordIter) Element {
	e := s.element(Assign, s.cut(iter))
	e.Name = iter.Name.Value
	for _, value := range s.loopValues(iter) {
		exact, unsure := command.Setting(e.Name, value, false)
		e.Exact, e.Unsure = cmp.Or(e.Exact, exact), cmp.Or(e.Unsure, unsure)
	}
	if plain.Counted(e.Name) {
		e.Unsure = "the shell computes the value of " + e.Name
	}
	if c.Select {
		e.Unsure = "select asks for an answer"
	}
	return e
}

// items are what a loop goes through, for shells that expand braces and for those that do not.
func (src *source) items(iter *syntax.WordIter) []arg {
	all := src.all(iter.Items)
	if literal, ok := withoutBraces(iter.Items); ok {
		all = append(all, src.all(literal)...)
	}
	return all
}

// loopValues are the values of a loop; a path stands for those that nobody knows.
func (src *source) loopValues(iter *syntax.WordIter) []string {
	const unknown = "/"
	if !iter.InPos.IsValid() {
		return []string{unknown}
	}
	var values []string
	for _, a := range src.items(iter) {
		if !a.sure() || a.Glob || a.Tilde {
			a.Text = unknown
		}
		values = append(values, a.Text)
	}
	return values
}

// rounds are the values of a loop; a nil one stands for values that are not known. A loop
// without values still has a round, so that its body is never left out. A body without a "$"
// does the same in each round and is walked once.
func (src *source) rounds(c *syntax.ForClause, iter *syntax.WordIter) []*value {
	unknown := []*value{nil}
	// Without "in" the values are the script's arguments, which nobody knows.
	if c.Select || !iter.InPos.IsValid() || !src.known(iter.Name.Value) || !strings.Contains(src.cut(c), "$") {
		return unknown
	}
	var out []*value
	expanded := len(src.all(iter.Items))
	if expanded > maxRounds {
		return unknown
	}
	for i, a := range src.items(iter) {
		if !a.sure() || a.Tilde {
			return unknown
		}
		out = append(out, &value{text: a.Text, glob: a.Glob, braces: i >= expanded})
	}
	if len(out) == 0 {
		return unknown
	}
	return out
}

// fold takes away what a round of a loop, from mark on, does as an earlier one of them did, and
// notes in seen what it does. Of "for f in a b; do make; rm $f; done" make stays once and rm
// twice. The bodies of functions are counted by elements, and move along.
func (s *state) fold(seen map[[sha256.Size]byte]bool, mark int) {
	round := s.elements[mark:]
	kept := s.elements[:mark]
	list := keys(round, s.pipe)
	at := make([]int, len(round)+1)
	for i, e := range round {
		at[i] = len(kept)
		if !seen[list[i]] {
			kept = append(kept, e)
		}
	}
	at[len(round)] = len(kept)
	for i, b := range s.bodies {
		if b[0] >= mark {
			s.bodies[i] = [2]int{at[b[0]-mark], at[b[1]-mark]}
		}
	}
	s.elements = kept
	for _, k := range list {
		seen[k] = true
	}
}

// keys tell elements apart, those of a pipeline that is among them, and not around them, by the
// whole of it. outer is the number of the pipeline around the loop. The numbers themselves do
// not count, as each round has new ones. A sum keeps the memory small when long texts repeat.
func keys(list []Element, outer int) [][sha256.Size]byte {
	out := make([][sha256.Size]byte, len(list))
	pipes := make(map[int][sha256.Size]byte)
	for i, e := range list {
		text, pipe := e.Text, e.Pipe
		e.Text, e.Pipe = "", 0
		out[i] = sha256.Sum256(fmt.Appendf([]byte(text), "%#v", e))
		if pipe != outer {
			sum := pipes[pipe]
			pipes[pipe] = sha256.Sum256(append(sum[:], out[i][:]...))
		}
	}
	for i, e := range list {
		sum := pipes[e.Pipe]
		out[i] = sha256.Sum256(append(out[i][:], sum[:]...))
	}
	return out
}
