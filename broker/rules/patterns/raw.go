package patterns

import "strings"

// RawText is the raw text of a line that is not fully understood, as deny rules search it. It
// does not change and is asked for each rule.
type RawText struct {
	line   string
	tokens []string // the words, whatever stands between them
	Names  []string // the same in lower case, as names of programs
	bare   string   // tokens joined by blanks
}

// ReadText cuts a raw text into words. It never fails, and its size is a few times that of the
// line.
func ReadText(line string) *RawText {
	t := &RawText{line: line, tokens: tokenize(line)}
	for _, w := range t.tokens {
		t.Names = append(t.Names, strings.ToLower(w))
	}
	t.bare = strings.Join(t.tokens, " ")
	return t
}

// tokenize cuts a raw text into words, whatever quotes and separators are in between. r""m and
// r\m become rm, as they do in a shell; that it also cuts where a shell would not is no harm to
// a refusal.
func tokenize(raw string) []string {
	bare := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(raw)
	return strings.FieldsFunc(bare, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune(";|&<>(){}`$=,", r)
	})
}

// Absent are words that are known to stand nowhere further on in a text. It belongs to one
// search and is filled by it.
type Absent map[*words]bool

// LongText is the number of words from which on it pays to remember what is not there.
const LongText = 256

// InText reports whether the words of a pattern stand in a text, one after the other: from the
// word at on, or anywhere with -1. over is what earlier questions about this text have found.
// The pattern must be a lenient one.
func (c *Command) InText(t *RawText, at int, over Absent) bool {
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
		case !over[w]:
			ok, never := w.startsText(t, at)
			if ok {
				return true
			}
			if never && len(t.tokens) > LongText {
				over[w] = true
			}
		}
	}
	return false
}

// anywhere reports whether the words stand somewhere in the text. A pattern of nothing
// but wildcards stands in every text.
func (w *words) anywhere(t *RawText) bool {
	for i := range t.tokens {
		if ok, over := w.startsText(t, i); ok || over {
			return ok
		}
	}
	return len(w.tokens) == 0
}

// startsText reports whether the words stand in the text from one token on. over: what comes
// behind a wildcard was not found up to the end, so it is not found from any later token
// either; without that, a long text would be searched once for each of its words. The first
// token is a program's name, with or without its folder.
func (w *words) startsText(t *RawText, at int) (ok, over bool) {
	if len(w.tokens) == 0 {
		return true, false
	}
	first := w.tokens[0]
	if first.many {
		return matchPrefix(w.tokens, t.tokens[at:])
	}
	if name := t.Names[at]; !first.match(name) && !first.match(BaseName(name)) {
		return false, false
	}
	return matchPrefix(w.tokens[1:], t.tokens[at+1:])
}

// finishTokens cuts the words of an alternative as tokenize would cut a text. Words with
// wildcards stay whole: only literal texts can be cut where a text is cut. Words for many at
// the end fit anyway and go away.
func (w *words) finishTokens() {
	for _, x := range w.list {
		if !x.Exact() {
			w.tokens = append(w.tokens, x)
			continue
		}
		for _, t := range tokenize(x.Glob[0]) {
			w.tokens = append(w.tokens, word{Glob: Glob{t}})
		}
	}
	for len(w.tokens) > 0 && w.tokens[len(w.tokens)-1].many {
		w.tokens = w.tokens[:len(w.tokens)-1]
	}
}

// matchPrefix fits the first words of tokens to a pattern; over as in startsText. Words may
// follow.
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
