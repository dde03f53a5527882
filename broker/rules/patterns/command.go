package patterns

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A command pattern is matched against the words that a program gets, one element of a
// command line at a time. It is split into words as a shell would, so quotes write a
// blank or a wildcard literally:
//
//	git push origin main     these words exactly
//	git push *               "*" as the last word: any further words, or none
//	git ** --force           "**": any number of words, or none
//	npm run test:*           "*" inside a word: any characters of that word
//	npm test|npm run lint    alternatives
//	re:go (build|vet) .*     the words joined by single blanks
//	line:make -C a && ls     the whole command line, character by character
//
// On the strict side the first word without "/" is a name that is looked up in PATH, so
// that "npm *" says nothing about ./npm, and what begins with a tilde needs an exact
// pattern; on the lenient side it is the last part of any
// path, in any case of letters.

// LinePrefix begins a pattern over a whole command line.
const LinePrefix = "line:"

// Command is a pattern of the words of one command. It is made for one side, strict or lenient,
// and asked with the match of that side. alts and re exclude each other, and a line: pattern
// has neither.
type Command struct {
	alts   []words
	re     *regexp.Regexp
	head   string         // what every text that re fits begins with
	search *regexp.Regexp // lenient: re anywhere in a raw text
	slash  bool           // re names a path, not only a program
	Line   string         // of a line: pattern
	IsLine bool
	Exact  bool
}

// words is one alternative of a command pattern.
type words struct {
	list  []word
	slash bool   // the first word holds a "/"
	name  string // the first word in lower case when it is literal, else ""
	exact bool

	tokens []word // list as it would stand in a raw text; lenient side only
}

// word is one word of a pattern. many stands for any number of words, and is not exact. Its
// Glob is then that of "**", which finish and matchWords pass over.
type word struct {
	Glob
	many bool
}

// ParseCommand reads a pattern of a command. lenient: of a rule that does not allow. s has
// passed Check; an error completes a sentence that begins with the field's name.
func ParseCommand(s string, lenient bool) (*Command, error) {
	if body, ok := strings.CutPrefix(s, Expression); ok {
		return parseCommandRE(body, lenient)
	}
	if body, ok := strings.CutPrefix(s, LinePrefix); ok {
		if body == "" {
			return nil, errors.New("has nothing after its line: prefix")
		}
		return &Command{Line: body, IsLine: true, Exact: true}, nil
	}
	c := &Command{Exact: true}
	p := patternWords{s: s}
	for more := true; more; {
		var w words
		var err error
		if w, more, err = p.alternative(); err != nil {
			return nil, err
		}
		if lenient {
			w.list[0].Glob = lowerGlob(w.list[0].Glob)
			w.finishTokens()
		}
		c.alts = append(c.alts, w)
		c.Exact = c.Exact && w.exact
	}
	return c, nil
}

// parseCommandRE reads an expression over the words joined by blanks. For refusing rules it is
// also made ready to be searched for in a raw text.
func parseCommandRE(body string, lenient bool) (*Command, error) {
	re, err := compileRE(body, dotAll(lenient))
	if err != nil {
		return nil, err
	}
	c := &Command{re: re, head: headRE(body), slash: strings.Contains(body, "/")}
	if lenient {
		c.search, err = searchRE(body)
	}
	return c, err
}

// lowerGlob is g in lower case: on the lenient side names of programs are compared without
// regard to capitals.
func lowerGlob(g Glob) Glob {
	low := make(Glob, len(g))
	for i, s := range g {
		low[i] = strings.ToLower(s)
	}
	return low
}

// patternWords splits a command pattern.
type patternWords struct {
	s string
	i int
}

// alternative reads up to the next | or the end.
func (p *patternWords) alternative() (w words, more bool, err error) {
	for {
		for p.i < len(p.s) && p.s[p.i] == ' ' {
			p.i++
		}
		if p.i == len(p.s) || p.s[p.i] == '|' {
			break
		}
		next, err := p.word()
		if err != nil {
			return w, false, err
		}
		w.list = append(w.list, next)
	}
	if more = p.i < len(p.s); more {
		p.i++
	}
	if len(w.list) == 0 {
		return w, false, errNoAlt
	}
	w.finish()
	return w, more, nil
}

