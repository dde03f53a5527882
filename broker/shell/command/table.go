package command

import (
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/programs"
)

// spec is one row of the table: what the page of a program says, with the functions that it
// names. It never changes. ops and raw are nil for most programs, whose lists of options say it
// all.
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

// specs makes the specs of rows, at the top or below a program.
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

// spec makes one spec, and panics when a page names a function that does not exist.
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

// call is one command while its row is applied to it. Its Exact and Unsure are those of the
// meaning; of the row, list has the options of these names. A subcommand is a call of its own
// that adds to the same meaning.
type call struct {
	*spec
	*Meaning
	arguments
	name string // of the program, with its subcommand: "git push"
}

// newCall is a call of a program with its words, which adds what they mean to m.
func newCall(s *spec, name string, words []Word, m *Meaning) *call {
	return &call{spec: s, Meaning: m, arguments: arguments{words: words}, name: name}
}

// inspect applies the row to the words: first what holds whatever they are, then the options,
// then the subcommand or the command that is wrapped, then the row's own function. A row with
// "by" takes the words as they are.
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
	// A lax row knows nothing of its operands, so a path that leads away is all there is to
	// see.
	if c.Lax && c.ops == nil && c.subs == nil && c.Whole == "" && !c.Wraps && !strings.HasPrefix(c.name, "git ") {
		c.farOperands() // the words of git are of its repository
	}
	if c.subs != nil {
		c.sub(c.rest)
	}
	if c.Wraps {
		c.wrap(c.after(c.Skip))
	}
	if c.ops != nil {
		c.ops(c)
	}
}

// optionFile doubts @FILE, in which any option may stand.
func (c *call) optionFile() {
	if anyBegins(c.words, "@") {
		c.unsuref("%s reads options from a file", c.name)
	}
}

// sub goes on with the row of the subcommand that words begin with. One that the page does not
// have is what Other says, or is judged like an unknown program's words.
func (c *call) sub(words []Word) {
	if len(words) == 0 {
		return
	}
	s, ok := c.subs[words[0].Text]
	if !ok {
		if c.Other != "" {
			c.exactf("%s: %s", c.name, c.Other)
		} else if c.Stop {
			foreignWords(c.Meaning, words[1:])
		}
		return
	}
	newCall(s, c.name+" "+words[0].Text, words[1:], c.Meaning).inspect()
}

// farOperands doubts operands of which the row says nothing and that lie elsewhere: the
// program may write them, or do what they say.
func (c *call) farOperands() {
	if slices.ContainsFunc(c.rest, faraway) {
		c.exactf("%s is given a file outside of its folder", c.name)
	}
}

// wrap makes words, if there are any, the command that is run.
func (c *call) wrap(words []Word) {
	if len(words) > 0 {
		c.Wrapper = c.name
		c.run(words)
	}
}

// adhoc is a row for words of which only a part of a program knows what they mean, such as the
// flags of one tool behind "go tool".
func adhoc(row programs.Row) *spec { return &spec{Row: &row, list: optionsOf(&row)} }
