package rulesfile

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// places says where in a rules file each field of each rule stands. It has no answer for a
// field that nobody wrote.
type places struct {
	lines []int // offset of each line's first byte
	at    map[place]int
}

// place is a field of a rule. Fields inside a table have their names joined with dots, as
// messages do.
type place struct {
	rule  int    // from 1; 0 outside
	field string // dotted; "" is the rule itself
}

// locate walks a file that is known to be TOML. Its only use is in messages, so a part that it
// does not know is left out rather than refused. The parser is the library's unstable one: it
// alone tells offsets.
func locate(data []byte) places {
	p := places{lines: []int{0}, at: map[place]int{}}
	for i, c := range data {
		if c == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	var parser unstable.Parser
	parser.Reset(data)
	rule, prefix := 0, ""
	for parser.NextExpression() {
		node := parser.Expression()
		key, offset := "", 0
		if node.Kind != unstable.Comment {
			key, offset = dotted(node)
		}
		if node.Kind == unstable.KeyValue {
			p.value(rule, prefix, node)
		}
		if node.Kind == unstable.ArrayTable && key == "rule" {
			rule++
		}
		if node.Kind == unstable.ArrayTable || node.Kind == unstable.Table {
			// A table outside of [[rule]] is an error elsewhere; here it only needs a place.
			at := rule
			if prefix = strings.TrimPrefix(strings.TrimPrefix(key, "rule"), "."); key != "rule" && !strings.HasPrefix(key, "rule.") {
				at, prefix = 0, key
			}
			p.note(at, prefix, offset)
		}
	}
	return p
}

// value notes a key and, of an inline table, those inside.
func (p *places) value(rule int, prefix string, node *unstable.Node) {
	key, offset := dotted(node)
	if prefix != "" {
		key = prefix + "." + key
	}
	p.note(rule, key, offset)
	// where = { command = "…" } is as good as a table.
	if v := node.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				p.value(rule, key, it.Node())
			}
		}
	}
}

// note keeps the first place of a field, which is where a person will look.
func (p *places) note(rule int, field string, offset int) {
	if _, known := p.at[place{rule, field}]; !known {
		p.at[place{rule, field}] = offset
	}
}

// of is the line and column of a field, or of what holds it when it is not there; 0 and 0 when
// that is nowhere either. Both count from 1, the column in bytes.
func (p *places) of(rule int, field string) (line, column int) {
	for {
		if offset, ok := p.at[place{rule, field}]; ok {
			i, found := slices.BinarySearch(p.lines, offset)
			if !found {
				i--
			}
			return i + 1, offset - p.lines[i] + 1
		}
		if field == "" {
			return 0, 0
		}
		field = field[:max(strings.LastIndexByte(field, '.'), 0)]
	}
}

// dotted is a node's key and where it begins, in bytes from the start of the file.
func dotted(node *unstable.Node) (key string, offset int) {
	var parts []string
	for it := node.Key(); it.Next(); {
		if len(parts) == 0 {
			offset = int(it.Node().Raw.Offset)
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), offset
}
