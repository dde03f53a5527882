package shell

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/links"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command: its assignments, what it runs, and the substitutions
// in all of them.
func (w *walker) call(c *syntax.CallExpr) (ok, failed place) {
	before, pipe := w.at, w.pipe
	for _, a := range c.Assigns {
		w.assign(a, len(c.Args) > 0)
	}
	var args []arg
	for _, word := range c.Args {
		for _, a := range w.words(word) {
			args = append(args, a)
			if a.fd && w.pipe == 0 {
				w.pipe = w.newPipe() // what <(…) runs is in one pipeline with it
			}
		}
	}
	if len(c.Args) > 0 {
		w.run(run1{args: args, text: w.cut(c), via: w.via, host: w.host})
	}
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
	case after.gone:
		return after, after
	case len(args) > 0 && !chdirs.Has(args[0].Text): // it may have failed after it has moved
		return after, either(before, after)
	}
	return after, before
}

// chdirs are builtins that stay in their folder when they fail.
var chdirs = wordset.New("cd chdir pushd popd")

// run1 is one command on its way through wrappers.
type run1 struct {
	args   []arg
	text   string
	via    through
	host   string
	more   bool   // as in run
	fed    bool   // as in run
	exact  string // what is wrong with a wrapper around it
	unsure string
}

// around notes in e where c runs.
func (c run1) around(e *Element) { e.Via, e.ViaAs, e.Host = c.via.names, c.via.called, c.host }

// run adds what one command does, and what it runs in turn.
func (w *walker) run(c run1) {
	if len(c.via.names) > maxVia {
		panic(beyond("its wrappers are nested too deep"))
	}
	w.step(len(c.args))
	e := w.element(Command, c.text)
	c.around(&e)
	for _, a := range c.args {
		e.Argv = append(e.Argv, a.Text)
		e.Glob = e.Glob || a.Glob
	}
	e.Stdin = w.in.kind
	if why := odd(c.args); why != "" {
		e.Unsure = why
		w.add(e)
		return
	}
	if w.special(&e, c) {
		w.add(e)
		return
	}
	w.judge(e, c)
	if w.mayBeFunction(c) { // whose body may change the folder, or not, where the builtin does
		w.at.unsure = true
	}
}

// odd says why nobody knows which program the words run.
func odd(args []arg) string {
	if len(args) == 0 {
		return "no program is left when its variables are empty"
	}
	p := args[0]
	switch {
	case !p.Known:
		return "which program runs is not known: " + p.why
	case p.why != "":
		return p.why
	case p.Text == "":
		return "the program has no name"
	case p.Raw[:min(1, len(p.Raw))] == "{":
		return "zsh may take the brace of " + command.Cite(p.Raw) + " for the start of a block"
	case p.Glob || strings.ContainsAny(p.Text, "$"):
		return "which program runs is not known: " + command.Cite(p.Raw)
	case !p.Tilde && p.Text[0] == '~':
		return "a program whose name begins with a tilde"
	case p.Text[0] == '-' && p.Text != "-": // sudo reads options behind variables, too
		return "what stands in the place of a program looks like an option: " + command.Cite(p.Raw)
	}
	for _, a := range args {
		if lookAlike(a.Text) {
			return "letters of several alphabets in " + command.Cite(a.Text)
		}
		if falseDash(a.Text) {
			return command.Cite(a.Text) + " looks like an option, and is none"
		}
	}
	return ""
}

// judge asks the table what the command means.
func (w *walker) judge(e Element, c run1) {
	words := make([]command.Word, len(c.args))
	for i, a := range c.args {
		words[i] = a.Word
	}
	m := command.Inspect(words)
	if e.Exact = first(c.exact, m.Exact); c.exact == "" {
		e.Named = m.Named
	}
	e.Unsure = first(c.unsure, m.Unsure)
	nested := len(m.Runs)+len(m.Scripts) > 0
	from := len(w.elements)
	if m.Wrapper == "" || !nested {
		e.Unsure = first(e.Unsure, w.doubt(c), w.fedProgram(c, e.Exact))
		e.Neutral = m.Neutral && !w.mayBeFunction(c) && e.Unsure == "" && e.Exact == ""
		w.add(e)
	} else {
		e.Unsure = first(e.Unsure, leftover(c.args, m))
	}
	for _, f := range m.Files {
		w.operand(f, c)
	}
	if links.Moves(words) {
		w.relink(from, len(c.via.names) > 0)
	}
	for _, a := range m.Assigns {
		w.given(a, c, nested || declares.Has(c.args[0].Text))
	}
	if nested {
		w.nested(e, c, m)
	}
	w.after(c, m)
}

