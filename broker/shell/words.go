package shell

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// parts gathers what the parts of one word become. It is used for one word and then thrown
// away. buf is right only as long as why is "".
type parts struct {
	src   *source
	buf   strings.Builder
	why   string // not empty: the word is not known, or shells disagree about it
	glob  bool
	tilde bool
	solid bool // has quotes: the word stays even if it is empty
	fd    bool // it is <(…) or >(…), alone: the name of a pipe
	plain bool // no braces, tildes or patterns here: an assignment's value
}

// words gives what word becomes as an argument: mostly one word, several for braces, none for
// an empty variable. why goes with each word that cannot be relied on.
//
// The steps are those of the shell in its order: braces make words, then each of them gets the
// values of its variables, then quotes go. Patterns stay as they are and are only marked, as no
// file is looked at. So {a,b}{1..2} gives a1, a2, b1 and b2; "$x" gives the value of x where
// the line has set it, and else one unknown word; *.go gives itself, with Glob.
func (src *source) words(word *syntax.Word) []arg {
	// Most words of most lines are this simple.
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && simple(lit.Value) {
			return []arg{{Word: sureWord(lit.Value)}}
		}
	}
	raw := src.cut(word)
	if closes(word) {
		return []arg{{Word: rawWord(raw), why: "zsh may take the brace of " + command.Cite(raw) + " for the end of a block"}}
	}
	var out []arg
	for _, one := range braces(word) {
		if one == nil {
			return append(out, arg{Word: rawWord(raw), why: command.Cite(raw) + " becomes too many words"})
		}
		if a, ok := src.arg(one, raw); ok {
			out = append(out, a)
		}
	}
	return out
}

// all gives what several words become, in their order.
func (src *source) all(list []*syntax.Word) []arg {
	var out []arg
	for _, word := range list {
		out = append(out, src.words(word)...)
	}
	return out
}

// arg is a word with what is wrong about it. The package command sees the Word alone; the rest
// is for doubts that depend on the line.
type arg struct {
	command.Word
	why    string
	fd     bool // <(…) and the like
	quoted bool // not known, but surely one word
	told   bool // not known, but as tells says
	shown  bool // the same, with variables
	commit bool // not known, but as commit says
}

// sure reports whether a is known, and means the same to all shells.
func (a arg) sure() bool { return a.Known && a.why == "" }

// doubt says why a is not sure.
func (a arg) doubt() string { return cmp.Or(a.why, unknownYet(a.Raw)) }

// unknownYet is the doubt about a part of the line whose value nobody knows.
func unknownYet(raw string) string { return command.Cite(raw) + " is not known before it runs" }

// sureWord is a word that means itself. rawWord is one of which only the text in the line is
// known.
func sureWord(text string) command.Word { return command.Word{Text: text, Known: true, Raw: text} }
func rawWord(raw string) command.Word   { return command.Word{Raw: raw} }

