package command

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// neutralOps is for builtins that do nothing by themselves with any words that are known.
func neutralOps(c *call) { c.Neutral = plainWords(c.words) }

// jobsOps: "jobs -x" runs the words behind it; all else lists.
func jobsOps(c *call) {
	for i, w := range c.words {
		switch {
		case len(w.Text) < 2 || w.Text[0] != '-':
			c.Neutral = plainWords(c.words)
			return
		case strings.Contains(w.Text, "x"):
			c.Wrapper = c.name
			c.run(c.words[i+1:])
			return
		}
	}
	c.Neutral = plainWords(c.words)
}

// integer is a number as builtins take it; sleep and timeout have a unit behind it.
var integer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?[smhd]?$`) })

// numberOps: zsh calculates what these are given, and a calculation may run code.
func numberOps(c *call) {
	c.Neutral = true
	for _, w := range c.words {
		if !w.Known || !integer().MatchString(w.Text) && w.Text != "infinity" && w.Text != "--" {
			c.counted(w)
			c.Neutral = false
		}
	}
}

// calculated doubts a word that runs code where a shell takes it for a number or a
// name, as "a[$(id)]" does.
func (c *call) calculated(w Word) {
	if strings.ContainsAny(w.Text, "[$`(") {
		c.unsuref("%s may run code that is part of a name or number", c.name)
	}
}

// counted doubts a word that a shell takes for a number: a name in it leads to what a
// variable holds, and "PATH=5" sets one.
func (c *call) counted(w Word) {
	c.calculated(w)
	if w.Known && strings.ContainsFunc(w.Text, func(r rune) bool { return r == '_' || unicode.IsLetter(r) }) {
		c.unsuref("%s computes %s", c.name, Cite(w.Text))
	}
}

// cdOps: the folder is the last operand; "cd" alone goes home, and "cd -" or the stack of
// folders leads where the text alone does not say. A word that is not known stands for such a
// place (nowhere).
func cdOps(c *call) {
	c.Neutral = plainWords(c.words)
	words := c.words
	for len(words) > 0 && words[0].Known && (words[0].Text == "-P" || words[0].Text == "-L" || words[0].Text == "-e" || words[0].Text == "-@" || words[0].Text == "-q" || words[0].Text == "-s") {
		words = words[1:]
	}
	words = undashed(words)
	nowhere := Word{Raw: "cd"}
	switch {
	case len(words) == 0 && (c.name == "cd" || c.name == "chdir"):
		c.Chdir = &Word{}
	case len(words) != 1 || c.name == "popd":
		c.Chdir = &nowhere
	case words[0].Known && begins(words[0].Text, "-", "+"):
		c.Chdir = &nowhere
	default:
		w := words[0]
		c.Chdir = &w
	}
}

// identifier is the name of a variable that every shell takes for one and nothing more.
var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// names are variables that the command sets to what nobody knows.
func (c *call) names(words []Word) {
	for _, w := range words {
		if !w.Known || !identifier().MatchString(w.Text) {
			c.unsuref("%s sets a variable whose name is not plain", c.name)
			continue
		}
		c.Assigns = append(c.Assigns, Assign{Name: w, Value: Word{Raw: w.Raw}})
	}
}

// declareOps: where the parser sees no declaration, as in "A=1 export PATH=x" and in
// "command export PATH=x", some shells set the variables all the same.
func declareOps(c *call) {
	for _, w := range c.words {
		c.calculated(w)
		if name, value, ok := strings.Cut(w.Text, "="); ok {
			c.Assigns = append(c.Assigns, Assign{literal(strings.TrimSuffix(name, "+")), tail(w, value)})
		}
	}
	c.unsuref("%s sets variables, and is not written plainly", c.name)
}

