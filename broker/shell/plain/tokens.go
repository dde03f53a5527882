package plain

import "strings"

// Tokens are the words and operators of a script in their order, in a form that another reader
// can build as well. A command is its assignments, then its words, then its redirections,
// whatever stands between which in the text. An empty Tokens is ready. It belongs to one
// goroutine.
//
// Each token is a text with its kind in front, such as "op |", "word", "text a" or "quoted b".
// A word is the token "word" and then its parts, so that ab, "a"b and a"b" are told apart by
// how they are quoted, and not by where a reader has cut them.
type Tokens struct {
	list []string
}

// List gives the tokens so far. Texts of one kind that follow each other are one: readers cut a
// word into pieces at different places.
func (t *Tokens) List() []string {
	list := make([]string, 0, len(t.list))
	for i := 0; i < len(t.list); {
		kind := kindOf(t.list[i])
		n := 1
		for kind != "" && i+n < len(t.list) && kindOf(t.list[i+n]) == kind {
			n++
		}
		if n == 1 {
			list = append(list, t.list[i])
		} else {
			var b strings.Builder
			b.WriteString(kind)
			for _, piece := range t.list[i : i+n] {
				b.WriteString(piece[len(kind):])
			}
			list = append(list, b.String())
		}
		i += n
	}
	return list
}

// open and closed begin the tokens of texts. A text cannot be mistaken for another token, as
// each begins with its kind.
const (
	open   = "text "
	closed = "quoted "
)

// kindOf is the kind of a text, "" of other tokens.
func kindOf(token string) string {
	for _, kind := range [...]string{open, closed} {
		if strings.HasPrefix(token, kind) {
			return kind
		}
	}
	return ""
}

// add appends a token: its kind, a blank, and its text.
func (t *Tokens) add(kind, text string) { t.list = append(t.list, kind+text) }

// Op adds an operator, a reserved word, or the variable of a loop. ";" stands for every end of
// a command but "&".
func (t *Tokens) Op(text string) { t.add("op ", text) }

// Word begins a word; its parts follow.
func (t *Tokens) Word() { t.add("word", "") }

// Assign begins an assignment; the parts of its value follow.
func (t *Tokens) Assign(variable string) { t.add("assign ", variable) }

// Text adds text to a word. Quoted text means itself; in other text there may be wildcards
// and tildes.
func (t *Tokens) Text(text string, quoted bool) {
	if quoted {
		t.add(closed, text)
		return
	}
	t.add(open, text)
}

// Value adds the value of a variable to a word. Between quotes it stays one word, so that is
// told apart.
func (t *Tokens) Value(variable string, quoted bool) {
	if quoted {
		t.add("quotedvalue ", variable)
		return
	}
	t.add("value ", variable)
}

// Open begins a substitution in a word. Its commands follow, and Op(")").
func (t *Tokens) Open(quoted bool) {
	if quoted {
		t.add("substitution quoted", "")
		return
	}
	t.add("substitution", "")
}

// Heredoc adds the text of a here-document to a command.
func (t *Tokens) Heredoc(text string) { t.add("heredoc ", text) }
