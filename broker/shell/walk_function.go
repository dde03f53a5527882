package shell

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// functionDecl walks a function's body as if it ran. It may run anywhere and at any time from
// now on, and what it is given is not known. Whether it is called at all does not matter: its
// name may be made elsewhere. In "f() { rm x; }; cd y; f" the rm has no sure folder, because
// the text goes to another one.
func (w *walker) functionDecl(f *syntax.FuncDecl) {
	name := ""
	if f.Name != nil {
		name = f.Name.Value
	}
	switch {
	case name == "" || !syntax.ValidName(strings.ReplaceAll(name, "-", "_")):
		w.unsure(f, "shells disagree about this name of a function")
	case posixSpecial.Has(name) || zshWords.Has(name):
		w.unsure(f, "a plain sh would not use the function "+name)
	}
	from, at := len(w.elements), w.at
	in, pipe := w.in, w.pipe
	// It reads what its caller has, which is not what is read here.
	w.in, w.pipe = input{}, 0
	w.branch++
	w.sink()
	w.moves.late = true
	w.moves.again++
	w.stmt(f.Body)
	w.moves.again--
	w.nest--
	w.branch--
	w.in, w.pipe, w.at = in, pipe, at
	w.bodies = append(w.bodies, [2]int{from, len(w.elements)})
	// Every part of the text has an element, so that none is invisible to rules.
	if from == len(w.elements) {
		w.add(w.builtin(f, name))
	}
}

// posixSpecial are builtins that no function can hide from a plain sh.
var posixSpecial = wordset.New(": . break continue eval exec exit export readonly return set shift source times trap unset")