// printfOps: -v sets a variable, and an operand of %d is computed, which runs what stands in
// its index.
func printfOps(c *call) {
	for i, w := range c.words {
		if i == 0 && strings.HasPrefix(w.Text, "-v") {
			name := c.words[1:min(2, len(c.words))]
			if len(w.Text) > 2 {
				name = []Word{tail(w, w.Text[2:])}
			}
			c.names(name)
		}
	}
	c.Neutral = plainWords(c.words)
	for i, w := range c.words {
		if strings.Contains(w.Text, "[") && strings.ContainsAny(w.Text, "$`") {
			c.calculated(w)
		}
		// The format says which operands are numbers; counting which is which is not worth it.
		if i > 0 && !printsText(c.words[0].Text) {
			c.counted(w)
		}
	}
}

// printsText reports whether printf with this format takes nothing for a number.
func printsText(format string) bool {
	for _, part := range strings.Split(strings.ReplaceAll(format, "%%", ""), "%")[1:] {
		if kind := strings.TrimLeft(part, "-+ 0123456789."); kind == "" || strings.IndexByte("sbcq", kind[0]) < 0 {
			return false
		}
	}
	return true
}

// readOps: the options with values of bash and zsh differ, so a letter that one of
// them takes for a flag leaves its value among the names, where it is doubted.
func readOps(c *call) {
	c.parse()
	c.Neutral = plainWords(c.words)
	c.names(append(c.values("-a"), c.rest...))
	if len(c.rest) == 0 && !c.has("-a") {
		c.names([]Word{literal("REPLY")})
	}
}

// getoptsOps: the second word is a variable's name. OPTIND and OPTARG are set too, and are
// special anyhow.
func getoptsOps(c *call) {
	c.Neutral = plainWords(c.words)
	c.names(c.words[min(1, len(c.words)):min(2, len(c.words))])
}

// mapfileOps: without a name the array is MAPFILE.
func mapfileOps(c *call) {
	c.Neutral = plainWords(c.words)
	c.names(orName(c.rest, "MAPFILE"))
}

// orName is words, or the name that a builtin takes where there are none.
func orName(words []Word, name string) []Word {
	if len(words) == 0 {
		return []Word{literal(name)}
	}
	return words
}

// unsetOps: a name that is gone matters as much as one that is set.
func unsetOps(c *call) {
	for _, w := range c.words {
		switch {
		case w.Text == "-v" || w.Text == "--":
		case w.Text == "-f" || w.Text == "-n":
			c.unsuref("unset %s changes what later words mean", w.Text)
		case !w.Known || !identifier().MatchString(w.Text):
			c.unsuref("unset may run code that is part of a name")
		default:
			if _, unsure := Setting(w.Text, "", true); unsure != "" {
				c.unsuref("%s", unsure)
			}
		}
	}
	c.Neutral = plainWords(c.words)
}

// waitOps: jobs and processes are numbers or begin with %; anything else is computed.
func waitOps(c *call) {
	for _, w := range c.words {
		if w.Known && (integer().MatchString(w.Text) || strings.HasPrefix(w.Text, "%") || w.Text == "-n" || w.Text == "-f") {
			continue
		}
		c.calculated(w)
		if w.Text == "-p" {
			c.unsuref("wait -p sets a variable")
		}
	}
	c.Neutral = plainWords(c.words)
}

// setOps: what changes how commands are read or what is exported is doubted; words
// after -- become $1 and so on, which are then known to nobody.
func setOps(c *call) {
	c.Neutral = plainWords(c.words)
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		if w.Text == "--" || w.Known && (w.Text == "-" || w.Text == "" || w.Text[0] != '-' && w.Text[0] != '+') {
			return
		}
		if !w.Known {
			return
		}
		for n, letter := range w.Text[1:] {
			switch {
			case letter == 'o' && n == len(w.Text)-2:
				i++
				if i < len(c.words) {
					shellOption(c, c.words[i])
				}
			case strings.ContainsRune("euxvbhmCET", letter):
			default:
				c.unsuref("set changes how later commands are read")
			}
		}
	}
}

