package little

import "strings"

// Act is one thing that a program of sed does beyond printing what it reads: it runs something,
// or opens a file to read or, with Write, to write it. A Path may be "" where the program has
// no name behind r.
type Act struct {
	Runs  string // not empty: this part of sed runs a program
	Path  string // else the file that is opened, as it stands in the program
	Write bool
}

// Sed lists what a program of sed does, in its order. Versions of sed disagree on whether a
// delimiter inside brackets ends a regular expression, and on what ends a label, so all
// readings count; one that sed would refuse does no more than open the files it names. ok is
// false for a program that may mean something else.
//
// The list has what any reading does, so it may name more than one sed does. The caller adds
// all of it.
func Sed(text string) (acts []Act, ok bool) {
	careful := sedProgram{text: text, brackets: true, label: shortLabel}
	careful.read()
	simple := sedProgram{text: text, label: shortLabel}
	simple.read()
	// That one of the two is broken is no doubt: every sed reads it in one way only, and if it
	// refuses, nothing runs.
	ok = !careful.strange && !simple.strange && (!careful.broken || !simple.broken)
	acts = append(careful.acts, simple.acts...)
	// Without a label the longer readings are the same again.
	if !careful.labels && !simple.labels {
		return acts, ok
	}
	known := make(map[Act]bool, len(acts))
	for _, act := range acts {
		known[act] = true
	}
	for _, label := range []string{" \t\n;", "\n"} {
		for _, brackets := range []bool{true, false} {
			long := sedProgram{text: text, brackets: brackets, label: label}
			long.read()
			ok = ok && !long.strange
			for _, act := range long.acts {
				if !known[act] {
					known[act] = true
					acts = append(acts, act)
				}
			}
		}
	}
	return acts, ok
}

// shortLabel is what ends a label to GNU sed. To others a brace is part of it, or all that stands
// in its line.
const shortLabel = " \t\n;}"

// sedProgram is a program of sed that is being read, in one of the ways in which some sed reads
// it. label and brackets say which; broken or strange ends the reading.
type sedProgram struct {
	text     string
	at       int
	acts     []Act
	label    string // what ends a label
	brackets bool   // [/] hides the delimiter
	labels   bool   // it has labels
	broken   bool   // sed would refuse it
	strange  bool   // it may mean something that is not understood here
}

// read goes through the commands until the end, or until it can read no further.
func (p *sedProgram) read() {
	// A closing brace ends nothing that matters here.
	for p.skip(" \t\n;}"); p.at < len(p.text) && !p.bad(); p.skip(" \t\n;}") {
		p.address()
		if !p.bad() {
			p.command()
		}
	}
}

// bad reports whether there is no point in reading on.
func (p *sedProgram) bad() bool { return p.broken || p.strange }

// skip passes any of chars.
func (p *sedProgram) skip(chars string) {
	for p.at < len(p.text) && strings.IndexByte(chars, p.text[p.at]) >= 0 {
		p.at++
	}
}

// address reads what stands before a command: "2,/x/I!" and the like. It takes more than any
// sed does, as a wrong address makes sed refuse the program.
func (p *sedProgram) address() {
	for p.at < len(p.text) && !p.bad() {
		switch ch := p.text[p.at]; {
		case ch >= '0' && ch <= '9' || strings.IndexByte("$,~+! \t", ch) >= 0:
			p.at++
		// \cREGEXc has any delimiter.
		case ch == '/' || ch == '\\':
			if ch == '\\' {
				p.at++
			}
			if p.at >= len(p.text) {
				p.broken = true
				return
			}
			delimiter := p.text[p.at]
			p.at++
			p.until(delimiter)
			p.skip("IM")
		default:
			return
		}
	}
}

// until passes the next delimiter that is not escaped. A delimiter that has a meaning in
// regular expressions or of its own is read in different ways.
func (p *sedProgram) until(delimiter byte) {
	if strings.IndexByte("\n\\;[]", delimiter) >= 0 || delimiter >= 0x80 {
		p.strange = true
		return
	}
	for ; p.at < len(p.text); p.at++ {
		switch ch := p.text[p.at]; {
		case ch == '\\':
			p.at++
		case ch == '[' && p.brackets:
			n := bracket(p.text[p.at:])
			if n == 0 {
				p.broken = true
				return
			}
			p.at += n - 1
		case ch == delimiter:
			p.at++
			return
		}
	}
	p.broken = true
}