// simple reports whether an unquoted text means just itself, in every shell and at every place
// of a command but the first. An "=" at the beginning is zsh's path of a command.
func simple(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isAlnum(c):
		case strings.IndexByte("-_./:,+@%", c) >= 0:
		case c == '=' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// arg evaluates a word without braces. ok is false when nothing remains of it, as of an empty
// variable without quotes. raw is the whole word in the text, with its braces.
func (src *source) arg(word *syntax.Word, raw string) (a arg, ok bool) {
	p := parts{src: src}
	p.add(word.Parts)
	// An empty variable without quotes leaves no word at all, so later words move up.
	if p.why == "" && p.buf.Len() == 0 && !p.solid {
		return arg{}, false
	}
	a = p.arg(raw)
	if a.Known {
		a.why = assignTilde(word)
	} else {
		a.quoted = oneQuoted(word)
		a.told, a.shown, a.commit = src.tells(word, false), src.tells(word, true), commit(word)
	}
	return a, true
}

// inQuotes gives the parts of a word that stands in one pair of double quotes.
func inQuotes(from *syntax.Word) ([]syntax.WordPart, bool) {
	q, ok := from.Parts[0].(*syntax.DblQuoted)
	if !ok || len(from.Parts) != 1 || q.Dollar {
		return nil, false
	}
	return q.Parts, true
}

// oneQuoted reports whether a word stands in quotes and so stays one word, whatever is in it:
// all but "$@" and its like do. Of the forms of ${…} only the plain ones are taken for one
// word.
func oneQuoted(from *syntax.Word) bool {
	inner, ok := inQuotes(from)
	if !ok {
		return false
	}
	for _, part := range inner {
		if e, ok := part.(*syntax.ParamExp); ok && (!bare(e) || e.Param.Value == "@") {
			return false
		}
	}
	return true
}

// tells reports whether a word stands in double quotes and nothing unknown is in it but what
// programs print that only tell of the repository, the day or the machine. An echo of such a
// word shows nothing that the agent may not know. variables: some of them tell no more; one alone
// needs no quotes.
func (src *source) tells(from *syntax.Word, variables bool) bool {
	if variables && len(from.Parts) == 1 && src.tellsVariable(from.Parts[0], nil) {
		return true
	}
	inner, ok := inQuotes(from)
	for i, part := range inner {
		switch part := part.(type) {
		case *syntax.Lit:
			ok = ok && !strings.Contains(part.Value, "\\")
		case *syntax.CmdSubst:
			ok = ok && !part.Backquotes && len(part.Stmts) == 1 && tellsOne(part.Stmts[0])
		default:
			ok = ok && variables && src.tellsVariable(part, behind(inner, i))
		}
	}
	return ok
}

// tellVariables are variables that hold nothing that is anybody's secret, as long as the text does not set them.
var tellVariables = wordset.New("HOME PWD OLDPWD USER LOGNAME SHELL PATH LANG TERM HOSTNAME GOPATH VIRTUAL_ENV")

// tellsVariable reports whether a part of a word is such a variable, and next changes nothing of it.
func (src *source) tellsVariable(part, next syntax.WordPart) bool {
	e, ok := part.(*syntax.ParamExp)
	if !ok || !bare(e) || e.Short && modified(next) || src.anything {
		return false
	}
	name := e.Param.Value
	return (number(name) || tellVariables.Has(name)) && src.sets[name] == 0
}

// tellers are programs that print nothing that is anybody's secret. They are given plain words
// only (literals), so that no option can be computed.
var tellers = wordset.New("date uname nproc hostname whoami")

// tellsOne reports whether a command inside a substitution is one of tellers, or a git command
// that prints a commit or the name of a branch.
func tellsOne(s *syntax.Stmt) bool {
	words, ok := literals(s)
	switch {
	case !ok:
		return false
	case words[0] != "git":
		return tellers.Has(words[0])
	}
	return len(words) > 1 && (words[1] == "rev-parse" || words[1] == "describe" || words[1] == "branch" && len(words) == 3 && words[2] == "--show-current")
}

// literals gives the words of a command that is nothing but plain ones: no values, quotes,
// redirections or assignments. ok is false for others, and then words count for nothing.
func literals(s *syntax.Stmt) (words []string, ok bool) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || bound(s) || len(c.Assigns) > 0 {
		return nil, false
	}
	for _, w := range c.Args {
		if !simple(w.Lit()) {
			return nil, false
		}
		words = append(words, w.Lit())
	}
	return words, len(words) > 0
}

// commit reports whether a word is the commit that $(git merge-base a b) prints, alone or with
// what follows in a range, as in "$(git merge-base main HEAD)..HEAD". It is no option then, not
// even where nothing is printed. Agents compare branches this way all day, so that it is worth
// a function.
func commit(from *syntax.Word) bool {
	parts, ok := inQuotes(from)
	if !ok {
		parts = from.Parts
	}
	if len(parts) == 0 || len(parts) > 2 {
		return false
	}
	if len(parts) == 2 {
		rest, ok := parts[1].(*syntax.Lit)
		if !ok || !strings.HasPrefix(rest.Value, "..") || strings.Trim(rest.Value, ".HEAD") != "" {
			return false
		}
	}
	sub, ok := parts[0].(*syntax.CmdSubst)
	if !ok || sub.Backquotes || len(sub.Stmts) != 1 {
		return false
	}
	words, ok := literals(sub.Stmts[0])
	return ok && len(words) == 4 && words[0] == "git" && words[1] == "merge-base" && words[2][0] != '-' && words[3][0] != '-'
}

// value evaluates the value of an assignment, the text of a here-document and such, which stay
// one word: nil is the empty one. Braces, patterns and lists are text there.
func (src *source) value(from *syntax.Word) arg {
	if from == nil {
		return arg{Word: command.Word{Known: true}}
	}
	p := parts{src: src, plain: true}
	if closes(from) {
		p.unknown("zsh may take the brace of %s for the end of a block", command.Cite(src.cut(from)))
	}
	p.add(from.Parts)
	return p.arg(src.cut(from))
}

// arg gives what was gathered. The text of a word that is not known is left out, so that nobody
// can judge half a word.
func (p *parts) arg(raw string) arg {
	if p.why != "" {
		return arg{Word: rawWord(raw), why: p.why, fd: p.fd}
	}
	return arg{Word: command.Word{Text: p.buf.String(), Known: true, Glob: p.glob, Tilde: p.tilde, Raw: raw}}
}