// finish notes of an alternative what every match would have to find out again.
func (w *words) finish() {
	last := &w.list[len(w.list)-1]
	// A "*" that stands alone at the end means any words, as everybody expects of "npm *".
	if len(last.Glob) == 2 && last.Glob[0] == "" && last.Glob[1] == "" {
		last.many = true
	}
	w.exact = true
	for _, x := range w.list {
		w.exact = w.exact && x.Exact()
	}
	first := w.list[0]
	w.slash = strings.Contains(strings.Join(first.Glob, ""), "/")
	if first.Exact() {
		w.name = strings.ToLower(first.Glob[0])
	}
}

// word reads one word. Operators of the shell have no meaning in a pattern, and whoever writes
// them believes that they have one. So they are an error here and not a pattern that fits
// nothing.
func (p *patternWords) word() (word, error) {
	var w word
	var lit strings.Builder
	start := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == ' ' || c == '|':
			return p.done(w, &lit, start), nil
		case strings.IndexByte(";&<>()`", c) >= 0:
			return w, fmt.Errorf("has a %q outside of quotes: a pattern fits one command of a line; write alternatives with |, or line: and the whole line", c)
		case c == '*':
			for p.i+1 < len(p.s) && p.s[p.i+1] == '*' {
				p.i++
			}
			w.Glob = append(w.Glob, lit.String())
			lit.Reset()
			p.i++
		default:
			if err := p.literal(&lit); err != nil {
				return w, err
			}
		}
	}
	return p.done(w, &lit, start), nil
}

// done ends the word that began at start.
func (p *patternWords) done(w word, lit *strings.Builder, start int) word {
	w.Glob = append(w.Glob, lit.String())
	w.many = p.s[start:p.i] == "**"
	return w
}

// literal reads one character, an escaped one, or a text in quotes. Quotes work as in a shell,
// but $ and backquotes mean nothing.
func (p *patternWords) literal(lit *strings.Builder) error {
	c := p.s[p.i]
	p.i++
	switch c {
	case '\\':
		if p.i == len(p.s) {
			return errTrailing
		}
		lit.WriteByte(p.s[p.i])
		p.i++
	case '\'', '"':
		for {
			if p.i == len(p.s) {
				return fmt.Errorf("has a %q that is not closed", c)
			}
			d := p.s[p.i]
			p.i++
			if d == c {
				return nil
			}
			if d == '\\' && c == '"' && p.i < len(p.s) {
				d = p.s[p.i]
				p.i++
			}
			lit.WriteByte(d)
		}
	default:
		lit.WriteByte(c)
	}
	return nil
}

// Spoken are the words of a command as a program gets them.
type Spoken struct {
	Argv   []string
	joined string // by single blanks
	Name   string // the first word in lower case
	Base   string // the last part of name
}

// Speak makes the words of a command ready to be matched. argv is kept and must not change.
func Speak(argv []string) Spoken {
	s := Spoken{Argv: argv, joined: strings.Join(argv, " ")}
	if len(argv) > 0 {
		s.Name = strings.ToLower(argv[0])
		s.Base = BaseName(s.Name)
	}
	return s
}

// BaseName is the last part of a path.
func BaseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// MatchStrict reports whether the pattern certainly means this command. An expression must not
// see the blanks inside the first word, nor be led to a program in another folder.
func (c *Command) MatchStrict(s *Spoken) bool {
	if len(s.Argv) == 0 || !c.Exact && strings.HasPrefix(s.Argv[0], "~") {
		return false
	}
	path := strings.Contains(s.Argv[0], "/")
	if c.re != nil {
		return !strings.Contains(s.Argv[0], " ") && (c.slash || !path) && !Climbs(s.Argv[0]) && c.fits(s.joined)
	}
	for i := range c.alts {
		if w := &c.alts[i]; w.slash == path && w.matchStrict(s.Argv) {
			return true
		}
	}
	return false
}