// shoptSafe leave the reading of commands as it is, so that what was read here is what runs.
var shoptSafe = wordset.New("nullglob failglob globstar dotglob nocaseglob inherit_errexit checkwinsize cmdhist histappend checkjobs huponexit")

// shoptOps: nullglob and its like only change which names a pattern gives.
func shoptOps(c *call) {
	c.Neutral = plainWords(c.words)
	for _, w := range c.words {
		switch {
		case w.Text == "-s" || w.Text == "-u" || w.Text == "-p" || w.Text == "-q":
		case !shoptSafe.Has(w.Text):
			c.unsuref("shopt changes how later commands are read")
		}
	}
}

// onlyListing is a builtin that is harmless only without operands.
func onlyListing(why string) func(*call) {
	return func(c *call) {
		for _, w := range c.words {
			if w.Text != "-l" && w.Text != "-p" && w.Text != "-r" {
				c.unsuref("%s %s", c.name, why)
			}
		}
		c.Neutral = true
	}
}

// hashOps: "hash NAME" looks where a program lies; more than that changes it.
func hashOps(c *call) {
	for _, w := range c.words {
		if !w.Known || w.Text != "-r" && w.Text != "-l" && w.Text != "-t" && (strings.HasPrefix(w.Text, "-") || strings.Contains(w.Text, "=")) {
			c.unsuref("hash changes which program a name means")
		}
	}
	c.Neutral = true
}

// printOps: zsh's print can expand prompts, calculate and push on to the next line.
func printOps(c *call) {
	for i, w := range c.words {
		if i == 0 && (!w.Known || strings.HasPrefix(w.Text, "-") && w.Text != "-r" && w.Text != "-l" && w.Text != "-n" && w.Text != "-rl" && w.Text != "--") {
			c.unsuref("print may run code in zsh")
		}
	}
	if len(c.words) > 1 && strings.HasPrefix(c.words[1].Text, "-") {
		c.unsuref("print may run code in zsh")
	}
	c.Neutral = plainWords(c.words)
}

// aliasOps: a name alone shows what it stands for; with "=" it makes a word of a later line
// mean another.
func aliasOps(c *call) {
	for _, w := range c.words {
		if w.Text != "-p" && w.Text != "-L" && (!w.Known || !identifier().MatchString(w.Text)) {
			c.unsuref("alias changes what later words mean")
		}
	}
	c.Neutral = true
}

// compgenOps: -W expands its words, substitutions as well.
func compgenOps(c *call) {
	for _, w := range c.values("-W") {
		c.calculated(w)
	}
	c.Neutral = plainWords(c.words)
}

// umaskOps: a mask is not harmless: files that are made later may be open to others.
func umaskOps(c *call) {
	for _, w := range c.words {
		c.calculated(w)
	}
	c.Neutral = len(c.words) == 0 || len(c.words) == 1 && (c.words[0].Text == "-S" || c.words[0].Text == "-a")
}

// testOps: -v and the comparisons of numbers calculate, at least in zsh and ksh.
func testOps(c *call) {
	numeric := false
	for _, w := range c.words {
		numeric = numeric || NumberTests.Has(w.Text) || w.Text == "-v" || w.Text == "-R" || w.Text == "-t"
	}
	for i, w := range c.words {
		if numeric {
			c.calculated(Word{Text: strings.TrimPrefix(w.Text, "(")})
		}
		if NumberTests.Has(w.Text) && i > 0 && i+1 < len(c.words) {
			c.counted(c.words[i-1])
			c.counted(c.words[i+1])
		}
	}
	c.Neutral = plainWords(c.words)
}

// NumberTests are the comparisons of numbers.
var NumberTests = wordset.New("-eq -ne -lt -le -gt -ge")

// historyOps: a number alone shows so many lines. The options write, read and delete a file.
func historyOps(c *call) {
	for _, w := range c.words {
		if !w.Known || !integer().MatchString(w.Text) {
			c.exactf("history changes or writes what was run before")
		}
	}
	c.Neutral = true
}
