package shell

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/command"
	"mvdan.cc/sh/v3/syntax"
)

// input is what a statement's command reads from: its last redirection of standard input, or
// what is around it. Redirections of other descriptors do not count.
func (s *state) input(of *syntax.Stmt) input {
	in := input{kind: s.in.kind, names: s.in.names} // a text is read by one command alone
	// The shell opens them in order, so that the last one stands.
	for _, r := range of.Redirs {
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
			// Only a simple command surely reads the text itself; in a group the first one
			// would.
			if _, ok := of.Cmd.(*syntax.CallExpr); ok {
				in.text = s.document(r)
			}
		}
	}
	return in
}

// redirects adds the files that redirections open, and what runs while their names and texts
// are made.
func (w *walker) redirects(list []*syntax.Redirect) {
	for _, r := range list {
		w.redirect(r)
		w.inside(r.Word)
		w.inside(r.Hdoc)
	}
}

// mark is a word that ends here-documents for all shells alike: letters, digits and a few
// marks, all of it in quotes or none. "E"OF and the like are taken apart differently.
var mark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\w[\w.-]*|'\w[\w.-]*'|"\w[\w.-]*"|\\\w[\w.-]*)$`) })

// numbers is what zsh takes for a range between < and >.
var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]*-[0-9]*$`) })

// redirect adds the elements of one redirection: a Read for <, a Write for >, both for <>. A
// here-document opens no file; a copy of a descriptor (2>&1) opens none either, but ">& name"
// does. What follows shells alone can tell apart is doubted before the file is looked at.
func (s *state) redirect(r *syntax.Redirect) {
	text := s.cut(r)
	if r.N != nil && len(r.N.Value) > 1 { // {fd}, too
		s.unsure(r, "shells disagree about "+command.Cite(text))
	}
	kinds := []Kind{Write}
	switch r.Op { //nolint:exhaustive // the others just write
	case syntax.Hdoc, syntax.DashHdoc:
		if !mark().MatchString(s.cut(r.Word)) {
			s.unsure(r, "shells disagree about where the here-document ends")
		}
		if r.Hdoc != nil && !quotedMark(r.Word) && strings.Contains(s.cut(r.Hdoc), "\\\n") {
			s.unsure(r, "shells disagree about joined lines in a here-document")
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
			s.unsure(r, "zsh may take it for a range of numbers")
		}
	case syntax.RdrInOut:
		kinds = []Kind{Read, Write}
	}
	target := s.target(r.Word)
	for _, k := range kinds {
		s.opened(k, text, target)
	}
}

// target is the file of a redirection: bash expands patterns in it, too. A word that becomes
// none or several names no file, and the shell refuses it or opens what nobody expects.
func (src *source) target(word *syntax.Word) arg {
	list := src.words(word)
	if len(list) != 1 {
		return arg{Word: rawWord(src.cut(word)), why: command.Cite(src.cut(word)) + " is not one file"}
	}
	return list[0]
}

// opened adds one file of a redirection. The streams of the process are no files and are left
// out; any doubt about the name makes the element unsure, as a redirection has no command whose
// rule would cover it.
func (s *state) opened(k Kind, text string, target arg) {
	e := s.element(k, text)
	e.Path, e.Home, e.Glob = target.Text, target.Tilde, target.Glob
	switch {
	case target.fd && k == Read, target.fd && k == Write: // its command is an element
		return
	case !target.sure():
		e.Unsure = target.doubt()
	case target.Text == "":
		e.Unsure = "the file has no name"
	case target.Text == "/dev/null", target.Text == "/dev/stdin", target.Text == "/dev/stdout", target.Text == "/dev/stderr":
		return
	// bash has these names built in: no such file is on the disk.
	case strings.HasPrefix(target.Text, "/dev/tcp/"), strings.HasPrefix(target.Text, "/dev/udp/"):
		e.Unsure = "bash opens a connection for it"
	// ">! name" and ">| name" force a write in zsh; elsewhere the mark may be part of the name.
	case strings.HasPrefix(target.Raw, "!"), strings.HasPrefix(target.Raw, "|"):
		e.Unsure = "shells disagree about which file " + command.Cite(text) + " writes"
	case target.Glob:
		e.Unsure = "which file " + command.Cite(target.Raw) + " stands for is not known"
	}
	s.add(e)
}
