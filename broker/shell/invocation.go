package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/links"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// invocation is one command on its way through wrappers, in the state of the shell that reads it. It
// is judged by what the table of commands says, and by what only the line can tell: what feeds it, and
// which of its words nobody knows.
type invocation struct {
	// s is changed by what the command does: cd moves it, assignments set its variables.
	s      *state
	args   []arg
	text   string
	via    through
	more   bool   // further words that nobody knows are appended
	fed    bool   // names that nobody knows are put into its words
	exact  string // what is wrong with a wrapper around it
	unsure string
}

// run adds what one command does, and what it runs in turn. Three judges come one after the
// other: odd, for words that leave the program open; special, for commands that depend on the
// text around them; and judge, with the table.
func (c invocation) run() {
	// "sudo sudo sudo …" costs an agent nothing, and each wrapper here is a round of all that
	// follows.
	if len(c.via.names) > maxVia {
		panic(beyond("its wrappers are nested too deep"))
	}
	c.s.step(len(c.args))
	// The element has the wrappers of this command, which may be more than those around the
	// text.
	e := c.s.element(Command, c.text)
	c.via.around(&e)
	for _, a := range c.args {
		e.Argv = append(e.Argv, a.Text)
		e.Glob = e.Glob || a.Glob
	}
	e.Stdin = c.s.in.kind
	// Without a known program the table has nothing to say, and nothing inside can be found.
	if why := odd(c.args); why != "" {
		e.Unsure = why
		c.s.add(e)
		return
	}
	if c.special(&e) {
		c.s.add(e)
		return
	}
	c.judge(e)
	if c.mayBeFunction() { // whose body may change the folder, or not, where the builtin does
		c.s.at.unsure = true
	}
}

// mayBeFunction reports whether c may call a function of the line instead of the program, which
// is judged all the same; the body is judged where it stands. A wrapper that is a program of
// its own runs programs, never functions.
func (c invocation) mayBeFunction() bool {
	return len(c.via.names) == c.s.base && c.s.functions[c.args[0].Text]
}

// odd says why nobody knows which program the words run, or why a person could take one of the
// words for another. It is "" for words that are what they look like.
func odd(args []arg) string {
	if len(args) == 0 {
		return "no program is left when its variables are empty"
	}
	p := args[0]
	switch {
	case !p.Known:
		return "which program runs is not known: " + p.why
	case p.why != "":
		return p.why
	case p.Text == "":
		return "the program has no name"
	case p.Raw[:min(1, len(p.Raw))] == "{":
		return "zsh may take the brace of " + command.Cite(p.Raw) + " for the start of a block"
	case p.Glob || strings.ContainsAny(p.Text, "$"):
		return "which program runs is not known: " + command.Cite(p.Raw)
	case !p.Tilde && p.Text[0] == '~':
		return "a program whose name begins with a tilde"
	case p.Text[0] == '-' && p.Text != "-": // sudo reads options behind variables, too
		return "what stands in the place of a program looks like an option: " + command.Cite(p.Raw)
	}
	for _, a := range args {
		if lookAlike(a.Text) {
			return "letters of several alphabets in " + command.Cite(a.Text)
		}
		if falseDash(a.Text) {
			return command.Cite(a.Text) + " looks like an option, and is none"
		}
	}
	return ""
}

// judge asks the table what the command means, adds its element, and then those of what it
// implies: files among its words, variables that it sets, commands and scripts that it runs.
func (c invocation) judge(e Element) {
	words := make([]command.Word, len(c.args))
	for i, a := range c.args {
		words[i] = a.Word
	}
	m := command.Inspect(words)
	if e.Exact = cmp.Or(c.exact, m.Exact); c.exact == "" {
		e.Named = m.Named
	}
	e.Unsure = cmp.Or(c.unsure, m.Unsure)
	nested := len(m.Runs)+len(m.Scripts) > 0
	from := len(c.s.elements)
	// A wrapper has no element of its own: its name is in Via of what it runs, and what is
	// wrong with it is told there. One that runs nothing is a command like others.
	if m.Wrapper == "" || !nested {
		why, names := c.doubt(true)
		fed := c.fedProgram(e.Exact)
		e.Names = names && fed == "" && c.unsure == "" && (m.Unsure == "" || m.Names) && (why != "" || m.Names)
		if e.Unsure = cmp.Or(e.Unsure, why); e.Unsure == "" {
			e.Unsure, _ = c.doubt(false)
			e.Shown = e.Unsure != ""
		}
		if fed != "" && e.Unsure == "" {
			e.Unsure, e.Program = fed, c.fedText()
		}
		e.Neutral = m.Neutral && !c.mayBeFunction() && e.Unsure == "" && e.Exact == ""
		c.s.add(e)
	} else {
		e.Unsure = cmp.Or(e.Unsure, leftover(c.args, m))
	}
	for _, f := range m.Files {
		c.operand(f)
	}
	// This comes behind the files, whose elements belong to the command that moves them.
	if links.Moves(words) {
		c.s.relink(from, len(c.via.names) > 0)
	}
	for _, a := range m.Assigns {
		c.given(a, nested || declares.Has(c.args[0].Text))
	}
	if nested {
		c.nested(e, m)
	}
	c.after(m)
}

