package shell

import (
	"cmp"
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// nested walks what a wrapper runs. e is the wrapper's own element; what is wrong with a
// wrapper that has none is wrong with all that it runs.
//
// Commands become invocations with the rest of the words, scripts are parsed as texts of their
// own: "timeout 9 make" has the command make through timeout, and "bash -c 'make; ls'" has make
// and ls, both through "bash -c". The folder is the wrapper's afterwards, unless a builtin such
// as eval has run it in this very shell.
func (c invocation) nested(e Element, m command.Meaning) {
	base := path.Base(c.args[0].Text)
	inner := invocation{s: c.s, text: c.text, via: c.via.and(base, base)}
	// The wrapper's doubts pass to what it runs, since it has no element to keep them.
	if m.Wrapper != "" {
		inner.via = c.via.and(m.Wrapper, c.args[0].Text)
		inner.exact, inner.unsure = e.Exact, e.Unsure
	}
	inner.via.host = cmp.Or(m.Host, c.via.host)
	at := c.s.at
	// What runs in another folder, or on another machine, has paths that mean other files.
	if !keeps(c.args, inner.via.host) {
		c.s.at.unsure = true
	}
	// The table hands words on by their text. What this package knows beyond that, such as that
	// a word is the name of a pipe, is found again by the raw text.
	byRaw := make(map[string]arg, len(c.args))
	for _, a := range c.args {
		byRaw[a.Raw] = a
	}
	for _, r := range m.Runs {
		next := inner
		next.more, next.fed = c.more || r.More, c.fed || r.Fed
		for _, word := range r.Words {
			a := arg{Word: word}
			if old, ok := byRaw[word.Raw]; ok && old.Known == word.Known {
				a.why, a.fd, a.quoted = old.why, old.fd, old.quoted
			}
			next.args = append(next.args, a)
		}
		next.run()
	}
	for _, s := range m.Scripts {
		inner.script(s.Text, c)
	}
	// A program of its own cannot move the shell that called it.
	if !inner.within() {
		c.s.at = at
	}
}

// keeps reports whether a wrapper runs its command in the folder that it is in itself. It takes
// a list of names that do (programs.KeepsFolder) and looks for any option that leads elsewhere;
// of an option that it misreads it says no, which only makes the folder unsure.
func keeps(args []arg, host string) bool {
	if host == "" && runsHere(args) {
		return true
	}
	if host != "" || !programs.Is(programs.KeepsFolder, path.Base(args[0].Text)) {
		return false
	}
	for _, a := range args[1:] {
		for _, option := range []string{"-C", "-D", "-R", "-i", "--chdir", "--login", "--root", "-execdir", "-okdir", "--directory"} {
			if strings.HasPrefix(a.Text, option) {
				return false
			}
		}
	}
	return true
}

// environments are programs that run others in a project's environment, each with the word for it,
// and start them in the folder that they are in themselves. hatch goes to the project's folder.
var environments = map[string]string{"bundle": "exec", "pdm": "run", "pipenv": "run", "poetry": "run", "uv": "run"}

// quietOptions are options of "uv run" that choose no folder, no interpreter and no package.
var quietOptions = wordset.New("-q -v --quiet --verbose --frozen --locked --no-sync --offline --no-dev --dev --all-extras")

// runsHere reports whether args are "uv run" or its like, with a program right behind it or
// behind options that are known to change nothing about where it runs.
func runsHere(args []arg) bool {
	if len(args) < 3 || args[1].Text != environments[args[0].Text] || !args[1].Known || args[1].Glob {
		return false
	}
	words := args[2:]
	for args[0].Text == "uv" && len(words) > 0 && quietOptions.Has(words[0].Text) {
		words = words[1:]
	}
	return len(words) > 0 && words[0].Known && words[0].Text != "" && !strings.HasPrefix(words[0].Text, "-")
}

// script walks a text that a shell reads, such as that of bash -c or eval. outer is the command
// that has the text among its words, c what its elements are reached through. A text that is
// not known is one Unknown element.
func (c invocation) script(text command.Word, outer invocation) {
	e := c.s.element(Command, outer.text)
	e.Kind = Unknown
	c.via.around(&e)
	switch {
	case !text.Known || text.Glob || text.Tilde:
		e.Unsure = cmp.Or(c.unsure, "the script "+command.Cite(text.Raw)+" is not known before it runs")
	case outer.fed:
		e.Unsure = cmp.Or(c.unsure, "names that nobody knows are put into the script "+command.Cite(text.Raw))
	}
	// One element for a text that nobody knows: what is in it cannot be listed.
	if e.Unsure != "" {
		c.s.add(e)
		return
	}
	// A script inside a script is written again at each level, so the sum is what counts.
	if c.s.inner += len(text.Text); c.s.inner > maxInner {
		panic(beyond("its scripts are too long"))
	}
	file, why := c.s.read(text.Text)
	if why != "" {
		e.Unsure = why
		c.s.add(e)
		return
	}
	// The text is read by a new shell: no variable of this one is known there, as only some are
	// exported. Functions are handed down all the same: bash can export them, and a name that
	// may be a function is never Neutral.
	sub := &walker{state: state{
		output: c.s.output, source: newSource(text.Text, file, c.s.functions), at: c.s.at, in: input{kind: c.s.in.kind},
		pipe: c.s.pipe, via: c.via, base: len(c.via.names), nest: c.s.nest,
	}}
	from := len(c.s.elements)
	sub.walk(file)
	// eval goes on in the same shell; for others nested puts the folder back.
	c.s.at, c.s.moved = sub.at, c.s.moved || sub.moved
	if c.within() { // what eval defines stays, and may run behind a later cd
		c.s.bodies = append(c.s.bodies, sub.bodies...)
	}
	// Whatever is wrong with the shell's own options is wrong with all that it runs.
	for i := from; i < len(c.s.elements); i++ {
		c.s.elements[i].Exact = cmp.Or(c.s.elements[i].Exact, c.exact)
		c.s.elements[i].Unsure = cmp.Or(c.s.elements[i].Unsure, c.unsure)
		c.s.elements[i].Names = c.s.elements[i].Names && c.unsure == ""
		c.s.elements[i].Neutral = c.s.elements[i].Neutral && c.s.elements[i].Unsure == "" && c.s.elements[i].Exact == ""
	}
	if from == len(c.s.elements) { // an empty script: what is wrong with its wrapper must not get lost
		e.Kind, e.Exact, e.Unsure = Command, c.exact, c.unsure
		e.Via, e.ViaAs = outer.via.names, outer.via.called
		for _, a := range outer.args {
			e.Argv = append(e.Argv, a.Text)
		}
		c.s.add(e)
	}
}

// given adds a variable that a wrapper sets for what it runs, as env does, or that a builtin
// such as read sets. a's value may be unknown; then no rule may allow it.
func (c invocation) given(a command.Assign, exported bool) {
	e := c.s.element(Assign, c.text)
	c.via.around(&e)
	e.Name, e.Value, e.Exported = a.Name.Text, a.Value.Text, exported
	if !a.Name.Known || !a.Value.Known || a.Value.Glob || a.Value.Tilde {
		e.Unsure = "what is set is not known: " + command.Cite(cmp.Or(a.Value.Raw, a.Name.Raw))
	}
	c.s.addAssign(e)
}

// operand adds a file that a command names among its words. Such an element refuses and warns;
// it is never what allows, as the command's own rule covers it.
func (c invocation) operand(f command.File) {
	if c.fed && strings.Contains(f.Path.Text, "{}") {
		return // names that nobody knows; the wrapper says where they come from
	}
	for _, a := range c.args {
		if a.fd && a.Raw == f.Path.Raw {
			return // <(…) is no file; what runs in it is an element
		}
	}
	e := c.s.element(Read, f.Path.Raw)
	if f.Write {
		e.Kind = Write
	}
	c.via.around(&e)
	e.Path, e.Home, e.Glob = f.Path.Text, f.Path.Tilde, f.Path.Glob
	e.Operand, e.Deletes, e.Tree = true, f.Deletes, f.Tree
	if !f.Path.Known {
		e.Unsure = unknownYet(f.Path.Raw)
	}
	c.s.add(e)
}
