package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// Set is a list of rules made ready to judge calls. It does not change, so several goroutines
// may use it. Rules are sorted on to shelves by tool and program, as an operator may have
// thousands and a call asks about each of its elements.
type Set struct {
	all   []*entry // disabled ones too, in the order in which they speak
	tools map[string]*shelf
	wild  *shelf   // rules whose tool is a pattern
	does  []*entry // rules about effects
	off   *Set     // the operator's own allow rules that are switched off, on shelves of their own; nil for none
}

// shelf are rules about one tool, by what they look at. A rule may stand in several
// of its lists, and each list is in the order in which rules speak.
type shelf struct {
	whole   []*entry            // any call, or any element
	byName  map[string][]*entry // commands, by the program in lower case
	byLine  map[string][]*entry // whole command lines
	command []*entry            // commands of any program
	read    []*entry
	write   []*entry
	assign  []*entry
}

// Compile makes a set of rules, whatever their order. It takes all of them or none; what it
// refuses is an *Error, wrapped with the rule's id. Two rules may not have the same id, unless
// it is empty. All or none, because a set that lacks one refusing rule would allow more than
// its owner wrote.
func Compile(list []Rule) (*Set, error) {
	if len(list) > MaxRules {
		return nil, fmt.Errorf("there are %d rules; at most %d are allowed", len(list), MaxRules)
	}
	all := make([]*entry, 0, len(list))
	ids := make(map[string]bool, len(list))
	for i, r := range list {
		e, err := r.compile()
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", named(r, i), err)
		}
		if r.ID != "" && ids[r.ID] {
			return nil, fmt.Errorf("rule %s: %w", named(r, i), &Error{"id", "is that of another rule"})
		}
		ids[r.ID] = true
		all = append(all, e)
	}
	return arrange(all), nil
}

// named is how an error calls a rule.
func named(r Rule, i int) string {
	if r.ID == "" || !plain(r.ID) {
		return fmt.Sprintf("number %d", i+1)
	}
	return r.ID
}

// arrange takes all over: it sorts the entries and sets their ranks.
func arrange(all []*entry) *Set {
	slices.SortStableFunc(all, before)
	s := newSet()
	s.all = all
	for i, e := range all {
		e.rank = i
		switch {
		case e.rule.Enabled:
			s.shelve(e)
		// Agents can write a project's file, so nobody is led to switch its rules on.
		case e.rule.Decision == Allow && e.rule.Source == "":
			if s.off == nil {
				s.off = newSet()
			}
			s.off.shelve(e)
		}
	}
	return s
}

// newSet is a set with empty shelves.
func newSet() *Set { return &Set{tools: map[string]*shelf{}, wild: newShelf()} }

// shelve puts e on the shelves of all tools that it is about.
func (s *Set) shelve(e *entry) {
	if e.rule.Effects != 0 {
		s.does = append(s.does, e)
		return
	}
	// Which tools such a pattern fits is known only when a call comes.
	if e.tool.RE != nil || slices.ContainsFunc(e.tool.Alts, func(g patterns.Glob) bool { return !g.Exact() }) {
		s.wild.put(e)
		return
	}
	for _, g := range e.tool.Alts {
		if s.tools[g[0]] == nil {
			s.tools[g[0]] = newShelf()
		}
		s.tools[g[0]].put(e)
	}
}

// newShelf is an empty shelf; its lists need no making.
func newShelf() *shelf { return &shelf{byLine: map[string][]*entry{}, byName: map[string][]*entry{}} }

// put adds a rule to the lists of all that it looks at.
func (h *shelf) put(e *entry) {
	if e.parts == 0 {
		h.whole = append(h.whole, e)
	}
	if e.read != nil {
		h.read = append(h.read, e)
	}
	if e.write != nil {
		h.write = append(h.write, e)
	}
	if e.assign != nil {
		h.assign = append(h.assign, e)
	}
	if e.command != nil {
		h.putCommand(e)
	}
}

// putCommand sorts a rule about commands by the programs that it names, once for each.
func (h *shelf) putCommand(e *entry) {
	switch {
	case e.command.IsLine:
		h.byLine[e.command.Line] = append(h.byLine[e.command.Line], e)
	case e.command.Programs() == nil:
		h.command = append(h.command, e)
	default:
		for _, name := range e.command.Programs() {
			if list := h.byName[name]; len(list) == 0 || list[len(list)-1] != e {
				h.byName[name] = append(list, e)
			}
		}
	}
}

// Rules are all rules of s, disabled ones too, by priority, then age. The list is the caller's
// own. That is the order in which people read them, and not the one in which they speak.
func (s *Set) Rules() []Rule {
	list := make([]Rule, len(s.all))
	for i, e := range s.all {
		list[i] = e.rule
	}
	slices.SortStableFunc(list, func(a, b Rule) int {
		return cmp.Or(a.Priority-b.Priority, a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return list
}

// With is s with r added, or in the place of the rule with its id. A rule without an id is
// always added. s stays as it is, also where an error is returned.
func (s *Set) With(r Rule) (*Set, error) {
	e, err := r.compile()
	if err != nil {
		return nil, err
	}
	all := s.others(r.ID)
	if len(all) >= MaxRules {
		return nil, fmt.Errorf("there are %d rules already, as many as are allowed", MaxRules)
	}
	return arrange(append(all, e)), nil
}

// Without is s without the rule of this id; s itself when it has none. Rules without an id
// cannot be taken out.
func (s *Set) Without(id string) *Set {
	if all := s.others(id); len(all) < len(s.all) {
		return arrange(all)
	}
	return s
}

// others copies all entries but the one with this id: a set's own never change.
func (s *Set) others(id string) []*entry {
	all := make([]*entry, 0, len(s.all)+1)
	for _, e := range s.all {
		if id != "" && e.rule.ID == id {
			continue
		}
		other := *e
		all = append(all, &other)
	}
	return all
}