// bracket is the length of the bracket expression that re begins with, 0 when it does not end.
// A "]" right behind the "[" is one of its characters, and so is all inside of [:name:].
func bracket(re string) int {
	i := 1
	if strings.HasPrefix(re[i:], "^") {
		i++
	}
	if strings.HasPrefix(re[i:], "]") {
		i++
	}
	for i < len(re) && re[i] != ']' {
		if re[i] == '[' && i+2 < len(re) && strings.IndexByte(":.=", re[i+1]) >= 0 {
			end := strings.Index(re[i+2:], string(re[i+1])+"]")
			if end < 0 {
				return 0
			}
			i += 2 + end + 1
		}
		i++
	}
	if i >= len(re) {
		return 0
	}
	return i + 1
}

// openBracket says whether a regular expression ends inside a bracket expression. Then a slash
// in the brackets has ended it for one awk and not for another.
func openBracket(re string) bool {
	for i := 0; i < len(re); i++ {
		switch re[i] {
		case '\\':
			i++
		case '[':
			n := bracket(re[i:])
			if n == 0 {
				return true
			}
			i += n - 1
		}
	}
	return false
}

// command reads one command and what belongs to it.
func (p *sedProgram) command() {
	if p.at >= len(p.text) {
		p.broken = true
		return
	}
	ch := p.text[p.at]
	p.at++
	switch {
	case ch == '{' || ch == '}':
	case strings.IndexByte("=dDgGhHnNpPxzF", ch) >= 0:
		p.end()
	case ch == '#':
		p.line()
	// Jumps do not matter, as every command counts whether it is reached or not; their labels
	// do.
	case strings.IndexByte(":btT", ch) >= 0:
		p.skip(" \t")
		p.labels = true
		for p.at < len(p.text) && strings.IndexByte(p.label, p.text[p.at]) < 0 {
			p.at++
		}
		p.end()
	case strings.IndexByte("aic", ch) >= 0:
		p.textLines()
	case strings.IndexByte("lLqQ", ch) >= 0:
		p.skip(" \t0123456789")
		p.end()
	case ch == 'r' || ch == 'R':
		p.acts = append(p.acts, Act{Path: strings.TrimLeft(p.line(), " \t")})
	case ch == 'w' || ch == 'W':
		p.writes()
	case ch == 'e':
		p.line()
		p.acts = append(p.acts, Act{Runs: "sed's command e"})
	case ch == 's':
		p.substitute()
	case ch == 'y':
		p.pair()
		p.end()
	case isNameByte(ch):
		p.strange = true // perhaps a command of some other version
	default:
		p.broken = true
	}
}

// end wants the end of a command. Where something else follows, sed refuses the program and
// runs none of it.
func (p *sedProgram) end() {
	p.skip(" \t")
	if p.at < len(p.text) && strings.IndexByte("\n;}#", p.text[p.at]) < 0 {
		p.broken = true
	}
}

// line takes the rest of the line. Names of files go as far, so a ";" behind one is part of it.
func (p *sedProgram) line() string {
	rest, _, _ := strings.Cut(p.text[p.at:], "\n")
	p.at += len(rest)
	return rest
}

// textLines passes the text of a, i and c, which goes on after a backslash. What looks like a
// command in there is text.
func (p *sedProgram) textLines() {
	for ; p.at < len(p.text) && p.text[p.at] != '\n'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
}

// writes notes the file behind w, or behind the flag w of s.
func (p *sedProgram) writes() {
	p.acts = append(p.acts, Act{Path: strings.TrimLeft(p.line(), " \t"), Write: true})
}

// pair passes the two texts of s and y. In the second one brackets have no meaning.
func (p *sedProgram) pair() {
	if p.at >= len(p.text) {
		p.broken = true
		return
	}
	delimiter := p.text[p.at]
	p.at++
	p.until(delimiter)
	if p.bad() {
		return
	}
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case delimiter:
			p.at++
			return
		}
	}
	p.broken = true
}

// substitute reads s///: its flag e runs what comes out, its flag w writes a file. Behind w
// comes the file's name, up to the end of the line.
func (p *sedProgram) substitute() {
	p.pair()
	for p.at < len(p.text) && !p.bad() {
		ch := p.text[p.at]
		switch {
		case strings.IndexByte("gpIiMm0123456789", ch) >= 0:
			p.at++
		case ch == 'e':
			p.at++
			p.acts = append(p.acts, Act{Runs: "sed's flag e"})
		case ch == 'w':
			p.at++
			p.writes()
			return
		default:
			p.end()
			return
		}
	}
}
