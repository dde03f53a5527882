package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/little"
)

// sedOps: the program is every -e, or else the first operand. On macOS -i takes its
// suffix as a word of its own, most often an empty one.
func sedOps(c *call) {
	c.parse()
	inPlace := c.has("-i", "-I", "--in-place")
	suffixes := c.values("-i", "-I", "--in-place")
	if anyHolds(suffixes, "/", "*") {
		c.unsuref("sed -i keeps the old text in another folder, or under another name")
	}
	for _, w := range c.values("-l", "--line-length") {
		if strings.Trim(w.Text, "0123456789") != "" {
			c.exactf("sed -l takes no number on some systems")
		}
	}
	programs := c.values("-e", "--expression")
	if len(programs) == 0 && !c.has("-f", "--file") && len(c.rest) > 0 {
		if inPlace && len(c.rest) > 1 && len(suffixes) == 0 {
			sedSuffix(c)
		}
		programs, c.rest = c.rest[:1], c.rest[1:]
	}
	var texts []string
	for _, w := range programs {
		texts = append(texts, w.Text)
	}
	sedProgram(c.Meaning, strings.Join(texts, "\n"))
	for _, w := range c.rest {
		if inPlace {
			c.writes(w)
		} else {
			c.reads(w)
		}
	}
}

// sedSuffix leaves out an empty suffix of -i. Of another one nobody can tell that it is no
// program, but the word behind it may be one, which writes elsewhere: sed -i x w/etc/y f.
func sedSuffix(c *call) {
	if c.rest[0].Known && c.rest[0].Text == "" {
		c.rest = c.rest[1:]
		return
	}
	// GNU sed takes the suffix only when it is attached, and so the next word is its program;
	// on macOS the one behind that is.
	acts, _ := little.Sed(c.rest[1].Text)
	for _, a := range acts {
		if a.Path != "" && strings.ContainsAny(a.Path[:1], "/.") && !Streams.Has(a.Path) {
			c.exactf("a file of sed -i is a program to other versions of it")
		}
	}
}

// sedProgram looks for commands that run programs or open files. A read file is only added, as
// printing a file is what sed is for.
func sedProgram(m *Meaning, text string) {
	acts, ok := little.Sed(text)
	for _, a := range acts {
		switch {
		case a.Runs != "":
			m.exactf("%s runs a program", a.Runs)
		case !a.Write:
			m.reads(literal(a.Path))
		// Writing is not what a rule for sed is meant for.
		case !Streams.Has(a.Path):
			m.exactf("sed's command w writes a file")
			m.writes(literal(a.Path))
		}
	}
	if !ok {
		m.unsuref("the program of sed is one that aoctl cannot read")
	}
}
