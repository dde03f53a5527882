package shell

import (
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"path"
	"strings"
)

// nested walks what a wrapper runs. e is the wrapper's own element; what is wrong
// with a wrapper that has none is wrong with all that it runs.
func (w *walker) nested(e Element, c run1, m meaning) {
	base := path.Base(c.args[0].text)
	inner := run1{text: c.text, via: c.via.and(base, base), host: first(m.host, c.host)}
	if m.wrapper != "" {
		inner.via = c.via.and(m.wrapper, c.args[0].text)
		inner.exact, inner.unsure = e.Exact, e.Unsure
	}
	at := w.at
	if !keeps(c.args, inner.host) {
		w.at.unsure = true
	}
	byRaw := make(map[string]arg, len(c.args))
	for _, a := range c.args {
		byRaw[a.raw] = a
	}
	for _, r := range m.runs {
		next := inner
		next.more, next.fed = c.more || r.more, c.fed || r.fed
		for _, word := range r.words {
			a := arg{word: word}
			if old, ok := byRaw[word.raw]; ok && old.known == word.known {
				a.why, a.fd, a.quoted = old.why, old.fd, old.quoted
			}
			next.args = append(next.args, a)
		}
		w.run(next)
	}
	for _, s := range m.scripts {
		w.script(inner, s, c)
	}
	if !w.within(inner.via) {
		w.at = at
	}
}

// keeps reports whether a wrapper runs its command in the folder that it is in itself.
func keeps(args []arg, host string) bool {
	if host != "" || !stays.Has(path.Base(args[0].text)) {
		return false
	}
	for _, a := range args[1:] {
		for _, option := range []string{"-C", "-D", "-R", "-i", "--chdir", "--login", "--root", "-execdir", "-okdir", "--directory"} {
			if strings.HasPrefix(a.text, option) {
				return false
			}
		}
	}
	return true
}

// stays are wrappers that do not change the folder unless an option says so.
var stays = wordset.New(`sh bash dash zsh ksh mksh ash env sudo doas timeout nice ionice chrt nohup time xargs eval
	command builtin exec stdbuf setsid find watch parallel flock strace ltrace script caffeinate taskset unbuffer`)

// script walks a text that a shell reads.
func (w *walker) script(c run1, s script, outer run1) {
	e := w.element(Command, outer.text)
	e.Kind = Unknown
	c.around(&e)
	switch {
	case !s.text.known || s.text.glob || s.text.tilde:
		e.Unsure = first(c.unsure, "the script "+cite(s.text.raw)+" is not known before it runs")
	case outer.fed:
		e.Unsure = first(c.unsure, "names that nobody knows are put into the script "+cite(s.text.raw))
	}
	if e.Unsure != "" {
		w.add(e)
		return
	}
	if w.inner += len(s.text.text); w.inner > maxInner {
		panic(beyond("its scripts are too long"))
	}
	file, why := w.read(s.text.text)
	if why != "" {
		e.Unsure = why
		w.add(e)
		return
	}
	sub := &walker{
		output: w.output, src: s.text.text, at: w.at, in: input{kind: w.in.kind},
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
			e.Argv = append(e.Argv, a.text)
		}
		w.add(e)
	}
}

// given adds a variable that a wrapper sets for what it runs.
func (w *walker) given(a assign, c run1, exported bool) {
	e := w.element(Assign, c.text)
	c.around(&e)
	e.Name, e.Value, e.Exported = a.name.text, a.value.text, exported
	if !a.name.known || !a.value.known || a.value.glob || a.value.tilde {
		e.Unsure = "what is set is not known: " + cite(first(a.value.raw, a.name.raw))
	}
	w.addAssign(e)
}

// operand adds a file that a command names.
func (w *walker) operand(f file, c run1) {
	if c.fed && strings.Contains(f.path.text, "{}") {
		return // names that nobody knows; the wrapper says where they come from
	}
	for _, a := range c.args {
		if a.fd && a.raw == f.path.raw {
			return // <(…) is no file; what runs in it is an element
		}
	}
	e := w.element(Read, f.path.raw)
	if f.write {
		e.Kind = Write
	}
	c.around(&e)
	e.Path, e.Home, e.Glob = f.path.text, f.path.tilde, f.path.glob
	e.Operand, e.Deletes, e.Tree = true, f.deletes, f.tree
	if !f.path.known {
		e.Unsure = cite(f.path.raw) + " is not known before it runs"
	}
	w.add(e)
}

// chdir moves to the folder of a cd.
func (w *walker) chdir(to word) {
	w.moved = true
	if w.moves.any() {
		w.at.unsure = true
		return
	}
	switch {
	case to == (word{}):
		w.at = place{dir: "~", unsure: w.home}
	case !to.known, to.glob, to.text == "", to.text == "-":
		w.at.unsure = true
	case to.tilde, strings.HasPrefix(to.text, "/"):
		w.at = place{dir: path.Clean(to.text)}
	default:
		dir, ok := join(w.at.dir, to.text)
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
