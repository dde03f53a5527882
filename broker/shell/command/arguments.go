package command

import (
	"slices"
	"strings"
)

// arguments are the words behind a program, as parse tells them apart. A row that reads its
// words itself may set words and rest and call parse again, as those of env and ssh do.
type arguments struct {
	words []Word // all of them
	opts  []given
	rest  []Word // operands
	ended bool   // a "--" was seen
}

// given is an option as it was given, by the name that it has in the row. An option that the
// row does not list is here too, by the name in the text.
type given struct {
	name  string
	value Word
	has   bool // has a value

	operands int // that stand before it
}

// has reports whether any of the options was given; given has them in their order, repeated
// ones as well. Names are those of the row, so that a shortened one is found by its full name.
func (a *arguments) has(names ...string) bool { return len(a.given(names...)) > 0 }

// given are the options of these names in their order, once for each time that they stand
// there.
func (a *arguments) given(names ...string) []given {
	var found []given
	for _, g := range a.opts {
		if slices.Contains(names, g.name) {
			found = append(found, g)
		}
	}
	return found
}

// values are the values that were given to any of the options.
func (a *arguments) values(names ...string) []Word {
	var words []Word
	for _, g := range a.given(names...) {
		if g.has {
			words = append(words, g.value)
		}
	}
	return words
}

// hasLong says whether an option was given whose name, maybe shortened, is one of names. It is
// for options that the row does not list, which parse therefore could not complete.
func (a *arguments) hasLong(names ...string) bool {
	return slices.ContainsFunc(a.opts, func(g given) bool {
		return len(g.name) > 2 && strings.HasPrefix(g.name, "--") && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, g.name) })
	})
}

// lettered reports whether a word of options has one of letters. Systems disagree on
// which letters take the rest of their word as a value, so that is not looked at.
func (a *arguments) lettered(letters string) bool {
	for _, w := range a.words {
		switch {
		case w.Text == "--":
			return false
		case isShort(w.Text) && strings.ContainsAny(w.Text, letters):
			return true
		}
	}
	return false
}

// first is the first operand, or nothing.
func (a *arguments) first() []Word { return a.rest[:min(1, len(a.rest))] }

// after are the operands but for the first n.
func (a *arguments) after(n int) []Word { return a.rest[min(n, len(a.rest)):] }

// operand is the text of an operand, "" where there is none.
func (a *arguments) operand(i int) string { return textAt(a.rest, i) }

// Option is one option of a command, as the command's program reads it.
type Option struct {
	Name     string // as the tables have it, never shortened
	Value    string
	Operands int  // that stand before it
	Known    bool // to the tables; behind one that is not may stand its value
}

// Options are the options of a command in their order, by the tables that say which of them
// take a value, and how many operands there are. ok is false for a program that the tables do
// not know. argv are known words after quote removal; options behind a subcommand are not
// looked into.
func Options(argv []string) (list []Option, operands int, ok bool) {
	c, ok := parsed(argv)
	if !ok {
		return nil, 0, false
	}
	for _, g := range c.opts {
		_, known := c.list.byName[g.name]
		list = append(list, Option{Name: g.name, Value: g.value.Text, Operands: g.operands, Known: known})
	}
	return list, len(c.rest), true
}

// Given reports whether a command's program, or its subcommand, reads one of the words as this
// option, with no value. known is false where the tables cannot tell: they have no row for the
// program, or none for the subcommand.
func Given(argv []string, option string) (given, known bool) {
	c, ok := parsed(argv)
	for ok {
		for _, g := range c.given(option) {
			if !g.has {
				return true, true
			}
		}
		if c.subs == nil || len(c.rest) == 0 {
			return false, true
		}
		var s *spec
		s, ok = c.subs[c.rest[0].Text]
		c = newCall(s, c.name+" "+c.rest[0].Text, c.rest[1:], &Meaning{})
		if ok {
			c.parse()
		}
	}
	return false, false
}

// parsed is a command with its options told from its operands, but for those of a subcommand.
// Its meaning is thrown away: who asks here wants the words alone.
func parsed(argv []string) (*call, bool) {
	if len(argv) == 0 {
		return nil, false
	}
	name, _, twisted := programOf(literal(argv[0]))
	s, _, found := lookUp(name)
	if !found || twisted {
		return nil, false
	}
	c := newCall(s, name, literals(argv[1:]), &Meaning{})
	if s.By == "tar" {
		unbundle(c)
	}
	c.parse()
	return c, true
}
