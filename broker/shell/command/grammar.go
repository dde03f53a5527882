package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// effect is what an option does, a worse one being larger: the order is that of the lists in
// optionsOf, and a shortened name that may mean several options counts as the worst of them.
type effect int

// Named for the lists of programs.Row. Those after reads are what makes a row risky.
const (
	harmless effect = iota
	reads
	writes
	spills
	codes
	loads
	exacts
	unsures
)

// option is one option of a row.
type option struct {
	name   string
	value  bool // takes a value
	maybe  bool // takes one only when it is attached
	effect effect
}

// options are the options of one row.
type options struct {
	byName map[string]option
	risky  bool // one of them runs or writes something
}

// optionsOf are the options that a row lists.
func optionsOf(r *programs.Row) *options {
	o := &options{byName: make(map[string]option)}
	for e, list := range []string{r.OK, r.Reads, r.Writes, r.Spills, r.Code, r.Loads, r.Exact, r.Unsure} {
		for _, text := range strings.Fields(list) {
			o.add(text, effect(e), r.Single)
		}
	}
	return o
}

// add takes one word of a list. "-abc" without a mark are three flags, unless the row is of a
// program with single dashes.
func (o *options) add(text string, e effect, single bool) {
	name := strings.TrimRight(text, "=?")
	opt := option{name: name, effect: e, value: strings.HasSuffix(text, "="), maybe: strings.HasSuffix(text, "?")}
	o.risky = o.risky || e > reads
	if opt.value || opt.maybe || single || strings.HasPrefix(name, "--") {
		o.byName[name] = opt
		return
	}
	for _, letter := range name[1:] {
		flag := option{name: "-" + string(letter), effect: e}
		o.byName[flag.name] = flag
	}
}

// parse tells options from operands and applies what the row says about options. It reads as
// the GNU programs do, with operands and options mixed, unless the row says stop; a word that
// is not known counts as an operand, and is doubted elsewhere.
func (c *call) parse() {
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		switch {
		case w.Known && w.Text == "--":
			c.ended = true
			c.rest = append(c.rest, c.words[i+1:]...)
			return
		case !w.Known || len(w.Text) < 2 || w.Text[0] != '-':
			if c.list.risky {
				c.guardGlob(w)
			}
			if c.Stop {
				c.rest = append(c.rest, c.words[i:]...)
				return
			}
			c.rest = append(c.rest, w)
		case c.Single || strings.HasPrefix(w.Text, "--"):
			i += c.long(w, c.words[i+1:])
		default:
			i += c.cluster(w, c.words[i+1:])
		}
		// What follows such an option belongs to the program that it starts.
		if n := len(c.opts); c.Last != "" && n > 0 && wordset.Map(c.Last)[c.opts[n-1].name] {
			c.rest, c.ended = append(c.rest, c.words[min(i+1, len(c.words)):]...), true
			return
		}
	}
}

// guardGlob doubts a pattern where a file's name that begins with a dash would be an
// option, as in "tar c *" next to a file called --to-command=sh.
func (c *call) guardGlob(w Word) {
	if w.Glob && (w.Text == "" || strings.ContainsAny(w.Text[:1], "*?[{(")) {
		names := (c.Unsure == "" || c.Names) && w.Text != "" && strings.ContainsAny(w.Text[:1], "*?[")
		c.unsuref("a file whose name begins with a dash would be an option of %s", c.name)
		c.Names = names
	}
}

// long reads --name, --name=value or --name value, and how many words it took of next.
// Names may be shortened, as most programs take that.
func (c *call) long(w Word, next []Word) int {
	text, attached, has := strings.Cut(w.Text, "=")
	if c.Single && c.list.byName[text].name == "" {
		// Programs with single dashes take two as well.
		text = "-" + strings.TrimLeft(text, "-")
	}
	opt, ok := c.list.byName[text]
	if !ok {
		opt, ok = c.shortened(text)
	}
	if !ok {
		c.strange()
		c.strangeValue(text, tail(w, attached), has)
		c.opts = append(c.opts, given{name: text, value: tail(w, attached), has: has, operands: len(c.rest)})
		return 0
	}
	g := given{name: opt.name, has: has}
	taken := 0
	switch {
	case has:
		g.value = tail(w, attached)
	case opt.value && len(next) > 0:
		g.value, g.has, taken = next[0], true, 1
	}
	c.give(opt, g)
	return taken
}