// after moves on when a builtin of the shell has changed its folder, or ended it.
func (w *walker) after(c run1, m command.Meaning) {
	if !w.within(c.via) {
		return
	}
	name := c.args[0].Text
	switch {
	case m.Chdir != nil:
		w.chdir(*m.Chdir)
	case name == "source", name == ".", name == "trap":
		w.moves.late = true
		w.at.unsure, w.moved = true, true
	case name == "exit" && !w.hidden["exit"] && (len(c.args) == 1 || len(c.args) == 2 && smallNumber(c.args[1].Text)):
		w.at.unsure, w.at.gone = true, true
	}
}

// within reports whether wrappers leave a builtin in the shell that reads the text.
func (w *walker) within(via through) bool {
	for _, v := range via.names[w.base:] {
		if v != "command" && v != "builtin" && v != "eval" {
			return false
		}
	}
	return true
}

// doubt says what no rule can know about a command that runs in its own name.
func (w *walker) doubt(c run1) string {
	program := c.args[0].Text
	tame := command.Inert(program) && !w.hidden[program]
	why := ""
	ended := false
	shows := program == "echo" && tame && len(c.via.names) == 0 && w.pipe == 0
	for _, a := range c.args[1:] {
		ended = ended || a.Known && a.Text == "--"
		switch {
		case a.fd && tame:
		case a.told && shows, a.commit && program == "git" && len(c.via.names) == 0 && !w.hidden["git"]: // its commands are elements of their own
		case !a.sure():
			why = first(why, a.why, command.Cite(a.Raw)+" is not known before it runs")
		case a.Glob && !tame && !ended && strings.IndexByte("*?[", a.Text[0]) >= 0:
			why = first(why, "a file whose name begins with a dash would be an option: "+command.Cite(a.Raw))
		case evaluates.Has(program) && strings.ContainsAny(a.Text, "$`[") && strings.ContainsAny(a.Text, "(`"):
			why = first(why, program+" may run code in "+command.Cite(a.Raw))
		}
	}
	switch {
	case !c.more && !c.fed:
	case !tame:
		why = first(why, c.via.names[len(c.via.names)-1]+" gives it words that nobody knows")
	case !w.in.names && !programs.Is(programs.Wordless, program) && slices.ContainsFunc(c.via.names, fromInput):
		why = first(why, "xargs gives it files that nobody knows")
	}
	return why
}

// fromInput reports whether a wrapper takes words from what it reads.
func fromInput(via string) bool { return via == "xargs" || via == "gxargs" || via == "parallel" }

// fedProgram says that what a command reads may be a program, which is no part of its
// words: a rule that names all of them would allow any other program, too.
func (w *walker) fedProgram(c run1, exact string) string {
	if w.in.kind == "" && len(c.args) < 2 || command.Inert(c.args[0].Text) {
		return ""
	}
	operands := 0
	for _, a := range c.args[1:] {
		if a.Text == "/dev/stdin" || strings.HasPrefix(a.Text, "/dev/fd/") || strings.HasPrefix(a.Text, "/proc/") && strings.Contains(a.Text, "/fd/") {
			return c.args[0].Text + " is given what no rule can name, at " + command.Cite(a.Raw)
		}
		if !strings.HasPrefix(a.Text, "-") {
			operands++
		}
	}
	if exact != "" && (w.in.kind == "text" || w.in.kind != "" && operands == 0) {
		return c.args[0].Text + " may run what it reads"
	}
	return ""
}

// evaluates are builtins that read names or numbers among their words and run the
// substitutions in their subscripts, as in a[$(…)]. Rows of others see to it themselves.
var evaluates = wordset.New(`test [ printf print read getopts mapfile readarray set kill cd pushd popd`)

// leftover is a word of a wrapper that is not known, unless what it runs has it.
func leftover(args []arg, m command.Meaning) string {
	seen := make(map[string]bool)
	for _, r := range m.Runs {
		for _, word := range r.Words {
			seen[word.Raw] = true
		}
	}
	for _, s := range m.Scripts {
		seen[s.Text.Raw] = true
	}
	for _, a := range args[1:] {
		if !a.sure() && !seen[a.Raw] {
			return first(a.why, command.Cite(a.Raw)+" is not known before it runs")
		}
	}
	return ""
}

// declares are builtins that may export what they set.
var declares = wordset.New("export declare typeset readonly local integer float")

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
