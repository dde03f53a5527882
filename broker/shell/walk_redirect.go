package shell

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// input is what a statement's command reads from: its last redirection of standard
// input, or what is around it.
func (w *walker) input(s *syntax.Stmt) input {
	in := input{kind: w.in.kind, names: w.in.names} // a text is read by one command alone
	for _, r := range s.Redirs {
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op { //nolint:exhaustive // the others write
		case syntax.RdrIn, syntax.RdrInOut:
			in = input{kind: "file"}
			if len(r.Word.Parts) == 1 {
				if _, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
					in.kind = "pipe"
				}
			}
		case syntax.DplIn:
			in = input{kind: "file"}
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			in = input{kind: "text"}
			if _, ok := s.Cmd.(*syntax.CallExpr); ok {
				in.text = w.document(r)
			}
		}
	}
	return in
}

// redirects adds the files that redirections open.
func (w *walker) redirects(list []*syntax.Redirect) {
	for _, r := range list {
		w.redirect(r)
		w.inside(r.Word)
		w.inside(r.Hdoc)
	}
}

// mark is a word that ends here-documents for all shells alike.
var mark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\w[\w.-]*|'\w[\w.-]*'|"\w[\w.-]*"|\\\w[\w.-]*)$`) })

// numbers is what zsh takes for a range between < and >.
var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]*-[0-9]*$`) })

func (w *walker) redirect(r *syntax.Redirect) {
	text := w.cut(r)
	if r.N != nil && len(r.N.Value) > 1 { // {fd}, too
		w.unsure(r, "shells disagree about "+command.Cite(text))
	}
	kinds := []Kind{Write}
	switch r.Op { //nolint:exhaustive // the others just write
	case syntax.Hdoc, syntax.DashHdoc:
		if !mark().MatchString(w.cut(r.Word)) {
			w.unsure(r, "shells disagree about where the here-document ends")
		}
		if r.Hdoc != nil && !quotedMark(r.Word) && strings.Contains(w.cut(r.Hdoc), "\\\n") {
			w.unsure(r, "shells disagree about joined lines in a here-document")
		}
		return
	case syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if lit := r.Word.Lit(); lit == "-" || smallNumber(strings.TrimSuffix(lit, "-")) {
			return // of a file that is open already
		}
	case syntax.RdrIn:
		kinds = []Kind{Read}
		if numbers().MatchString(r.Word.Lit()) {
			w.unsure(r, "zsh may take it for a range of numbers")
		}
	case syntax.RdrInOut:
		kinds = []Kind{Read, Write}
	}
	target := w.target(r.Word)
	for _, k := range kinds {
		w.opened(k, text, target)
	}
}

// target is the file of a redirection: bash expands patterns in it, too.
func (w *walker) target(word *syntax.Word) arg {
	list := w.words(word)
	if len(list) != 1 {
		return arg{Word: rawWord(w.cut(word)), why: command.Cite(w.cut(word)) + " is not one file"}
	}
	return list[0]
}

// opened adds one file of a redirection.
func (w *walker) opened(k Kind, text string, target arg) {
	e := w.element(k, text)
	e.Path, e.Home, e.Glob = target.Text, target.Tilde, target.Glob
	switch {
	case target.fd && k == Read, target.fd && k == Write: // its command is an element
		return
	case !target.sure():
		e.Unsure = first(target.why, command.Cite(target.Raw)+" is not known before it runs")
	case target.Text == "":
		e.Unsure = "the file has no name"
	case target.Text == "/dev/null", target.Text == "/dev/stdin", target.Text == "/dev/stdout", target.Text == "/dev/stderr":
		return
	case strings.HasPrefix(target.Text, "/dev/tcp/"), strings.HasPrefix(target.Text, "/dev/udp/"):
		e.Unsure = "bash opens a connection for it"
	case strings.HasPrefix(target.Raw, "!"), strings.HasPrefix(target.Raw, "|"):
		e.Unsure = "shells disagree about which file " + command.Cite(text) + " writes"
	case target.Glob:
		e.Unsure = "which file " + command.Cite(target.Raw) + " stands for is not known"
	}
	w.add(e)
}
