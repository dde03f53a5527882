package shell

import (
	"fmt"
	"strings"
)

// show writes a line's elements in short: one word for the kind, what it is about, and
// its marks. A doubt is shown as "?", its reason is left to tests of its own.
func show(l Line) string {
	var out []string
	for _, e := range l.Elements {
		out = append(out, showElement(e))
	}
	return strings.Join(out, "; ")
}

func showElement(e Element) string {
	var b strings.Builder
	switch e.Kind {
	case Command:
		b.WriteString(strings.Join(quoted(e.Argv), " "))
	case Read, Write:
		fmt.Fprintf(&b, "%s %s", e.Kind, quoted([]string{e.Path})[0])
	case Assign:
		fmt.Fprintf(&b, "%s=%s", e.Name, e.Value)
	case Unknown:
		b.WriteString("unknown")
	}
	mark := func(on bool, text string) {
		if on {
			b.WriteString(" " + text)
		}
	}
	mark(len(e.Via) > 0, "via="+strings.Join(e.Via, ","))
	mark(e.Host != "", "host="+e.Host)
	mark(e.Dir != "", "dir="+e.Dir)
	mark(e.DirUnsure, "dir?")
	mark(e.Pipe > 0, fmt.Sprint("pipe=", e.Pipe))
	mark(e.Stdin != "", "in="+e.Stdin)
	mark(e.Home, "+home")
	mark(e.Operand, "+operand")
	mark(e.Deletes, "+deletes")
	mark(e.Tree, "+tree")
	mark(e.Glob, "+glob")
	mark(e.Exported, "+exported")
	mark(e.Neutral, "+neutral")
	mark(e.Exact != "", "!")
	mark(e.Unsure != "", "?")
	mark(e.Shown, "shown")
	mark(e.Program != "", fmt.Sprintf("program=%q", e.Program))
	return b.String()
}

// quoted puts words in quotes that could be taken for several, or for none.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " \n\t;'\"") {
			out[i] = fmt.Sprintf("%q", w)
		}
	}
	return out
}
