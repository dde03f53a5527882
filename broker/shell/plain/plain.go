// Package plain reads the part of the shell's language that means the same in every shell: bash
// from 3.2 on, dash, zsh, mksh and the ash of busybox.
//
// It is the second reader of a command line. The first, in the package above, knows the whole
// language, and so can be led to read a line in one way where some shell reads it in another.
// This one knows little and refuses the rest: only where both have read the same words and
// operators may a wildcard vouch for a line.
//
// What it takes:
//
//	words     letters, digits, _ - . / , + @ : % and other letters; '…'; "…"; a backslash
//	          before a mark or a blank; * ? [a-z]; ~ and ~/…; {} alone; stash@{0}; HEAD~1
//	values    $name ${name} $? $! $$, and $(…) with the same language inside
//	commands  name=word before them; their first word is a plain name, and none of the
//	          builtins that change how the rest is read (eval, source, declare, alias …)
//	files     < > >> with one digit before them, >&1, and here-documents that stand for
//	          themselves
//	lists     ; & && || | newlines ! time ( ) { } if while until for, and comments
//
// All else is refused: other forms of ${…}, $((…)), backquotes, $'…', [[ ]], (( )), <( ),
// functions, case, arrays, braces that make several words, &> and <<<, and any character where
// one shell is known to see more in it than another.
//
// It shares no code with the first reader: what both had from one place, both would have wrong.
// It reads once from left to right, byte by byte; refuse moves to the end, so that nothing is
// read after the first reason. A form is added only when all these shells read it alike;
// scripts/shells.sh runs generated lines in each of them.
//
// The package knows the standard library alone and looks at nothing but its text. Open this
// file first, then list.go for the grammar of commands and word.go for that of words.
package plain

import (
	"fmt"
	"strings"
)

// Read gives the words and operators of a script, one token after the other, as Tokens builds
// them. why says what is not plain about it, and then there are none. text may be
// anything.
func Read(text string) (tokens []string, why string) {
	r := &reader{text: text, heredoc: -1}
	// Shells disagree about a NUL, and no terminal shows one of these for what it is.
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return nil, "a control character"
		}
	}
	r.list()
	if !r.over() {
		r.refuse("")
	}
	if r.due() {
		r.refuse("a here-document without its end")
	}
	if r.why != "" {
		return nil, r.why
	}
	return r.out.List(), ""
}

// maxDepth is how deep lists may stand in each other. The reader calls itself for each level.
const maxDepth = 20

// reader is one reading of a text: a place in it, and the tokens so far.
type reader struct {
	text  string
	i     int
	out   Tokens
	why   string // not empty: the text is not plain, and i is at its end, so that all reading ends
	depth int
	subst int // substitutions around this place

	heredoc int    // the token that the text of a here-document goes to, at the end of this line; or -1
	mark    string // that ends it
	literal bool   // its mark is quoted
}

// refuse ends the reading. Without a reason, it is what stands here.
func (r *reader) refuse(why string) {
	if r.why != "" {
		return
	}
	if why == "" {
		rest, _, _ := strings.Cut(r.text[r.i:], "\n")
		if short := []rune(rest); len(short) > 12 {
			rest = string(short[:12]) + "…"
		}
		why = fmt.Sprintf("what begins at %q", rest)
		if rest == "" {
			why = "its end"
		}
	}
	r.why, r.i = why, len(r.text)
}

func (r *reader) over() bool { return r.i >= len(r.text) }

// due reports whether the text of a here-document begins at the end of this line.
func (r *reader) due() bool { return r.heredoc >= 0 }

// at is the byte n behind this one, 0 at the end.
func (r *reader) at(n int) byte {
	if r.i+n < len(r.text) {
		return r.text[r.i+n]
	}
	return 0
}

// before is the byte before this one.
func (r *reader) before() byte {
	if r.i > 0 {
		return r.text[r.i-1]
	}
	return '\n'
}

// skip goes on by n bytes, never beyond the end.
func (r *reader) skip(n int) { r.i = min(r.i+n, len(r.text)) }

// take goes behind s, if it stands here.
func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.text[r.i:], s) {
		return false
	}
	r.skip(len(s))
	return true
}

// blanks goes behind blanks and lines that are joined between words. A line joined in the
// middle of a word is refused by what reads words.
func (r *reader) blanks() {
	for {
		switch {
		case r.at(0) == ' ' || r.at(0) == '\t':
			r.skip(1)
		case r.at(0) == '\\' && r.at(1) == '\n' && (r.before() == ' ' || r.before() == '\t') && !r.due():
			r.skip(2)
			if c := r.at(0); c == '#' || c == '\n' || c == '\\' || c == 0 {
				r.refuse("a joined line")
			}
		default:
			return
		}
	}
}

// gap goes behind blanks, newlines and comments between commands. Inside of a substitution a
// comment is refused, as older shells look for the closing bracket through it.
func (r *reader) gap() {
	for r.blanks(); !r.over(); r.blanks() {
		switch {
		case r.at(0) == '\n':
			r.newline()
		// Elsewhere a "#" is part of a word, or read differently.
		case r.at(0) == '#' && strings.IndexByte(" \t\n", r.before()) >= 0 && r.subst == 0:
			line, _, _ := strings.Cut(r.text[r.i:], "\n")
			if strings.Contains(line, "\\") {
				r.refuse("a backslash in a comment")
			}
			r.skip(len(line))
		default:
			return
		}
	}
}

// newline goes behind the end of a line and the here-document that begins there. A text that
// the shell would expand is refused; without its mark the document stays due, and Read says so.
func (r *reader) newline() {
	r.skip(1)
	if !r.due() {
		return
	}
	start := r.i
	for r.i < len(r.text) {
		line, _, _ := strings.Cut(r.text[r.i:], "\n")
		if line == r.mark {
			body := r.text[start:r.i]
			if !r.literal && strings.ContainsAny(body, "$`\\") {
				r.refuse("a here-document that the shell expands")
			}
			r.out.list[r.heredoc] += body
			r.heredoc = -1
			r.skip(len(line))
			return
		}
		if r.subst > 0 && strings.HasPrefix(line, r.mark) { // bash 5.2 takes one with a bracket for the end
			r.refuse("a line like the end of a here-document")
		}
		r.skip(len(line) + 1)
	}
}

// ahead is the raw text up to the next blank or operator. Quotes and backslashes are still in
// it, so a quoted reserved word is none.
func (r *reader) ahead() string {
	rest := r.text[min(r.i, len(r.text)):]
	if i := strings.IndexAny(rest, " \t\n;&|<>()"); i >= 0 {
		return rest[:i]
	}
	return rest
}
