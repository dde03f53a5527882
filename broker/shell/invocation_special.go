package shell

import (
	"cmp"
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// special handles commands that the table cannot judge, as they depend on the rest of the text:
// words that zsh takes for grammar, tests that are harmless by the quotes around their words,
// and shells that read their program from a pipe or a here-document. It reports whether e is
// complete.
func (c invocation) special(e *Element) bool {
	name := c.args[0].Text
	switch {
	// bash would look for a program of this name, so the two run different things.
	case zshWords.Has(name):
		e.Unsure = "zsh does not run " + command.Cite(name) + " but what follows it"
		return true
	case (name == "[" || name == "test") && len(c.via.names) == c.s.base && !c.s.functions[name] && harmlessTest(c.args):
		e.Neutral = true
		return true
	case programs.Is(programs.FedShell, path.Base(name)) && readsProgram(c.args[1:]):
		c.program(e)
		return true
	}
	return false
}

// zshWords are words that zsh takes for grammar, or looks through, where bash sees the
// name of a program.
var zshWords = wordset.New("noglob nocorrect - repeat foreach end always coproc nameref")

// readsProgram reports whether a shell with these arguments reads its program from what it is
// fed: there is no script file among them and no -c. An option that it does not know counts as
// one without a value, so that a program from the input is suspected rather than missed.
func readsProgram(args []arg) bool {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "-", text == "--":
			return i == len(args)-1
		case text == "-o", text == "+o", text == "-O", text == "--rcfile", text == "--init-file":
			i++
		case strings.HasPrefix(text, "--"):
			if text == "--version" || text == "--help" {
				return false
			}
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			if strings.Contains(text, "c") {
				return false
			}
			if strings.Contains(text, "s") {
				return true
			}
		default:
			return false
		}
	}
	return true
}

// program walks the text that is fed to a shell, if it stands in the line. The commands inside
// are elements, but the shell itself stays Exact: a rule for "bash" alone must not allow any
// here-document.
func (c invocation) program(e *Element) {
	text := c.s.in.text
	why, _ := c.doubt(false)
	doubt := cmp.Or(c.unsure, why)
	// Any doubt about the text or the shell's own words leaves it open what runs.
	if c.s.in.kind != "text" || !text.Known || text.Tilde || text.Glob || doubt != "" || !plainOptions(c.args[1:]) {
		e.Unsure = cmp.Or(doubt, e.Argv[0]+" runs whatever it reads")
		return
	}
	e.Exact = c.exact
	// The commands inside share the input with the shell. They read on in the text behind
	// themselves, which nobody can follow, so for them it is a text that is not known.
	in := c.s.in
	c.s.in = input{kind: "text"}
	base := path.Base(e.Argv[0])
	inner := invocation{s: c.s, text: c.text, via: c.via.and(base, base), exact: c.exact}
	at := c.s.at
	inner.script(text.Word, c)
	c.s.at, c.s.in = at, in
	e.Exact = cmp.Or(e.Exact, "a shell runs the text that it is given")
}

// plainOptions reports whether a shell is given nothing but options that leave its program as
// it is: -s, -e, -u, -x, -l in any order. Others may turn on what this package reads otherwise.
func plainOptions(args []arg) bool {
	for _, a := range args {
		if len(a.Text) < 2 || a.Text[0] != '-' || strings.Trim(a.Text[1:], "seuxl") != "" {
			return false
		}
	}
	return true
}

// harmlessTest reports whether words are a test of one file or of one text: it only looks,
// whatever the quoted values are. Longer tests are judged by the table, as a value may become
// an operator in them.
func harmlessTest(args []arg) bool {
	words := args[1:]
	if args[0].Text == "[" {
		if len(words) == 0 || words[len(words)-1].Text != "]" {
			return false
		}
		words = words[:len(words)-1]
	}
	// "[ ! x ]" with two words is itself a test; what remains must still fit one of the forms
	// below.
	if len(words) > 1 && words[0].Known && words[0].Text == "!" {
		words = words[1:]
	}
	switch len(words) {
	case 2:
		return words[0].Known && fileTests.Has(words[0].Text) && oneWord(words[1])
	case 3:
		return words[1].Known && (textTests.Has(words[1].Text) && oneWord(words[0]) && oneWord(words[2]) ||
			command.NumberTests.Has(words[1].Text) && isNumber(words[0]) && isNumber(words[2]))
	}
	return false
}

// The operators are only those that look at a name or compare two texts. "-v" and "-t" are
// missing: they take an index or a number, which shells compute.
var (
	fileTests = wordset.New("-n -z -e -f -d -r -w -x -s -L -h -p -S -b -c -g -u -k -O -G")
	textTests = wordset.New("= == != -nt -ot -ef")
)

// isNumber reports whether a is a number, or the status of a command. Anything else would be
// computed.
func isNumber(a arg) bool { return a.Known && (smallNumber(a.Text) || a.Text == "$?") }

// oneWord reports whether a is surely a single word, known or in quotes. An unquoted value
// could fall apart into an operator and its operand.
func oneWord(a arg) bool { return a.Known && !a.Glob && a.why == "" || a.quoted }
