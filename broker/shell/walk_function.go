package shell

import (
	"maps"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// functionDecl walks a function's body as if it ran. It may run anywhere and at any time
// from now on, and what it is given is not known.
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
	if from == len(w.elements) {
		e := w.element(Command, w.cut(f))
		e.Argv, e.Neutral = []string{name}, true
		w.add(e)
	}
}

// hide notes the names of functions. Whether one stands for a program when its name is
// called cannot be told: it may be defined elsewhere, too late, or taken away again.
func (o *output) hide(names map[string]bool) {
	if len(names) == 0 {
		return
	}
	if o.hidden == nil {
		o.hidden = make(map[string]bool)
	}
	maps.Copy(o.hidden, names)
}

// mayBeFunction reports whether c may call a function of the line instead of the
// program, which is judged all the same; the body is judged where it stands.
func (w *walker) mayBeFunction(c run1) bool {
	return len(c.via.names) == w.base && w.hidden[c.args[0].Text]
}

// posixSpecial are builtins that no function can hide from a plain sh.
var posixSpecial = wordset.New(": . break continue eval exec exit export readonly return set shift source times trap unset")