// after moves on when a builtin of the shell has changed its folder, or ended it. In a program
// such as env a builtin's name is that of a program, which changes nothing here.
func (c invocation) after(m command.Meaning) {
	if !c.within() {
		return
	}
	name := c.args[0].Text
	switch {
	case m.Chdir != nil:
		c.s.chdir(*m.Chdir)
	// A file that is read in, or a trap, may do anything to this shell, and at any time.
	case name == "source", name == ".", name == "trap":
		c.s.moves.late = true
		c.s.at.unsure, c.s.moved = true, true
	case name == "exit" && !c.s.functions["exit"] && (len(c.args) == 1 || len(c.args) == 2 && smallNumber(c.args[1].Text)):
		c.s.at.unsure, c.s.at.gone = true, true
	}
}

// within reports whether wrappers leave a builtin in the shell that reads the text. It looks at
// the wrappers inside of this text alone: what stands around the text itself (base) runs
// another shell, and that one is this state.
func (c invocation) within() bool {
	for _, v := range c.via.names[c.s.base:] {
		if v != "command" && v != "builtin" && v != "eval" {
			return false
		}
	}
	return true
}

// doubt says what no rule can know about a command that runs in its own name. A command that
// no word makes dangerous (command.Inert) is forgiven some words that nobody knows; lenient: and those
// that Element.Shown is about. names: the doubt, if there is one, is about names of files alone.
func (c invocation) doubt(lenient bool) (why string, names bool) {
	program := c.args[0].Text
	tame := command.Inert(program) && !c.s.functions[program]
	ended := false
	names = true
	shows := program == "echo" && tame && len(c.via.names) == 0 && c.s.pipe == 0
	for _, a := range c.args[1:] {
		// Behind "--" no word is an option, whatever it turns out to be.
		ended = ended || a.Known && a.Text == "--"
		switch {
		// The name of a pipe cannot become an option, and what is in it is an element.
		case a.fd && tame:
		case (a.told || a.shown && lenient) && shows, a.commit && program == "git" && len(c.via.names) == 0 && !c.s.functions["git"]: // its commands are elements of their own
		case !a.sure():
			why, names = cmp.Or(why, a.doubt()), false
		// An agent may have made a file called "-rf" before.
		case a.Glob && !tame && !ended && strings.IndexByte("*?[", a.Text[0]) >= 0:
			why = cmp.Or(why, "a file whose name begins with a dash would be an option: "+command.Cite(a.Raw))
		case evaluates.Has(program) && strings.ContainsAny(a.Text, "$`[") && strings.ContainsAny(a.Text, "(`"):
			why, names = cmp.Or(why, program+" may run code in "+command.Cite(a.Raw)), false
		}
	}
	// Up to here the words of the line; from here on those that a wrapper appends.
	switch {
	case !c.more && !c.fed:
	case !tame:
		why = cmp.Or(why, c.via.names[len(c.via.names)-1]+" gives it words that nobody knows")
		names = names && (c.s.in.names || !slices.ContainsFunc(c.via.names, fromInput))
	case !c.s.in.names && !programs.Is(programs.Wordless, program) && slices.ContainsFunc(c.via.names, fromInput):
		why, names = cmp.Or(why, "xargs gives it files that nobody knows"), false
	}
	return why, names
}

// fromInput reports whether a wrapper takes words from what it reads, and not from its own
// words as find does.
func fromInput(via string) bool { return via == "xargs" || via == "gxargs" || via == "parallel" }

// fedProgram says that what a command reads may be a program, which is no part of its
// words: a rule that names all of them would allow any other program, too.
func (c invocation) fedProgram(exact string) string {
	// Without words and without input there is nothing that it could run.
	if c.s.in.kind == "" && len(c.args) < 2 || command.Inert(c.args[0].Text) {
		return ""
	}
	operands := 0
	for _, a := range c.args[1:] {
		// A program may be handed over as a file with such a name.
		if a.Text == "/dev/stdin" || strings.HasPrefix(a.Text, "/dev/fd/") || strings.HasPrefix(a.Text, "/proc/") && strings.Contains(a.Text, "/fd/") {
			return c.args[0].Text + " is given what no rule can name, at " + command.Cite(a.Raw)
		}
		if !strings.HasPrefix(a.Text, "-") {
			operands++
		}
	}
	// Exact says that this command runs code. Without an operand it takes the code from its
	// input.
	if exact != "" && (c.s.in.kind == "text" || c.s.in.kind != "" && operands == 0) {
		return c.args[0].Text + " may run what it reads"
	}
	return ""
}

// fedText is the here-document of the line that this command alone reads, "" when that is not certain.
func (c invocation) fedText() string {
	text := c.s.in.text
	if c.s.in.kind != "text" || !text.sure() || text.Tilde || text.Glob || c.more || c.fed || c.mayBeFunction() {
		return ""
	}
	return text.Text
}

// evaluates are builtins that read names or numbers among their words and run the
// substitutions in their subscripts, as in a[$(…)]. Rows of others see to it themselves.
var evaluates = wordset.New(`test [ printf print read getopts mapfile readarray set kill cd pushd popd`)

// leftover is a doubt about a word of a wrapper that is not known, unless what it runs has it.
// The inner command doubts its own words; those between, such as the user of "sudo -u $x",
// would be nobody's.
func leftover(args []arg, m command.Meaning) string {
	seen := make(map[string]bool)
	for _, r := range m.Runs {
		for _, word := range r.Words {
			seen[word.Raw] = true
		}
	}
	for _, s := range m.Scripts {
		seen[s.Text.Raw] = true
	}
	for _, a := range args[1:] {
		if !a.sure() && !seen[a.Raw] {
			return a.doubt()
		}
	}
	return ""
}

// declares are builtins that may export what they set, so what they set counts as seen by
// programs.
var declares = wordset.New("export declare typeset readonly local integer float")
