package plain

import (
	"slices"
	"strings"
)

// list reads commands up to the end, a closing bracket, or one of some reserved words, which it
// leaves. There must be one: shells disagree about empty lists.
func (r *reader) list(ends ...string) {
	// Each level is a few calls of these functions, so a hostile text must not decide how many.
	if r.depth++; r.depth > maxDepth {
		r.refuse("its depth")
	}
	for n := 0; ; n++ {
		r.gap()
		if r.over() || r.at(0) == ')' || slices.Contains(ends, r.ahead()) {
			if n == 0 {
				r.refuse("")
			}
			break
		}
		r.chain()
		if !r.separator() {
			break
		}
	}
	r.depth--
}

// separator reads what ends a command, and writes ";" for all but "&", as the first reader
// does. It reports false where a bracket or the end does.
func (r *reader) separator() bool {
	switch r.at(0) {
	case ';':
		r.skip(1)
		r.out.Op(";")
	case '&':
		if r.at(1) == '!' { // an operator of zsh
			r.refuse("")
		}
		r.skip(1)
		r.out.Op("&")
	// The line's end stays for gap, as a here-document may begin behind it.
	case '\n', '#':
		r.out.Op(";")
	default:
		r.out.Op(";")
		return false
	}
	return true
}

// chain reads pipelines joined by && and ||. Newlines may follow these two, as in every shell.
func (r *reader) chain() {
	for r.pipeline(); ; r.pipeline() {
		switch {
		case r.take("&&"):
			r.out.Op("&&")
		case r.take("||"):
			r.out.Op("||")
		default:
			return
		}
		r.gap()
	}
}

// pipeline reads commands joined by |. A "!" or time may stand before the first.
func (r *reader) pipeline() {
	// Without a blank behind it some shells see a word, or the history.
	if r.ahead() == "!" && (r.at(1) == ' ' || r.at(1) == '\t') {
		r.skip(2)
		r.out.Op("!")
		r.blanks()
	} else if r.ahead() == "time" {
		r.time()
	}
	for r.command(); ; r.command() {
		if r.at(0) != '|' || r.at(1) == '|' {
			return
		}
		r.skip(1)
		r.out.Op("|")
		r.gap()
	}
}

// time reads the word of that name, which is reserved in some shells and a program in others:
// so a program without assignments must follow, and no option, which each takes otherwise.
func (r *reader) time() {
	r.skip(len("time"))
	r.out.Op("time")
	r.blanks()
	if word := r.ahead(); !name(word) || reserved()[word] {
		r.refuse("what time is given")
	}
}

// command reads one command, its redirections and the blanks behind it. What is no reserved
// word begins a simple command, which refuses the others.
func (r *reader) command() {
	if r.at(0) == '(' {
		// Two brackets compute in some shells and are two subshells in others.
		if r.skip(1); r.at(0) == '(' {
			r.refuse("((")
		}
		r.out.Op("(")
		r.list()
		r.closing()
		r.redirects()
		return
	}
	switch word := r.ahead(); word {
	case "{":
		r.keyword(word)
		r.list("}")
		r.keyword("}")
	case "if":
		r.conditional()
	case "while", "until":
		r.keyword(word)
		r.list("do")
		r.body()
	case "for":
		r.loop()
	default:
		r.simple()
	}
	r.redirects()
}

// closing reads the bracket that ends a list. The text of a here-document would begin behind
// it, where shells no longer agree.
func (r *reader) closing() {
	if r.due() || !r.take(")") {
		r.refuse("")
	}
	r.out.Op(")")
}

// keyword reads a reserved word that must stand here. A bracket or an operator directly behind
// one that begins something is refused: shells do not agree on it.
func (r *reader) keyword(word string) {
	if r.ahead() != word {
		r.refuse("")
	}
	r.skip(len(word))
	if strings.IndexByte("()<>", r.at(0)) >= 0 && word != "}" && word != "fi" && word != "done" {
		r.refuse("")
	}
	r.out.Op(word)
}

// conditional reads "if list; then list; elif …; else …; fi".
func (r *reader) conditional() {
	r.keyword("if")
	r.list("then")
	r.keyword("then")
	r.list("elif", "else", "fi")
	for r.ahead() == "elif" {
		r.keyword("elif")
		r.list("then")
		r.keyword("then")
		r.list("elif", "else", "fi")
	}
	if r.ahead() == "else" {
		r.keyword("else")
		r.list("fi")
	}
	r.keyword("fi")
}

// body reads "do list; done".
func (r *reader) body() {
	r.keyword("do")
	r.list("done")
	r.keyword("done")
}

// loop reads "for name in words; do …; done". Without "in" it would go through arguments that
// nobody knows; without words it is refused too.
func (r *reader) loop() {
	r.keyword("for")
	r.blanks()
	variable := r.ahead()
	if !quiet(variable) {
		r.refuse("the name of a loop's variable")
	}
	r.skip(len(variable))
	r.out.Op(variable)
	r.blanks()
	r.keyword("in")
	for n := 0; ; n++ {
		r.blanks()
		// A value that is a bracket or an operator ends in word, which refuses it.
		if c := r.at(0); c == ';' || c == '\n' || r.over() {
			if n == 0 {
				r.refuse("")
			}
			break
		}
		r.word()
	}
	if r.at(0) == ';' {
		r.skip(1)
	}
	r.gap()
	r.body()
}
