package rules

import (
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// exactLine names the whole line: by its words when it is one plain command, else character by
// character. Words read better and fit when the quotes are set otherwise.
func (c *Call) exactLine() map[string]string {
	where := c.input.escaped()
	switch {
	case c.line.whole != nil:
		where[commandKey] = patterns.Quote(c.line.whole.Argv)
	case len(c.elems) == 1 && c.elems[0].kind == shell.Command && !c.elems[0].behind && len(c.line.Elements[0].Via) == 0:
		where[commandKey] = patterns.Quote(c.elems[0].spoken.Argv)
	default:
		where[commandKey] = patterns.LinePrefix + c.line.trimmed()
	}
	return where
}

// eachElement drafts a rule with an alternative for every element that has a say. It allows
// nothing when there is none for one of them, and then is not offered.
func (c *Call) eachElement(draft func(argv []string) string) map[string]string {
	where := c.input.escaped()
	for i := range c.elems {
		x := &c.elems[i]
		// What has no say needs no alternative.
		if x.operand || x.neutral && !c.line.noSay {
			continue
		}
		switch x.kind {
		case shell.Command:
			pattern := exactWords(x.spoken.Argv)
			if x.exact == "" {
				pattern = draft(x.spoken.Argv)
			}
			addAlternative(where, commandKey, pattern)
		case shell.Read:
			if !c.builtinAllows(x) {
				addAlternative(where, readKey, patterns.EscapePath(x.path.real))
			}
		case shell.Write:
			addAlternative(where, writeKey, patterns.EscapePath(x.path.real))
		case shell.Assign:
			addAlternative(where, assignKey, patterns.EscapeText(x.assign))
		case shell.Unknown, toolKind:
		}
	}
	return where
}

// exactWords is a command as a pattern for these very words.
func exactWords(argv []string) string { return patterns.Quote(argv) }

// commandPrefix is a pattern for commands like this one: the program and its subcommands, with
// any words behind them. Of what runs code or other programs, takes things away or talks to
// other machines there is only the exact form. It is a proposal alone: whether the pattern may
// allow a call is judged as for any rule.
func commandPrefix(argv []string) string {
	program := argv[0]
	if programs.Is(programs.ExactOnly, program) || strings.Contains(program, "/") {
		return patterns.Quote(argv)
	}
	if w, ok := scriptPrefix(argv); ok {
		return w
	}
	// Of a program that is not known, the first word is taken for a subcommand if it looks like
	// one.
	depth := programs.Words(program)
	known := depth > 0
	if !known && len(argv) > 1 && !programs.Is(programs.OperandsOnly, program) {
		depth = 1
	}
	n := 1
	for n < len(argv) && n <= depth && isSubcommand(argv[n]) {
		n++
	}
	// Words that stay open would let any code run, or a subcommand that nobody has seen.
	if strings.HasPrefix(program, "python") || n <= depth && known || oneWay(program, argv[1:n]) {
		return patterns.Quote(argv)
	}
	return patterns.Quote(argv[:n]) + " *"
}

// scriptPrefix is the prefix of a script that a project's package file names: npm run test. The
// name of the script belongs to it. ok is false for any other command.
func scriptPrefix(argv []string) (string, bool) {
	if len(argv) < 3 || !programs.Is(programs.PackageRunner, argv[0]) || argv[1] != "run" || !isSubcommand(argv[2]) {
		return "", false
	}
	return patterns.Quote(argv[:3]) + " *", true
}

// isSubcommand reports whether a word is neither an option nor an operand: small letters, with
// digits and a few marks behind the first.
func isSubcommand(w string) bool {
	for i, r := range w {
		if !unicode.IsLower(r) && (i == 0 || !unicode.IsDigit(r) && r != '-' && r != ':' && r != '_') {
			return false
		}
	}
	return w != ""
}

// oneWay reports whether subcommands run other code or cannot be taken back, whatever follows
// them. An open rule for them would be made with one click and regretted.
func oneWay(program string, sub []string) bool {
	for _, w := range sub {
		if notPrefix[w] || notPrefix[program+"_"+w] {
			return true
		}
	}
	return false
}

// nameSet is the words of a list as a set.
func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(names) {
		set[n] = true
	}
	return set
}

// notPrefix are subcommands, of one program or of all, that have only an exact form.
var notPrefix = nameSet(`exec x dlx run-script eval publish unpublish deploy login logout token install add i ci update upgrade
	remove uninstall rm delete destroy apply push reset clean rebase filter-branch config bisect submodule create
	generate tool run api ssh attach cp kill stop start restart edit prune link unlink init env set
	go_get`)
