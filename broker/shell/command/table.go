package command

import (
	"fmt"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/programs"
)

// spec is one row of the table: what the page of a program says, with the functions that it names.
type spec struct {
	*programs.Row

	list *options
	ops  func(*call) // says what options and operands mean, after they were told apart
	raw  func(*call) // reads the words itself
	subs map[string]*spec
}

var (
	tableOnce sync.Once
	tableRows map[string]*spec
)

// table is every row by the program's name. It is made when it is first asked for. A page that names a
// function which is none is a fault of this build, which the tests find, and a panic.
func table() map[string]*spec {
	tableOnce.Do(func() {
		l := loader{functions: specials(), made: map[*programs.Row]*spec{}}
		tableRows = l.specs(programs.Rows())
	})
	return tableRows
}

// loader finds the functions that rows name. Names that share a row share its spec.
type loader struct {
	functions map[string]func(*call)
	made      map[*programs.Row]*spec
}

func (l loader) specs(rows map[string]*programs.Row) map[string]*spec {
	all := make(map[string]*spec, len(rows))
	for name, row := range rows {
		if l.made[row] == nil {
			l.made[row] = l.spec(row)
		}
		all[name] = l.made[row]
	}
	return all
}

func (l loader) spec(row *programs.Row) *spec {
	s := &spec{Row: row, list: optionsOf(row)}
	var err error
	if s.ops, err = l.function(row.Then); err != nil {
		panic(err)
	}
	if s.raw, err = l.function(row.By); err != nil {
		panic(err)
	}
	if row.Subs != nil {
		s.subs = l.specs(row.Subs)
	}
	return s
}

// call is one command while its row is applied to it.
type call struct {
	*spec
	name  string // of the program, with its subcommand: "git push"
	words []Word // after the program
	opts  []given
	rest  []Word // operands
	ended bool   // a "--" was seen
	m     Meaning
}

// given is an option as it was given, by the name that it has in the row.
type given struct {
	name  string
	value Word
	has   bool // has a value

	operands int // that stand before it
}

func (c *call) inspect() {
	if c.Whole != "" {
		c.exactf("%s %s", c.name, c.Whole)
	}
	if c.Never != "" {
		c.unsuref("%s %s", c.name, c.Never)
	}
	if c.raw != nil {
		c.raw(c)
		return
	}
	c.parse()
	if programs.Is(programs.OptionFile, c.name) {
		c.optionFile()
	}
	if c.Lax && c.ops == nil && c.subs == nil && c.Whole == "" && !c.Wraps && !strings.HasPrefix(c.name, "git ") {
		c.farOperands() // the words of git are of its repository
	}
	if c.subs != nil {
		c.sub(c.rest)
	}
	if c.Wraps {
		c.wrap(c.Skip)
	}
	if c.ops != nil {
		c.ops(c)
	}
}

func (c *call) optionFile() {
	for _, w := range c.words {
		if strings.HasPrefix(w.Text, "@") {
			c.unsuref("%s reads options from a file", c.name)
		}
	}
}

// sub goes on with the row of the subcommand that words begin with.
func (c *call) sub(words []Word) {
	if len(words) == 0 {
		return
	}
	s, ok := c.subs[words[0].Text]
	if !ok {
		if c.Other != "" {
			c.exactf("%s: %s", c.name, c.Other)
		} else if c.Stop {
			c.foreignWords(words[1:])
		}
		return
	}
	d := &call{spec: s, name: c.name + " " + words[0].Text, words: words[1:], m: c.m}
	d.inspect()
	c.m = d.m
}

// farOperands doubts operands of which the row says nothing and that lie elsewhere: the
// program may write them, or do what they say.
func (c *call) farOperands() {
	for _, w := range c.rest {
		if faraway(w) {
			c.exactf("%s is given a file outside of its folder", c.name)
		}
	}
}

// wrap makes the operands after the first skip ones the command that is run.
func (c *call) wrap(skip int) {
	if len(c.rest) <= skip {
		return
	}
	c.m.Wrapper = c.name
	c.run(c.rest[skip:])
}

func (c *call) run(words []Word) {
	if len(words) > 0 {
		c.m.Runs = append(c.m.Runs, run{Words: words})
	}
}

// done is the meaning. A wrapper that is not sure stays an element of its own, so that
// its reason is seen.
func (c *call) done() Meaning {
	if c.m.Exact != "" || c.m.Unsure != "" {
		c.m.Wrapper, c.m.Neutral = "", false
	}
	return c.m
}

// exactf and unsuref keep the first reason. Their texts come from the table alone, so
// that nothing of the agent's gets into a reason.
func (c *call) exactf(format string, args ...any) {
	if c.m.Exact == "" {
		c.m.Exact = fmt.Sprintf(format, args...)
	}
}

func (c *call) unsuref(format string, args ...any) {
	if c.m.Unsure == "" {
		c.m.Unsure = fmt.Sprintf(format, args...)
	}
}

func (c *call) has(names ...string) bool { return len(c.given(names...)) > 0 }

func (c *call) given(names ...string) []given {
	var found []given
	for _, g := range c.opts {
		for _, name := range names {
			if g.name == name {
				found = append(found, g)
			}
		}
	}
	return found
}

// values are the values that were given to any of the options.
func (c *call) values(names ...string) []Word {
	var words []Word
	for _, g := range c.given(names...) {
		if g.has {
			words = append(words, g.value)
		}
	}
	return words
}

// adhoc is a row for words of which only a part of a program knows what they mean.
func adhoc(row programs.Row) *spec { return &spec{Row: &row, list: optionsOf(&row)} }