// shortened finds the option that begins with text. Where several do, the worst is
// taken, and the command is exact unless none of them does anything.
func (c *call) shortened(text string) (option, bool) {
	var worst option
	found := 0
	for name, opt := range c.list.byName {
		// Only long names may be cut short.
		if !strings.HasPrefix(name, text) || !strings.HasPrefix(name, "--") {
			continue
		}
		if found == 0 || opt.effect > worst.effect || opt.effect == worst.effect && name < worst.name {
			worst = opt
		}
		found++
	}
	if found > 1 && (worst.effect > harmless || !c.Lax) {
		c.exactf("%s is given a shortened option that may mean several", c.name)
	}
	return worst, found > 0
}

// cluster reads -abc, -ovalue or -o value. An unknown letter may take the rest as its value or
// may not: the letters after it are read all the same. It gives how many words of next it took,
// 0 or 1.
func (c *call) cluster(w Word, next []Word) int {
	for i := 1; i < len(w.Text); i++ { // programs read bytes, not letters
		name, rest := "-"+w.Text[i:i+1], w.Text[i+1:]
		opt, ok := c.list.byName[name]
		switch {
		case !ok:
			// Whether the letter takes the rest is not known, so both are looked at: the rest
			// as its value, and the letters in it.
			c.strange()
			c.strangeValue(name, tail(w, rest), rest != "")
			c.opts = append(c.opts, given{name: name, operands: len(c.rest)})
		case opt.value && rest == "" && len(next) > 0:
			c.give(opt, given{name: opt.name, value: next[0], has: true})
			return 1
		case opt.value || opt.maybe:
			c.give(opt, given{name: opt.name, value: tail(w, rest), has: rest != ""})
			return 0
		default:
			c.give(opt, given{name: opt.name})
		}
	}
	return 0
}

// strange is an option that the row does not list.
func (c *call) strange() {
	switch {
	case c.Lax:
	case c.Wraps || c.Stop && !c.Mild:
		c.unsuref("%s is given an option that aoctl does not know, so what it runs is not certain", c.name)
	default:
		c.exactf("%s is given an option that aoctl does not know", c.name)
	}
}

// strangeValue looks at the name and the value of an option that a lax row does not list:
// most of them are flags, but some run or load something, or write a file.
func (c *call) strangeValue(name string, value Word, has bool) {
	if !c.Lax {
		return
	}
	if runsSomething(name) || has && runsSomething("--"+strings.TrimPrefix(name, "--no-")) { // some take a value behind --no- too
		c.exactf("%s is given an option that aoctl does not know and that may run something", c.name)
	}
	if has && elsewhereIn(value) || elsewhereIn(tail(value, name)) {
		c.exactf("%s is given a file outside of its folder by an option that aoctl does not know", c.name)
	}
}

// listsOfFiles are options whose value lists the files that are shown, or sent elsewhere.
var listsOfFiles = wordset.New("sort--files0-from gsort--files0-from file-f file--files-from rsync--files-from ack--files-from")

// give notes an option and does what the row says of it. Reasons name the option as the row has
// it, never by the agent's own words.
func (c *call) give(opt option, g given) {
	g.operands = len(c.rest)
	c.opts = append(c.opts, g)
	switch opt.effect {
	case harmless:
	case reads:
		if g.has {
			c.reads(g.value)
		}
		if listsOfFiles.Has(c.name + opt.name) {
			c.exactf("%s %s takes the names of its files from a list that nobody knows", c.name, opt.name)
		}
		if strings.Contains(g.value.Text, "://") {
			c.exactf("%s %s takes a file from the network", c.name, opt.name)
		}
	case writes:
		if g.has {
			c.writes(g.value)
		}
	case spills:
		// Output to the screen or to /dev/null makes no file.
		if Streams.Has(g.value.Text) {
			return
		}
		c.exactf("%s %s writes a file", c.name, opt.name)
		if g.has {
			c.writes(g.value)
		}
	case codes:
		c.exactf("%s %s runs code given on the command line", c.name, opt.name)
	case loads:
		c.exactf("%s %s runs what a file says", c.name, opt.name)
		if g.has {
			c.reads(g.value)
		}
	case exacts:
		c.exactf("%s %s can do more than the rest of the command says", c.name, opt.name)
	case unsures:
		c.unsuref("%s %s can run another program", c.name, opt.name)
	}
}
