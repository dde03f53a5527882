package shell

import (
	"cmp"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/plain"
	"mvdan.cc/sh/v3/syntax"
)

// assign adds an assignment. exported: it belongs to a command or to export.
//
// It remembers the value for the words that follow only where nothing speaks against it: the
// value is sure, no tilde is in it, it is not set for one command alone, it surely runs, and
// the text sets that name once (survey).
func (s *state) assign(a *syntax.Assign, exported bool) {
	e := s.element(Assign, s.cut(a))
	e.Name, e.Exported = a.Name.Value, exported
	var v arg
	switch {
	// a[$(cmd)]=1 runs cmd, as an index is computed.
	case a.Index != nil:
		v.why = "which part of " + command.Cite(e.Name) + " is set may be computed"
	case a.Array != nil:
		e.Value, v = s.array(a.Array)
	default:
		v = s.value(a.Value)
		e.Value = v.Text
	}
	// A wildcard in a value is expanded later, when the variable is used without quotes.
	if !v.Known || v.Glob {
		e.Unsure = v.doubt()
	}
	s.addAssign(e)
	if e.Unsure == "" && !exported && !v.Tilde && s.branch == 0 && s.known(e.Name) {
		s.vars[e.Name] = value{text: v.Text}
	}
}

// array evaluates the elements of an array. text has them with a blank between, for the screen
// and for the judgement of what the variable may hold; v is known when all of them are.
func (src *source) array(a *syntax.ArrayExpr) (text string, v arg) {
	v.Known = true
	var texts []string
	for _, elem := range a.Elems {
		if !numeric(elem.Index) {
			v.Known, v.why = false, "an index of an array may be computed"
		}
		if elem.Value == nil {
			continue
		}
		for _, one := range src.words(elem.Value) {
			if !one.sure() {
				v.Known, v.why = false, cmp.Or(v.why, one.why)
			}
			texts = append(texts, one.Text)
		}
	}
	return strings.Join(texts, " "), v
}

// addAssign judges an assignment by its name and adds it. Some names decide which programs run
// later (PATH, LD_PRELOAD and the like; command.Setting knows them). Others are computed by the
// shell, and computing runs a substitution in a subscript.
func (s *state) addAssign(e Element) {
	exact, unsure := command.Setting(e.Name, e.Value, e.Exported)
	e.Exact = exact
	e.Unsure = cmp.Or(e.Unsure, unsure)
	switch {
	case e.Unsure != "":
	// The text may reach eval, a prompt or another shell, which expand it once more.
	case strings.Contains(e.Value, "$(") || strings.Contains(e.Value, "`") || strings.Contains(e.Value, "${"):
		e.Unsure = "its value looks like code that may be run later"
	case special.Has(e.Name) && strings.Contains(e.Value, "["), plain.Counted(e.Name) && !smallNumber(e.Value):
		e.Unsure = "the shell computes the value of " + e.Name
	}
	// What sets a harmless variable needs no rule.
	e.Neutral = e.Unsure == "" && e.Exact == ""
	s.add(e)
}

// insideAssign walks what runs while an assignment's value is made: substitutions in the value,
// in its subscript and in the elements of an array.
func (w *walker) insideAssign(a *syntax.Assign) {
	w.insideArithm(a.Index)
	w.inside(a.Value)
	if a.Array == nil {
		return
	}
	for _, elem := range a.Array.Elems {
		w.insideArithm(elem.Index)
		w.inside(elem.Value)
	}
}

// declare walks declare, export and the like. Each name becomes an Assign element. Options that
// give a variable another nature, such as -i or -n, make the whole clause unsure, as later
// assignments then mean something else.
func (w *walker) declare(d *syntax.DeclClause) {
	exported := d.Variant.Value == "export"
	from := len(w.elements)
	for _, a := range d.Args {
		if option := declareOption(a); option != "" {
			// declare -x exports what follows it.
			exported = exported || strings.Contains(option, "x")
			if !plainDeclare(option) {
				w.unsure(d, d.Variant.Value+" "+option+" changes what values mean")
			}
			continue
		}
		w.declareOne(d, a, exported)
	}
	if from == len(w.elements) { // it only lists variables
		e := w.builtin(d, d.Variant.Value)
		e.Neutral = len(d.Args) == 0
		w.add(e)
	}
	for _, a := range d.Args {
		w.insideAssign(a)
	}
}

// declareOption is the option that a word of declare is, or "". The parser gives such a word as
// an assignment without a name.
func declareOption(a *syntax.Assign) string {
	if a.Name != nil {
		return ""
	}
	if lit := a.Value.Lit(); strings.HasPrefix(lit, "-") || strings.HasPrefix(lit, "+") {
		return lit
	}
	return ""
}

// declareOne adds what one word of declare sets. A name alone, as in "export NAME", shows
// programs what the variable holds, so an unknown value is a doubt there.
func (s *state) declareOne(d *syntax.DeclClause, a *syntax.Assign, exported bool) {
	switch {
	case !a.Naked && a.Value != nil && countBraces(a.Value) > 0:
		s.unsure(a, "shells disagree about braces in "+command.Cite(s.cut(a)))
	case !a.Naked:
		s.assign(a, exported)
		s.keep(d, a)
	case a.Name != nil && a.Index == nil:
		e := s.element(Assign, s.cut(a))
		e.Name, e.Exported = a.Name.Value, exported
		// What the variable holds is judged like a value that is given here.
		v, ok := s.vars[e.Name]
		if e.Value = v.text; exported && !ok {
			e.Unsure = "what " + command.Cite(e.Name) + " holds is not known"
		}
		s.addAssign(e)
	default: // "NAME=value" in quotes, or a value that decides by itself what is set
		s.declareQuoted(a, exported)
	}
}

// keep remembers what an exported variable holds; assign does so for others. Of the words of
// DeclClause only export is that plain: declare in a function makes a variable of its own.
func (s *state) keep(d *syntax.DeclClause, a *syntax.Assign) {
	last := s.elements[len(s.elements)-1]
	if d.Variant.Value != "export" || last.Unsure != "" || s.branch > 0 || !s.known(a.Name.Value) {
		return
	}
	if v := s.value(a.Value); !v.Tilde {
		s.vars[a.Name.Value] = value{text: v.Text}
	}
}

// declareQuoted adds a word of declare that the parser did not read as name=value, such as
// "A=$x" in quotes. What it sets is taken from the word's value, as far as that is known.
func (s *state) declareQuoted(a *syntax.Assign, exported bool) {
	e := s.element(Assign, s.cut(a))
	e.Exported = exported
	v := arg{why: "what it sets is not known"}
	if a.Value != nil {
		v = s.value(a.Value)
	}
	name, val, ok := strings.Cut(v.Text, "=")
	e.Name, e.Value = strings.TrimSuffix(name, "+"), val
	if !ok { // nor is there a "=" when the value is not known
		e.Unsure = cmp.Or(v.why, "shells disagree about what it sets")
	}
	s.addAssign(e)
}
