package shell

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// nested walks what a wrapper runs. e is the wrapper's own element; what is wrong
// with a wrapper that has none is wrong with all that it runs.
func (w *walker) nested(e Element, c run1, m command.Meaning) {
	base := path.Base(c.args[0].Text)
	inner := run1{text: c.text, via: c.via.and(base, base), host: first(m.Host, c.host)}
	if m.Wrapper != "" {
		inner.via = c.via.and(m.Wrapper, c.args[0].Text)
		inner.exact, inner.unsure = e.Exact, e.Unsure
	}
	at := w.at
	if !keeps(c.args, inner.host) {
		w.at.unsure = true
	}
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
		w.run(next)
	}
	for _, s := range m.Scripts {
		w.script(inner, s, c)
	}
	if !w.within(inner.via) {
		w.at = at
	}
}

// keeps reports whether a wrapper runs its command in the folder that it is in itself.
func keeps(args []arg, host string) bool {
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

// script walks a text that a shell reads.
func (w *walker) script(c run1, s command.Script, outer run1) {
	e := w.element(Command, outer.text)
	e.Kind = Unknown
	c.around(&e)
	switch {
	case !s.Text.Known || s.Text.Glob || s.Text.Tilde:
		e.Unsure = first(c.unsure, "the script "+command.Cite(s.Text.Raw)+" is not known before it runs")
	case outer.fed:
		e.Unsure = first(c.unsure, "names that nobody knows are put into the script "+command.Cite(s.Text.Raw))
	}
	if e.Unsure != "" {
		w.add(e)
		return
	}
	if w.inner += len(s.Text.Text); w.inner > maxInner {
		panic(beyond("its scripts are too long"))
	}
	file, why := w.read(s.Text.Text)
	if why != "" {
		e.Unsure = why
		w.add(e)
		return
	}
	sub := &walker{
		output: w.output, src: s.Text.Text, at: w.at, in: input{kind: w.in.kind},
		via: c.via, base: len(c.via.names), host: c.host, nest: w.nest, pipe: w.pipe,
	}
	from := len(w.elements)
	sub.text(file)
	w.at, w.moved = sub.at, w.moved || sub.moved
	if w.within(c.via) { // what eval defines stays, and may run behind a later cd
		w.bodies = append(w.bodies, sub.bodies...)
	}
	for i := from; i < len(w.elements); i++ {
		w.elements[i].Exact = first(w.elements[i].Exact, c.exact)
		w.elements[i].Unsure = first(w.elements[i].Unsure, c.unsure)
		w.elements[i].Neutral = w.elements[i].Neutral && w.elements[i].Unsure == "" && w.elements[i].Exact == ""
	}
	if from == len(w.elements) { // an empty script: what is wrong with its wrapper must not get lost
		e.Kind, e.Exact, e.Unsure = Command, c.exact, c.unsure
		e.Via, e.ViaAs = outer.via.names, outer.via.called
		for _, a := range outer.args {
			e.Argv = append(e.Argv, a.Text)
		}
		w.add(e)
	}
}

// given adds a variable that a wrapper sets for what it runs.
func (w *walker) given(a command.Assign, c run1, exported bool) {
	e := w.element(Assign, c.text)
	c.around(&e)
	e.Name, e.Value, e.Exported = a.Name.Text, a.Value.Text, exported
	if !a.Name.Known || !a.Value.Known || a.Value.Glob || a.Value.Tilde {
		e.Unsure = "what is set is not known: " + command.Cite(first(a.Value.Raw, a.Name.Raw))
	}
	w.addAssign(e)
}

// operand adds a file that a command names.
func (w *walker) operand(f command.File, c run1) {
	if c.fed && strings.Contains(f.Path.Text, "{}") {
		return // names that nobody knows; the wrapper says where they come from
	}
	for _, a := range c.args {
		if a.fd && a.Raw == f.Path.Raw {
			return // <(…) is no file; what runs in it is an element
		}
	}
	e := w.element(Read, f.Path.Raw)
	if f.Write {
		e.Kind = Write
	}
	c.around(&e)
	e.Path, e.Home, e.Glob = f.Path.Text, f.Path.Tilde, f.Path.Glob
	e.Operand, e.Deletes, e.Tree = true, f.Deletes, f.Tree
	if !f.Path.Known {
		e.Unsure = command.Cite(f.Path.Raw) + " is not known before it runs"
	}
	w.add(e)
}

// chdir moves to the folder of a cd.
func (w *walker) chdir(to command.Word) {
	w.moved = true
	if w.moves.any() {
		w.at.unsure = true
		return
	}
	switch {
	case to == (command.Word{}):
		w.at = place{dir: "~", unsure: w.home}
	case !to.Known, to.Glob, to.Text == "", to.Text == "-":
		w.at.unsure = true
	case to.Tilde, strings.HasPrefix(to.Text, "/"):
		w.at = place{dir: path.Clean(to.Text)}
	default:
		dir, ok := join(w.at.dir, to.Text)
		w.at.dir = dir
		w.at.unsure = w.at.unsure || !ok || w.sets["CDPATH"]+w.sets["cdpath"] > 0
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
