package command

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// spec is one row of the table: what a program, or a subcommand of it, does with its
// words. Its option lists are separated by blanks: "-abc" are three flags, "-o=" and
// "--out=" take a value, "-i?" and "--color?" take one only when it is attached. An
// option that is in no list makes the command exact, as it might do anything, unless
// the row is lax.
type spec struct {
	ok     string // options that neither run nor write anything
	read   string // their value is a file that is read
	write  string // their value is a file that is written, as everybody expects
	spill  string // their value is a file that is written, unexpectedly: exact
	code   string // their value is code: exact
	load   string // their value is a file of code or of settings: read, and exact
	exact  string // only a rule that names the whole command may allow these
	unsure string // no rule may allow these

	lax     bool   // options that are in no list are flags that do no harm
	stop    bool   // options end at the first operand
	mild    bool   // with stop: an option that is in no list makes it exact, not unsure
	single  bool   // options are words after one dash, such as -name
	builtin bool   // only the bare name means it; a program of that name is plain
	wraps   bool   // what follows options and the first skip operands is a command
	skip    int    // operands before that command
	last    string // after one of these and its value come no more options
	whole   string // always exact, for this reason
	never   string // always unsure, for this reason
	other   string // with subs: exact for a subcommand that is not among them

	ops  func(*call) // says what options and operands mean, after they were told apart
	raw  func(*call) // reads the words itself
	subs map[string]spec
}

var (
	tableOnce sync.Once
	tableRows map[string]spec
)

// gnuNames are programs that Homebrew installs with a g before their names.
const gnuNames = `cat chmod chown chroot cp csplit cut date dd env find head ln ls mkdir mv nice nohup od rm rmdir
	shred shuf sort split stat stdbuf tac tail tee timeout touch truncate uniq unlink wc xargs awk`

// table is every row by the program's name. It is made when it is first asked for.
func table() map[string]spec {
	tableOnce.Do(func() {
		tableRows = make(map[string]spec)
		for _, rows := range []map[string]spec{
			fileRows(), textRows(), archiveRows(), netRows(), remoteRows(), wrapperRows(), shellRows(),
			builtinRows(), gitRows(), codeRows(), buildRows(), packageRows(), opsRows(), otherRows(),
		} {
			maps.Copy(tableRows, rows)
		}
		for name := range wordset.Map(gnuNames) {
			tableRows["g"+name] = tableRows[name]
		}
	})
	return tableRows
}

// same gives one row to several names.
func same(rows map[string]spec, s spec, names string) {
	for name := range wordset.Map(names) {
		rows[name] = s
	}
}

// call is one command while its row is applied to it.
type call struct {
	spec
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
	if c.whole != "" {
		c.exactf("%s %s", c.name, c.whole)
	}
	if c.never != "" {
		c.unsuref("%s %s", c.name, c.never)
	}
	if c.raw != nil {
		c.raw(c)
		return
	}
	c.parse()
	if optionFiles.Has(c.name) {
		c.optionFile()
	}
	if c.lax && c.ops == nil && c.subs == nil && c.whole == "" && !c.wraps && !strings.HasPrefix(c.name, "git ") {
		c.farOperands() // the words of git are of its repository
	}
	if c.subs != nil {
		c.sub(c.rest)
	}
	if c.wraps {
		c.wrap(c.skip)
	}
	if c.ops != nil {
		c.ops(c)
	}
}

// optionFiles are programs that take @FILE for the options that stand in the file, and
// whose rows say nothing of it.
var optionFiles = wordset.New("ld ld.gold ld.bfd ld.lld lld mold clang-tidy clang-format tcc")

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
		if c.other != "" {
			c.exactf("%s: %s", c.name, c.other)
		} else if c.stop {
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
