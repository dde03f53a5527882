package rules

import (
	"time"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// textSearch looks for the deny rule that speaks first about a text. It is for lines of which a
// part is not understood: what is hidden from the reader may still stand there in plain words.
type textSearch struct {
	search
	best *entry
	over patterns.Absent
}

// rawDeny returns the first deny rule about commands whose words stand in the text of the line,
// or nil. It may refuse a line that only mentions the words, in an echo for instance; the other
// way round a denied command could hide.
func (s *Set) rawDeny(c *Call, now time.Time) *entry {
	f := textSearch{search: search{c: c, now: now}, over: patterns.Absent{}}
	f.shelf(s.tools[c.q.Tool])
	f.shelf(s.wild)
	return f.best
}

// shelf tries the rules about one tool: those of any program, and those of the names that begin
// at some token of the text.
func (f *textSearch) shelf(h *shelf) {
	if h == nil {
		return
	}
	f.try(h.command, -1)
	for i, name := range f.c.line.text.Names {
		f.try(h.byName[name], i)
		if base := patterns.BaseName(name); base != name {
			f.try(h.byName[base], i)
		}
	}
}

// try tries rules whose words begin at one token, or anywhere with -1. What else than
// a command a rule asks for cannot be seen in a text.
func (f *textSearch) try(list []*entry, at int) {
	for _, e := range list {
		if e.rule.Decision != Deny || f.best != nil && e.rank >= f.best.rank || !e.tool.Match(f.c.q.Tool) || !e.live(f.c, f.now) {
			continue
		}
		// A rule that also asks for a file or a variable would refuse more than it says.
		if e.parts == 1 && f.conditions(e) && e.command.InText(f.c.line.text, at, f.over) {
			f.best = e
		}
	}
}