// unknown notes why the word cannot be relied on. The first reason stays.
func (p *parts) unknown(format string, args ...any) {
	if p.why == "" {
		p.why = fmt.Sprintf(format, args...)
	}
}

// add takes in the parts of an unquoted word. What stands in the next part matters as well: zsh
// reads on behind a variable and a dollar sign.
func (p *parts) add(list []syntax.WordPart) {
	for i, part := range list {
		next := behind(list, i)
		switch part := part.(type) {
		case *syntax.Lit:
			p.lit(part.Value, i == 0, next)
		case *syntax.SglQuoted:
			p.solid = true
			p.single(part)
		case *syntax.DblQuoted:
			p.solid = true
			p.double(part)
		case *syntax.ParamExp:
			p.param(part, next, false)
		case *syntax.CmdSubst:
			p.unquotedSubst(part)
		case *syntax.ArithmExp:
			p.arithm(part)
		case *syntax.ProcSubst:
			// Glued to other text it is no longer the name of a pipe alone.
			p.fd = len(list) == 1
			p.oneUnknown(part)
		default: // extended globs; in zsh what follows them may be code
			p.unknown("shells disagree about %s", command.Cite(p.src.cut(part)))
		}
	}
}

// behind is the part behind one of a list, nil at its end.
func behind(list []syntax.WordPart, i int) syntax.WordPart {
	if i+1 == len(list) {
		return nil
	}
	return list[i+1]
}

// lit adds an unquoted text. first: it begins the word. A backslash takes the meaning from what
// is behind it and goes away itself.
func (p *parts) lit(s string, first bool, next syntax.WordPart) {
	if first {
		p.head(s, next)
	}
	// Tildes behind a colon are expanded in values by some shells.
	if p.plain && (strings.Contains(s, ":~") || strings.Contains(s, ":=")) {
		p.unknown("shells disagree about %s", command.Cite(s))
	}
	end := strings.LastIndexByte(s, ']')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case '\\':
			i = min(i+1, len(s)-1) // the parser leaves none at the end
			p.buf.WriteByte(s[i])
			continue
		case '*', '?':
			p.pattern()
		// A lone bracket is text. With more parts behind, the closing one may stand there.
		case '[':
			if i < end || next != nil {
				p.pattern()
			}
		case '$':
			p.dollar(s[i+1:], next)
		}
		p.buf.WriteByte(c)
	}
}

// pattern notes that files may be put in the word's place. Values of assignments are not
// expanded.
func (p *parts) pattern() {
	if !p.plain {
		p.glob = true
	}
}

// head looks at what begins a word: tildes, and zsh's =command. With HOME set in the text, a
// tilde leads nobody knows where.
func (p *parts) head(s string, next syntax.WordPart) {
	switch {
	case s[0] == '~' && (s == "~" && next == nil || strings.HasPrefix(s, "~/")) && !p.src.home:
		p.tilde = true
	case s[0] == '~':
		p.unknown("%s is a folder that only the shell knows", command.Cite(s))
	case s[0] == '=' && s != "==" && (s != "=" || next != nil):
		p.unknown("zsh puts the path of a command for %s", command.Cite(s))
	}
}

// dollar looks at a dollar sign that the parser took for itself. zsh has more forms, such as
// $=name and $^name. The parser ends a part behind it, so rest may stand in the next one.
func (p *parts) dollar(rest string, next syntax.WordPart) {
	if lit, ok := next.(*syntax.Lit); ok && rest == "" {
		rest, next = lit.Value, nil
	}
	name := strings.TrimLeft(rest, "=~^+")
	if name == rest || name == "" && next == nil {
		return
	}
	if name == "" || name[0] >= utf8.RuneSelf || strings.IndexByte("@*#?$!-_{([", name[0]) >= 0 || isAlnum(name[0]) {
		p.unknown("zsh expands $%s", command.Cite(rest))
	}
}

// isAlnum reports whether c is a letter or a digit of ASCII.
func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// double adds "…". Its substitutions are unknown, but for the one that gives a text which
// stands in the line.
func (p *parts) double(q *syntax.DblQuoted) {
	if q.Dollar {
		p.unknown(`$"…" is translated before it is used`)
	}
	for i, part := range q.Parts {
		next := behind(q.Parts, i)
		switch part := part.(type) {
		case *syntax.Lit:
			p.quotedLit(part.Value, "$`\"\\", next)
		case *syntax.ParamExp:
			p.param(part, next, true)
		case *syntax.CmdSubst:
			if text, ok := p.src.message(part); ok {
				p.buf.WriteString(text)
			} else {
				p.oneUnknown(part)
			}
		case *syntax.ArithmExp:
			p.arithm(part)
		default:
			p.oneUnknown(part)
		}
	}
}

