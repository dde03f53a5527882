package rules

import (
	"strings"
	"time"
)

// rawText is the raw text of a line that is not fully understood, as deny rules search it.
type rawText struct {
	line   string
	tokens []string // the words, whatever stands between them
	names  []string // the same in lower case, as names of programs
	bare   string   // tokens joined by blanks
}

func readText(line string) *rawText {
	t := &rawText{line: line, tokens: tokenize(line)}
	for _, w := range t.tokens {
		t.names = append(t.names, strings.ToLower(w))
	}
	t.bare = strings.Join(t.tokens, " ")
	return t
}

// tokenize cuts a raw text into words, whatever quotes and separators are in between.
func tokenize(raw string) []string {
	bare := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(raw)
	return strings.FieldsFunc(bare, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune(";|&<>(){}`$=,", r)
	})
}

// textSearch looks for the deny rule that speaks first about a text.
type textSearch struct {
	search
	best *entry
	over map[*words]bool // words that are known to stand nowhere further on
}

// rawDeny returns the first deny rule about commands whose words stand in the text of
// the line.
func (s *Set) rawDeny(c *Call, now time.Time) *entry {
	f := textSearch{search: search{c: c, now: now}}
	f.shelf(s.tools[c.q.Tool])
	f.shelf(s.wild)
	return f.best
}

func (f *textSearch) shelf(h *shelf) {
	if h == nil {
		return
	}
	f.try(h.command, -1)
	for i, name := range f.c.text.names {
		f.try(h.byName[name], i)
		if base := baseName(name); base != name {
			f.try(h.byName[base], i)
		}
	}
}

// try tries rules whose words begin at one token, or anywhere with -1. What else than
// a command a rule asks for cannot be seen in a text.
func (f *textSearch) try(list []*entry, at int) {
	for _, e := range list {
		if e.rule.Decision != Deny || f.best != nil && e.rank >= f.best.rank || !e.tool.match(f.c.q.Tool) || !e.live(f.c, f.now) {
			continue
		}
		if e.parts == 1 && f.conditions(e) && f.inText(e.command, at) {
			f.best = e
		}
	}
}

// longText is the number of words from which on it pays to remember what is not there.
const longText = 256

// inText reports whether the words of a pattern stand in the text, one after the other.
func (f *textSearch) inText(c *commandPattern, at int) bool {
	t := f.c.text
	if c.re != nil {
		return c.search.MatchString(t.line) || c.search.MatchString(t.bare)
	}
	for i := range c.alts {
		w := &c.alts[i]
		switch {
		case at < 0:
			if w.anywhere(t) {
				return true
			}
		case !f.over[w]:
			ok, over := w.startsText(t, at)
			if ok {
				return true
			}
			if over && len(t.tokens) > longText {
				if f.over == nil {
					f.over = map[*words]bool{}
				}
				f.over[w] = true
			}
		}
	}
	return false
}

// anywhere reports whether the words stand somewhere in the text. A pattern of nothing
// but wildcards stands in every text.
func (w *words) anywhere(t *rawText) bool {
	for i := range t.tokens {
		if ok, over := w.startsText(t, i); ok || over {
			return ok
		}
	}
	return len(w.tokens) == 0
}

// startsText reports whether the words stand in the text from one token on. over: what
// comes behind a wildcard was not found up to the end, so it is not found from any later
// token either; without that, a long text would be searched once for each of its words.
func (w *words) startsText(t *rawText, at int) (ok, over bool) {
	if len(w.tokens) == 0 {
		return true, false
	}
	first := w.tokens[0]
	if first.many {
		return matchPrefix(w.tokens, t.tokens[at:])
	}
	if name := t.names[at]; !first.match(name) && !first.match(baseName(name)) {
		return false, false
	}
	return matchPrefix(w.tokens[1:], t.tokens[at+1:])
}

// finishTokens cuts the words of an alternative as tokenize would cut a text. Words
// with wildcards stay whole: only literal texts can be cut where a text is cut.
func (w *words) finishTokens() {
	for _, x := range w.list {
		if !x.exact() {
			w.tokens = append(w.tokens, x)
			continue
		}
		for _, t := range tokenize(x.glob[0]) {
			w.tokens = append(w.tokens, word{glob: glob{t}})
		}
	}
	for len(w.tokens) > 0 && w.tokens[len(w.tokens)-1].many {
		w.tokens = w.tokens[:len(w.tokens)-1]
	}
}

// matchPrefix fits the first words of tokens to a pattern; over as in startsText.
func matchPrefix(list []word, tokens []string) (ok, over bool) {
	p, i, back, from := 0, 0, 0, 0 // as in matchWords
	for p < len(list) {
		switch {
		case list[p].many:
			p++
			back, from = p, i
		case i < len(tokens) && list[p].match(tokens[i]):
			p++
			i++
		case back > 0 && from < len(tokens):
			from++
			p, i = back, from
		default:
			return false, back > 0
		}
	}
	return true, false
}
