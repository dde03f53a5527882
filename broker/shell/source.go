package shell

import "mvdan.cc/sh/v3/syntax"

// source is one text, with what is known of the variables and functions that it uses. Words are
// expanded with it. A script inside the text is a source of its own, and has the line's
// functions. vars changes during the walk; the survey was made before and does not.
type source struct {
	survey
	text string
	vars map[string]value // what variables hold at this place of the walk
}

// newSource looks at a text. functions are those of the line so far; those of the text come to
// them, in the same map: what a script inside defines may be called outside. No variable is
// known at first, as the environment that the shell starts with is not.
func newSource(text string, file *syntax.File, functions map[string]bool) *source {
	return &source{survey: look(file, functions), text: text, vars: make(map[string]value)}
}

// cut is the part of the text that n stands for, as it was written. It is "" for what the
// parser made up, such as an empty word, whose positions are not valid.
func (src *source) cut(n syntax.Node) string {
	from, to := n.Pos(), n.End()
	if !from.IsValid() || !to.IsValid() || to.Offset() > uint(len(src.text)) || from.Offset() > to.Offset() {
		return ""
	}
	return src.text[from.Offset():to.Offset()]
}