// oneUnknown notes a part whose value is not known.
func (p *parts) oneUnknown(n syntax.Node) { p.unknown("%s", unknownYet(p.src.cut(n))) }

// quotedLit adds a text in which a backslash escapes only some characters.
func (p *parts) quotedLit(s, escaped string, next syntax.WordPart) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(escaped, s[i+1]) >= 0 {
			i++
		} else if s[i] == '$' {
			p.dollar(s[i+1:], next)
		}
		p.buf.WriteByte(s[i])
	}
}

// unquotedSubst adds a substitution outside of quotes. Only in a value does it stay one word;
// elsewhere the shell takes its output apart.
func (p *parts) unquotedSubst(c *syntax.CmdSubst) {
	if p.plain {
		if text, ok := p.src.message(c); ok {
			p.buf.WriteString(text)
			return
		}
	}
	p.oneUnknown(c)
}

// param adds the value of a variable, if the line itself gives it one. Without quotes the shell
// splits the value at blanks and expands patterns in it, so only a plain one is taken; zsh does
// neither, and the two must agree.
func (p *parts) param(e *syntax.ParamExp, next syntax.WordPart, quoted bool) {
	// Its text stands for a number, which is what it is or nothing.
	if quoted && p.src.exits(e) {
		p.buf.WriteString(p.src.cut(e))
		return
	}
	if !bare(e) {
		p.oneUnknown(e)
		return
	}
	// $name[1] has a subscript in zsh alone.
	if e.Short && modified(next) {
		p.unknown("zsh reads more into %s", command.Cite(p.src.cut(e)+p.src.cut(next)))
		return
	}
	// split: the shell takes the value apart at its blanks, and looks for files.
	split := !quoted && !p.plain
	name := e.Param.Value
	if number(name) && (!split || name != "!" && !p.src.ifs) {
		p.buf.WriteString(p.src.cut(e)) // some digits; its own name stands for them
		return
	}
	v, ok := p.src.vars[name]
	if !ok || split && (p.src.ifs || v.glob || strings.ContainsAny(v.text, " \t\n*?[\\~^#(|<") || !v.braces && strings.Contains(v.text, "{")) {
		p.oneUnknown(e)
		return
	}
	p.buf.WriteString(v.text)
	p.glob = p.glob || v.glob
}

// bare reports whether e is $name or ${name} and nothing more. It names every field that the
// parser may set, as each is a form of its own.
func bare(e *syntax.ParamExp) bool {
	return e.Param != nil && e.Flags == nil && !e.Excl && !e.Length && !e.Width && !e.IsSet &&
		e.Split == syntax.OptUnset && e.GlobSubst == syntax.OptUnset && e.RcExpand == syntax.OptUnset &&
		e.NestedParam == nil && e.Index == nil && len(e.Modifiers) == 0 &&
		e.Slice == nil && e.Repl == nil && e.Names == 0 && e.Exp == nil
}

// exits reports whether e is "${PIPESTATUS[0]}" or its like, which bash fills with
// numbers and other shells leave empty, in a text that does not set it.
func (s *survey) exits(e *syntax.ParamExp) bool {
	if e.Param == nil || e.Param.Value != "PIPESTATUS" || e.Index == nil || s.anything || s.sets["PIPESTATUS"] > 0 {
		return false
	}
	at, ok := e.Index.(*syntax.Word)
	if !ok || !smallNumber(at.Lit()) {
		return false
	}
	plain := *e
	plain.Index = nil
	return bare(&plain)
}

// modified reports whether zsh takes what follows a variable as a subscript or a modifier of
// it, as in $name[1] and $name:h.
func modified(next syntax.WordPart) bool {
	lit, ok := next.(*syntax.Lit)
	return ok && lit.Value != "" && strings.IndexByte("[:", lit.Value[0]) >= 0
}

// number reports whether the special parameter is always a number: the status, the shell's own
// process, the last one in the background. $! may be empty too.
func number(name string) bool {
	return name == "?" || name == "$" || name == "!"
}

// assignTilde finds what looks like an assignment among the arguments, such as of=~/x: bash
// expands its tilde and the other shells do not. It gives the doubt, or "".
func assignTilde(word *syntax.Word) string {
	lit, ok := word.Parts[0].(*syntax.Lit)
	if !ok {
		return ""
	}
	name, value, _ := strings.Cut(lit.Value, "=")
	if syntax.ValidName(strings.TrimSuffix(name, "+")) && (strings.HasPrefix(value, "~") || strings.Contains(value, ":~")) {
		return "shells disagree about the tilde in " + command.Cite(lit.Value)
	}
	return ""
}
