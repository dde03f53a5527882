package rulesfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/pelletier/go-toml/v2"
)

// table gives out the fields of a TOML table, so that what is left in it is what no rule has.
// It empties the map that it is given.
type table struct {
	in     map[string]any
	name   string   // "scope." or nothing
	first  *problem // of the rule, with the tables inside it
	nested []*table
}

// problem is what is wrong with one field. The zero problem is none.
type problem struct{ field, text string }

// take moves a field to where it belongs, when there is one and it is of that kind. A field of
// another kind is taken out and noted; to keeps what it had. It reports whether to was set.
// kind is how a message calls it: "must be true or false, not text".
func take[T any](t *table, key, kind string, to *T) bool {
	v, given := t.in[key]
	delete(t.in, key)
	if !given {
		return false
	}
	value, ok := v.(T)
	if !ok {
		t.wrong(key, "must be "+kind+", not "+kindOf(v))
		return false
	}
	*to = value
	return true
}

// wrong keeps the first problem of the rule.
func (t *table) wrong(key, text string) {
	if t.first.text == "" {
		*t.first = problem{t.name + key, text}
	}
}

// text, flag, whole and moment take a field of one kind each.
func (t *table) text(key string, to *string) { take(t, key, "text in quotes", to) }

func (t *table) flag(key string, to *bool) { take(t, key, "true or false", to) }

// effects reads the names of effects. A rule about effects is about every tool, and needs to name none.
func (t *table) effects(key string, r *rules.Rule) {
	names := ""
	if !take(t, key, "text in quotes, such as \"look, edit\"", &names) {
		return
	}
	set, err := effects.Parse(names)
	if err != nil {
		t.wrong(key, err.Error())
	} else if set == 0 {
		t.wrong(key, "names none; there are "+effects.Grantable.String())
	}
	if r.Effects = set; r.Tool == "" {
		r.Tool = rules.EffectsTool
	}
}

// whole is bounded to what an int holds on every system. A default that is there already stays
// when the field is absent.
func (t *table) whole(key string, to *int) {
	const kind = "a whole number of at most ten digits"
	n := int64(*to)
	if take(t, key, kind, &n); n > math.MaxInt32 || n < math.MinInt32 {
		t.wrong(key, "must be "+kind+", not "+kindOf(n))
	}
	*to = int(n)
}

// moment reads a time that means the same everywhere. It keeps milliseconds, as the store does.
func (t *table) moment(key string, to *time.Time) {
	var at time.Time
	if !take(t, key, "a time with its offset from UTC, such as 2026-12-31T00:00:00Z", &at) {
		return
	}
	*to = at.UTC().Truncate(time.Millisecond)
	if to.Before(firstTime) || to.After(lastTime) {
		t.wrong(key, "must be a time from the years 1 to 9999")
	}
}

// texts reads every field as text, whatever its name; nil when there are none.
func (t *table) texts() map[string]string {
	if len(t.in) == 0 {
		return nil
	}
	all := make(map[string]string, len(t.in))
	for _, key := range slices.Sorted(maps.Keys(t.in)) {
		var s string
		t.text(key, &s)
		all[key] = s
	}
	return all
}

// table is a table inside t, without fields when there is none. What is left in it counts as
// left in t.
func (t *table) table(key string) *table {
	inner := &table{name: key + ".", first: t.first}
	take(t, key, "a table, such as [rule."+key+"]", &inner.in)
	t.nested = append(t.nested, inner)
	return inner
}

// rest is the first field, by name, that nobody has taken. A misspelt key must not leave
// a rule with its default.
func (t *table) rest() (string, bool) {
	for _, key := range slices.Sorted(maps.Keys(t.in)) {
		return t.name + key, true
	}
	for _, inner := range t.nested {
		if field, ok := inner.rest(); ok {
			return field, true
		}
	}
	return "", false
}

// kindOf is what stands there, in the words of a message.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "text"
	case bool:
		return "true or false"
	case int64:
		return fmt.Sprintf("the number %d", v)
	case float64:
		return "a number with a fraction"
	case time.Time:
		return "a time"
	case toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return "a time without an offset"
	case []any:
		return "a list"
	default:
		return "a table"
	}
}
