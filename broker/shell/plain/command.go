package plain

import "strings"

// simple reads assignments, words and redirections. The redirections are gathered apart and put
// behind the words, as Tokens wants them; a here-document that began among them has its token
// moved along.
func (r *reader) simple() {
	// Assignments alone are a command; nothing at all is none.
	if n := r.assignments(); r.ends() {
		if n == 0 {
			r.refuse("")
		}
		return
	}
	first := r.ahead()
	if !name(first) || reserved()[first] {
		r.refuse("")
	}
	var files Tokens
	var words []string // as they stand in the text
	open := r.heredoc
	for !r.ends() {
		// A command begins with its program here: to zsh a redirection alone is a command, too.
		if len(words) > 0 && r.redirect(&files) {
			continue
		}
		from := r.i
		r.word()
		words = append(words, r.text[min(from, r.i):r.i])
	}
	if r.heredoc != open {
		r.heredoc += len(r.out.list)
	}
	r.out.list = append(r.out.list, files.list...)
	// Only with all words is it known whether they change how the rest of the text is read.
	if r.why == "" && !tame(words) {
		r.refuse("what " + first + " is given")
	}
}

// ends reports whether a simple command has ended here. It passes blanks. A comment ends it as
// well.
func (r *reader) ends() bool {
	r.blanks()
	return strings.IndexByte("\x00\n;|&)#", r.at(0)) >= 0
}

// assignments reads name=word, any number of times, and counts them. A variable that some shell
// gives a meaning of its own is refused: behind it the text could mean something else.
func (r *reader) assignments() int {
	for n := 0; ; n++ {
		r.blanks()
		variable, value, ok := strings.Cut(r.ahead(), "=")
		if !ok || !identifier(variable) {
			return n
		}
		if !takes(variable, value) {
			r.refuse("a variable that some shell knows: " + variable)
		}
		r.skip(len(variable) + 1)
		r.out.Assign(variable)
		r.parts()
	}
}

// redirects reads the redirections behind a list in brackets or a loop, where all shells take
// them.
func (r *reader) redirects() {
	var files Tokens
	open := r.heredoc
	for r.blanks(); r.redirect(&files); r.blanks() {
	}
	if r.heredoc != open {
		r.heredoc += len(r.out.list)
	}
	r.out.list = append(r.out.list, files.list...)
}

// redirect reads one redirection, if one begins here. Only one digit may stand before it: with
// more, shells disagree on whether they are a descriptor or a word.
func (r *reader) redirect(files *Tokens) bool {
	fd := ""
	if c := r.at(0); digit(c) {
		fd = string(c)
	}
	op := r.at(len(fd))
	if op != '<' && op != '>' {
		return false
	}
	r.skip(len(fd) + 1)
	switch {
	case op == '<' && r.at(0) == '<':
		r.hereDocument(fd, files)
	case r.at(0) == '&':
		to := r.at(1)
		// ">& name" opens a file in some shells only.
		if !digit(to) && to != '-' || strings.IndexByte("\x00 \t\n;|&)", r.at(2)) < 0 {
			r.refuse("")
		}
		r.skip(2)
		files.Op(fd + string(op) + "&" + string(to))
	default:
		kind := string(op)
		if op == '>' && r.take(">") {
			kind = ">>"
		}
		files.Op(fd + kind)
		r.target(files)
	}
	return true
}

// target reads the file of a redirection into files. zsh knows >! as an operator.
func (r *reader) target(files *Tokens) {
	r.blanks()
	if r.at(0) == '!' {
		r.refuse("")
	}
	out := r.out
	r.out = *files
	r.word()
	r.out, *files = out, r.out
}

// hereDocument reads <<'MARK' and <<MARK. The text begins behind the line's end, so the mark is
// kept until newline comes there. There may be one in a line.
func (r *reader) hereDocument(fd string, files *Tokens) {
	r.skip(1)
	// A second document would begin where the first one ends, which needs more than one mark.
	if r.due() || fd != "" {
		r.refuse("a here-document of another kind")
	}
	r.blanks()
	word := r.ahead()
	r.mark = strings.Trim(word, `'"`)
	// Any quote at all around the mark keeps the shell from expanding the text.
	r.literal = word != r.mark
	if word != r.mark && word != "'"+r.mark+"'" && word != `"`+r.mark+`"` || !identifier(r.mark) {
		r.refuse("the mark of a here-document")
	}
	r.skip(len(word))
	// The token is made here, where it belongs, and filled when the text has been read.
	files.Heredoc("")
	r.heredoc = len(files.list) - 1
}
