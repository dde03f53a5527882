package plain

import "strings"

// word reads one word of a command. There must be one.
func (r *reader) word() {
	from := r.i
	r.out.Word()
	// These mean themselves when they stand alone, and something else in a longer word.
	if alone := r.ahead(); alone == "{}" || alone == "!" || alone == "=" || alone == "!=" || alone == "[" || alone == "]" {
		r.skip(len(alone))
		r.out.Text(alone, false)
	} else {
		r.parts()
	}
	raw := r.text[from:r.i]
	switch c := r.at(0); {
	// Nothing more is said of a text that is refused already.
	case r.why != "":
	case raw == "", c == '(':
		r.refuse("")
	// "2>" with a quoted or a longer number is a word here and a descriptor there.
	case (c == '<' || c == '>') && strings.Trim(raw, `'"\0123456789`) == "":
		r.refuse("a number before a redirection")
	}
}

// parts reads what a word or a value is made of. It may read nothing, as of "A=".
func (r *reader) parts() {
	solid := false // there is text before that is there whatever the values are
	for from := r.i; !r.over(); {
		c, n := r.at(0), r.at(1)
		switch {
		case strings.IndexByte(" \t\n;&|<>()", c) >= 0:
			return
		case c == '\'':
			r.single()
			// '' leaves nothing that could keep a later = from the front.
			solid = solid || n != '\''
		case c == '"':
			r.double()
			solid = solid || n != '"' && n != '$'
		case c == '$':
			r.value(false)
		case c == '\\':
			r.escaped()
			solid = true
		default:
			n := r.unquoted(r.i == from, solid)
			if n == 0 {
				r.refuse("")
			}
			r.out.Text(r.text[r.i:r.i+n], false)
			r.skip(n)
			solid = true
		}
	}
}

// unquoted is how many bytes of a word mean themselves here, 0 when some shell sees more
// in them. first: they begin the word. Until the word is solid, = and ~ may begin it once its
// quotes and values are gone, and zsh puts a path there; so it does behind the : of a value.
func (r *reader) unquoted(first, solid bool) int {
	c, before := r.at(0), r.before()
	switch {
	case alnum(c):
		n := 1
		for alnum(r.at(n)) {
			n++
		}
		return n
	case c >= 0x80 && c != 0x85 && c != 0xa0, // what is an à to others, bash on macOS may split: there they are blanks
		strings.IndexByte("_-./,+@:%*?", c) >= 0:
		if c == '@' && r.at(1) == '{' {
			return r.enclosed(1, "}", "~.-")
		}
		return 1
	case c == '=' && solid && before != ':':
		return 1
	case c == '~' && first && (r.at(1) == '/' || strings.IndexByte("\x00 \t\n;&|)", r.at(1)) >= 0):
		return 1
	// HEAD~1 and HEAD^ are words; a tilde or caret behind other characters may be more to zsh.
	case (c == '~' || c == '^') && solid && (alnum(before) || before == '^' || before == '~' || before == '}'):
		return 1
	case c == '#' && (alnum(before) || strings.IndexByte("_-./", before) >= 0):
		return 1
	case c == '[':
		return r.enclosed(0, "]", "_.-^!")
	}
	return 0
}

// enclosed is the length of what stands between brackets, with all before, when nothing but
// letters, digits and some marks are in it; else 0. open is where the bracket stands. Empty
// brackets are refused too.
func (r *reader) enclosed(open int, end, marks string) int {
	rest := r.text[r.i+open+1:]
	n := strings.IndexFunc(rest, func(c rune) bool { return !alnum(c) && !strings.ContainsRune(marks, c) })
	if n <= 0 || !strings.HasPrefix(rest[n:], end) {
		return 0
	}
	return open + 1 + n + 1
}

// escaped reads a backslash with a mark or a blank. Letters and digits need none, and what is
// not ASCII is more than one byte, of which it might quote the first alone.
func (r *reader) escaped() {
	c := r.at(1)
	if c < ' ' || c >= 0x80 || alnum(c) {
		r.refuse("")
	}
	r.out.Text(string(c), true)
	r.skip(2)
}

// single reads '…'. While a here-document is due it may not go over the line's end: its text
// begins there for some shells and behind the quote for others.
func (r *reader) single() {
	text, _, ok := strings.Cut(r.text[r.i+1:], "'")
	if !ok || r.due() && strings.Contains(text, "\n") {
		r.refuse("a quote without its end")
	}
	r.out.Text(text, true)
	r.skip(len(text) + 2)
}

// double reads "…". It begins with an empty text, as the first reader spells it.
func (r *reader) double() {
	r.out.Text("", true)
	r.skip(1)
	for !r.over() {
		c, n := r.at(0), r.at(1)
		switch {
		case c == '"':
			r.skip(1)
			return
		// Old substitutions, a document that begins in the middle of a quote, and joined lines.
		case c == '`', c == '\n' && r.due(), c == '\\' && n == '\n':
			r.refuse("")
		case c == '\\' && strings.IndexByte("$`\"\\", n) >= 0:
			r.out.Text(string(n), true)
			r.skip(2)
		// A dollar that nothing follows means itself in all shells.
		case c == '$' && (n == ' ' || n == '"' && strings.IndexByte("\x00 \t\n;&|)", r.at(2)) >= 0):
			r.out.Text("$", true)
			r.skip(1)
		case c == '$':
			r.value(true)
		default:
			run := 1 + max(0, strings.IndexAny(r.text[r.i+1:], "\n\"$`\\"))
			r.out.Text(r.text[r.i:r.i+run], true)
			r.skip(run)
		}
	}
	r.refuse("a quote without its end")
}

// value reads a dollar sign and what is put in its place. What stands behind a name must not be
// able to belong to it: zsh reads on at [ and :, and letters that are not ASCII may be part of
// the name.
func (r *reader) value(quoted bool) {
	rest := r.text[r.i+1:]
	switch {
	case strings.HasPrefix(rest, "("):
		r.substitution(quoted)
		return
	case strings.HasPrefix(rest, "{"):
		variable, behind, ok := strings.Cut(rest[1:], "}")
		// Some shell may take ${a}[1] for a part of a.
		if !ok || !identifier(variable) || strings.HasPrefix(behind, "[") {
			r.refuse("")
		}
		r.out.Value(variable, quoted)
		r.skip(len(variable) + 3)
		return
	case rest != "" && strings.IndexByte("?$!", rest[0]) >= 0:
		if len(rest) > 1 && strings.IndexByte(" \t\n;&|)\".,/-]", rest[1]) < 0 {
			r.refuse("")
		}
		r.out.Value(rest[:1], quoted)
		r.skip(2)
		return
	}
	n := 0
	for n < len(rest) && (alnum(rest[n]) || rest[n] == '_') {
		n++
	}
	if !identifier(rest[:n]) || n < len(rest) && (rest[n] == '[' || rest[n] == ':' || rest[n] >= 0x80) {
		r.refuse("")
	}
	r.out.Value(rest[:n], quoted)
	r.skip(n + 1)
}

// substitution reads $(…). With a second bracket it is a calculation, or two substitutions.
func (r *reader) substitution(quoted bool) {
	if r.at(2) == '(' || r.due() {
		r.refuse("")
	}
	r.skip(2)
	r.out.Open(quoted)
	r.subst++
	r.list()
	r.subst--
	r.closing()
}
