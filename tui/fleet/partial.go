package fleet

import (
	"errors"
	"strings"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// Partial is the error of an order that did not reach all machines that it is for. Both lists have names
// of machines as the fleet has them.
type Partial interface {
	error
	Confirmed() []string // did it
	Later() []string     // are out of reach, and do it when they are back
}

// Waits reports whether err says that an order waits for machines until they are back.
func Waits(err error) (p Partial, ok bool) {
	ok = errors.As(err, &p) && len(p.Later()) > 0
	return p, ok
}

// InPart reports whether err says that some machines did what was ordered and others did not.
func InPart(err error) bool {
	var p Partial
	return errors.As(err, &p) && len(p.Confirmed()) > 0
}

// namesShown is how many machines a sentence names.
const namesShown = 3

// Names lists machines in a sentence, safe to draw: "api-1, build-2 and 5 more".
func Names(list []string) string {
	shown := list[:min(len(list), namesShown)]
	if len(list) == namesShown+1 {
		shown = list
	}
	names := make([]string, 0, len(shown)+1)
	for _, n := range shown {
		names = append(names, safe.Head(n, mostLabel))
	}
	if more := len(list) - len(shown); more > 0 {
		names = append(names, figures.Count(more)+" more")
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// Outcome says which machines confirmed an order and which do it later, the longest text first. did is
// what the first ones did, and one and several are the verb of the others: "stops", "stop".
func (f *Fleet) Outcome(p Partial, did, one, several string) []string {
	done, later := p.Confirmed(), p.Later()
	verb, back := one, "it is back"
	if len(later) > 1 {
		verb, back = several, "they are back"
	}
	neither := ""
	if n := len(f.list) - len(done) - len(later); n > 0 {
		neither = "; " + machines(n) + " did not"
	}
	wait := "; " + Names(later) + " " + verb + " when " + back
	brief := figures.Count(len(later)) + " " + verb + " when back" + neither
	if len(done) == 0 {
		return []string{"no machine confirmed" + wait + neither, "none confirmed; " + brief}
	}
	count := figures.Count(len(done)) + " of " + machines(len(f.list))
	who := Names(done)
	texts := []string{who + " confirmed: " + did + wait + neither, who + " confirmed" + wait + neither}
	if draw.Cells(count) < draw.Cells(who) {
		texts = append(texts, count+" confirmed"+wait+neither)
	}
	return append(texts, figures.Count(len(done))+" confirmed; "+brief)
}
