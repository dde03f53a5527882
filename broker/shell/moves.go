package shell

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
)

// moves is what is known of commands of a line that make links, or put whole trees in place, in
// which there may be links. What a path leads to is looked up before the line runs, so after
// such a command nobody knows it: "ln -s /etc x; rm x/passwd" deletes another file than the one
// that was looked at.
//
// The walker raises and lowers the counts while it goes through a part; the three marks stay
// set.
type moves struct {
	spans  [][2]int // the elements of these commands
	beside int      // above 0: what is walked runs before, or with, what stands before it
	again  int      // above 0: what is walked may run several times, at any time
	all    bool     // such a command may run before what stands before it
	own    bool     // such a command may run twice
	late   bool     // some part of the line may run later than it stands
}

// any reports whether the line has had such a command so far.
func (m *moves) any() bool { return len(m.spans) > 0 }

// relink notes a command that makes links, with its elements from one on. wrapped: it
// runs through a wrapper, which may run more than it.
func (o *output) relink(from int, wrapped bool) {
	m := &o.moves
	m.spans = append(m.spans, [2]int{from, len(o.elements)})
	for i := from; i < len(o.elements); i++ {
		o.elements[i].Relinks = true
	}
	// In each of these cases it may run before what stands before it in the text.
	m.all = m.all || wrapped || m.beside > 0 || m.again > 0
	m.own = m.own || m.again > 0
}

// unsettle doubts the paths that a command of the line may have moved before they are opened.
// It runs once, at the end of the walk: a loop or a background command can move what stands
// before it.
func (o *output) unsettle() {
	m := &o.moves
	if !m.any() {
		return
	}
	first := m.spans[0]
	// In a line that runs from left to right, what stands before the first such command is
	// safe.
	from, all := first[1], m.all || m.late
	if all {
		from = 0
	}
	lists := false
	for i := range o.elements {
		e := &o.elements[i]
		if e.Kind == Command {
			lists = listsOnly(e.Argv)
		}
		// The operands of the only such command, if it runs once, are opened before anything
		// has moved.
		own := len(m.spans) == 1 && !m.own && i >= first[0] && i < first[1]
		if i < from || own {
			continue
		}
		if all && e.Dir != "" {
			e.DirUnsure = true
		}
		// ls alone is let off, because it opens nothing that it lists.
		if opens(e) && (e.Kind != Read || !e.Operand || !lists) && e.Unsure == "" {
			e.Unsure, e.Neutral, e.Names = "an earlier command of the line may have moved what this path leads to", false, true
		}
	}
}

// opens reports whether e opens a file that may be moved; "-" is one for a redirection.
func opens(e *Element) bool {
	return (e.Kind == Read || e.Kind == Write) && (e.Path == "-" || !command.Streams.Has(e.Path))
}

// listsOnly reports whether argv shows no more than the names of files, and those of
// one folder.
func listsOnly(argv []string) bool {
	if len(argv) == 0 || argv[0] != "ls" {
		return false
	}
	for _, w := range argv[1:] {
		if strings.HasPrefix(w, "-") && strings.ContainsAny(w, "Rr") {
			return false
		}
	}
	return true
}
