package command

import "github.com/aoctl/aoctl/broker/shell/wordset"

// Option is one option of a command, as the command's program reads it.
type Option struct {
	Name     string // as the tables have it, never shortened
	Value    string
	Operands int  // that stand before it
	Known    bool // to the tables; behind one that is not may stand its value
}

// Options are the options of a command in their order, by the tables that say which of them
// take a value, and how many operands there are. ok is false for a program that the tables do
// not know.
func Options(argv []string) (list []Option, operands int, ok bool) {
	if len(argv) == 0 {
		return nil, 0, false
	}
	name, _, twisted := programOf(literal(argv[0]))
	s, _, found := lookUp(name)
	if !found || twisted {
		return nil, 0, false
	}
	c := &call{spec: s, name: name}
	for _, text := range argv[1:] {
		c.words = append(c.words, literal(text))
	}
	o := c.list
	if tars.Has(name) && len(c.words) > 0 && c.words[0].Text != "" && c.words[0].Text[0] != '-' {
		c.words = c.unbundled(o)
	}
	c.parse()
	for _, g := range c.opts {
		_, known := o.byName[g.name]
		list = append(list, Option{Name: g.name, Value: g.value.Text, Operands: g.operands, Known: known})
	}
	return list, len(c.rest), true
}

var tars = wordset.New("tar gtar bsdtar")