// fits is re, with the cheapest look first.
func (c *Command) fits(s string) bool {
	return strings.HasPrefix(s, c.head) && c.re.MatchString(s)
}

// matchStrict fits one alternative for a rule that allows.
func (w *words) matchStrict(argv []string) bool {
	if w.exact {
		return w.same(argv)
	}
	first := w.list[0]
	// A wildcard in the name of a program does not lead into another folder.
	if !first.Exact() && (strings.Count(argv[0], "/") != countSlashes(first.Glob) || Climbs(argv[0])) {
		return false
	}
	return matchWords(w.list, argv, true)
}

// same reports whether argv are the words of an exact pattern.
func (w *words) same(argv []string) bool {
	if len(argv) != len(w.list) {
		return false
	}
	for i := range argv {
		if argv[i] != w.list[i].Glob[0] {
			return false
		}
	}
	return true
}

// MatchLenient reports whether the pattern may mean this command. A line: pattern never does:
// it is for whole lines.
func (c *Command) MatchLenient(s *Spoken) bool {
	if len(s.Argv) == 0 || c.IsLine {
		return false
	}
	if c.re != nil {
		return c.fits(s.joined)
	}
	for i := range c.alts {
		if c.alts[i].matchLenient(s) {
			return true
		}
	}
	return false
}

// matchLenient fits one alternative for a rule that refuses: the program by its path or by its
// last part.
func (w *words) matchLenient(s *Spoken) bool {
	first := w.list[0]
	if first.many {
		return matchWords(w.list, s.Argv, false)
	}
	if !first.match(s.Name) && !first.match(s.Base) {
		return false
	}
	return matchWords(w.list[1:], s.Argv[1:], false)
}

// matchWords fits all words of argv to a pattern. A word for many is tried with few words
// first; going back to the latest one only is enough, as for "*" in a text. So the time is at
// most the product of both lengths, whatever a hostile line has.
func matchWords(list []word, argv []string, strict bool) bool {
	p, i, back, from := 0, 0, 0, 0 // back: behind the latest word for many, which began at from
	for i < len(argv) {
		switch {
		case p < len(list) && list[p].many:
			p++
			back, from = p, i
		case p < len(list) && list[p].fits(argv[i], strict):
			p++
			i++
		// No match here: let the latest word for many take one more, and try again behind it.
		case back > 0:
			from++
			p, i = back, from
		default:
			return false
		}
	}
	for p < len(list) && list[p].many {
		p++
	}
	return p == len(list)
}

// fits matches one word. A wildcard in a path does not climb out of it: src/* does not
// certainly mean src/../../x.
func (w *word) fits(s string, strict bool) bool {
	if strict && !w.Exact() && Climbs(s) && countSlashes(w.Glob) > 0 {
		return false
	}
	return w.match(s)
}

// countSlashes counts those in the literal parts.
func countSlashes(g Glob) int {
	n := 0
	for _, s := range g {
		n += strings.Count(s, "/")
	}
	return n
}

// Climbs reports whether path has a component "..".
func Climbs(path string) bool {
	for rest, more := path, true; more; {
		var part string
		if part, rest, more = strings.Cut(rest, "/"); part == ".." {
			return true
		}
	}
	return false
}

// Spells reports whether an alternative that fits argv has its first n words without any
// wildcard. It is asked where a rule with an open end may speak because it names enough.
func (c *Command) Spells(argv []string, n int) bool {
	for i := range c.alts {
		w := &c.alts[i]
		if len(w.list) < n || !w.matchStrict(argv) {
			continue
		}
		if w.literal() >= n {
			return true
		}
	}
	return false
}

// literal is how many words of w, from the first, have no wildcard.
func (w *words) literal() int {
	if open := slices.IndexFunc(w.list, func(x word) bool { return !x.Exact() }); open >= 0 {
		return open
	}
	return len(w.list)
}

// NamesWords reports whether an alternative without wildcards is just these words.
func (c *Command) NamesWords(argv []string) bool {
	return slices.ContainsFunc(c.alts, func(w words) bool { return w.exact && w.same(argv) })
}
