package little

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Awk says what an awk program does beyond reading its files, "" if nothing. What it cannot
// tell counts as done. The answer completes a sentence that begins with the program.
func Awk(text string) string {
	// These are looked for anywhere, also in texts and comments: getline reads files and
	// commands, "@" loads libraries and calls functions by name, and the arrays hold arguments
	// and variables.
	for _, part := range []string{"system", "getline", "@", "ARGV", "SYMTAB", "ENVIRON"} {
		if strings.Contains(text, part) {
			return "may run programs or read other files"
		}
	}
	if !strings.ContainsAny(text, "|>") {
		return ""
	}
	// Only | and > are left, and they need a look at what stands around them.
	a := awkScan{text: text}
	return a.scan()
}

// awkBlanks are blanks to at least one version of awk.
const awkBlanks = " \t\r\f\v"

// awkScan walks through a program to tell a comparison from a redirection and an "or" from a
// pipe. The zero value with a text is at its beginning, where a slash begins a regular
// expression.
type awkScan struct {
	text     string
	at       int
	depth    int  // of parentheses
	print    bool // inside a print statement
	printAt  int  // depth at which it stands
	previous byte // kind of the token before: 'v' a value, ')' , '+' a doubled sign, 'o' anything else
}

// scan goes through the program, token by token, up to the first thing that is wrong.
func (a *awkScan) scan() string {
	for a.at < len(a.text) {
		ch := a.text[a.at]
		switch {
		case strings.IndexByte(awkBlanks, ch) >= 0:
			a.at++
		case ch == '\\':
			if !a.joined() {
				return "is one that aoctl cannot read"
			}
		case ch == '#':
			rest, _, _ := strings.Cut(a.text[a.at:], "\n")
			a.at += len(rest)
		case ch == '"':
			if !a.quoted('"') {
				return "has a text without an end"
			}
			a.previous = 'v'
		case ch == '/':
			if why := a.slash(); why != "" {
				return why
			}
		case isNameByte(ch):
			a.name()
		case isNumberByte(ch):
			for a.at < len(a.text) && isNumberByte(a.text[a.at]) {
				a.at++
			}
			a.previous = 'v'
		default:
			if why := a.sign(ch); why != "" {
				return why
			}
		}
	}
	return ""
}

// isNameByte is about the beginning of a name; what follows may be a digit as well.
func isNameByte(ch byte) bool {
	return ch == '_' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= 0x80
}

// isNumberByte is about digits and the point. The e of an exponent is read as a name, which
// does no harm: both are values.
func isNumberByte(ch byte) bool { return ch >= '0' && ch <= '9' || ch == '.' }

// joined passes a backslash that joins a line to the next one, and reports whether it was one.
// Some versions of awk let blanks stand between.
func (a *awkScan) joined() bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(a.text[a.at+1:], awkBlanks), "\n")
	a.at = len(a.text) - len(rest)
	return ok
}

// quoted passes a text that ends with the byte it begins with, and reports whether it ends
// before its line does.
func (a *awkScan) quoted(end byte) bool {
	for a.at++; a.at < len(a.text); a.at++ {
		switch a.text[a.at] {
		case '\\':
			a.at++
		case '\n':
			return false
		case end:
			a.at++
			return true
		}
	}
	return false
}

// slash is a division after a value and begins a regular expression after a sign. After a
// closing parenthesis it may be either: "if (x) /re/" and "(a) / b". A wrong guess would hide
// what follows in a text, so such a program counts as one that cannot be read.
func (a *awkScan) slash() string {
	switch a.previous {
	case 'v':
		a.at++
		a.previous = 'o'
	case 0, 'o':
		start := a.at
		if !a.quoted('/') || openBracket(a.text[start+1:a.at-1]) {
			return "has a regular expression that aoctl cannot read"
		}
		a.previous = 'v'
	default:
		return "is one that aoctl cannot read"
	}
	return ""
}

// awkWords are words after which a slash begins a regular expression. All other names are
// values or functions, behind which it divides.
var awkWords = wordset.New("print printf return in if while for do else delete exit case BEGIN END function func")

// name passes a name or a word of the language. print and printf begin a statement in which >
// is a redirection.
func (a *awkScan) name() {
	start := a.at
	for a.at < len(a.text) && (isNameByte(a.text[a.at]) || a.text[a.at] >= '0' && a.text[a.at] <= '9') {
		a.at++
	}
	name := a.text[start:a.at]
	a.previous = 'v'
	if awkWords.Has(name) {
		a.previous = 'o'
	}
	if name == "print" || name == "printf" {
		a.print, a.printAt = true, a.depth
	}
}

// sign passes a sign and says what it does. A > in a print statement writes a file, unless it
// stands in brackets of its own, where it compares.
func (a *awkScan) sign(ch byte) string {
	rest := a.text[a.at:]
	a.at++
	a.previous = 'o'
	switch ch {
	case '(', '[':
		a.depth++
	case ')', ']':
		a.depth--
		a.previous = ')'
		// Behind an index a slash can only divide.
		if ch == ']' {
			a.previous = 'v'
		}
	case ';', '{', '}': // not a newline, after which a statement may go on
		a.print = false
	// "|" has a command at one of its sides, whichever way it leads.
	case '|':
		if !strings.HasPrefix(rest, "||") {
			return "runs programs"
		}
		a.at++
	case '>':
		if a.print && a.depth <= a.printAt && !strings.HasPrefix(rest, ">=") && !a.toStream(rest) {
			return "writes files"
		}
	// Behind x++ a slash divides, behind ++ before a name it cannot stand; so it is doubted.
	case '+', '-':
		if strings.HasPrefix(rest[1:], string(ch)) {
			a.at++
			a.previous = '+'
		}
	}
	return ""
}

// toStream says whether a redirection leads to one of the program's own streams and nothing
// follows that might make another name of it: texts side by side are joined.
func (a *awkScan) toStream(rest string) bool {
	rest = strings.TrimSpace(strings.TrimPrefix(rest, ">"))
	for _, name := range []string{`"/dev/stderr"`, `"/dev/stdout"`} {
		if after, ok := strings.CutPrefix(rest, name); ok {
			after = strings.TrimLeft(after, " \t")
			return after == "" || strings.IndexByte(";}\n", after[0]) >= 0
		}
	}
	return false
}
