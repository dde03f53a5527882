package rulesfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// table takes fields out of a TOML table; the first problem is kept.
type table struct {
	in             map[string]any
	name           string // "scope." or nothing
	read           []string
	field, problem string
	nested         []*table
}

func (t *table) take(key string) (any, bool) {
	t.read = append(t.read, key)
	v, ok := t.in[key]
	return v, ok
}

func (t *table) wrong(key, problem string) {
	if t.problem == "" {
		t.field, t.problem = t.name+key, problem
	}
}

func (t *table) text(key string, to *string) {
	if v, given := t.take(key); given {
		s, ok := v.(string)
		if !ok {
			t.wrong(key, "must be text in quotes, not "+kindOf(v))
		}
		*to = s
	}
}

func (t *table) whole(key string, to *int) {
	if v, given := t.take(key); given {
		n, ok := v.(int64)
		if !ok || n > math.MaxInt32 || n < math.MinInt32 {
			t.wrong(key, "must be a whole number of at most ten digits, not "+kindOf(v))
			return
		}
		*to = int(n)
	}
}

func (t *table) flag(key string, to *bool) {
	if v, given := t.take(key); given {
		b, ok := v.(bool)
		if !ok {
			t.wrong(key, "must be true or false, not "+kindOf(v))
		}
		*to = b
	}
}

// moment reads a time that means the same everywhere.
func (t *table) moment(key string, to *time.Time) {
	v, given := t.take(key)
	if !given {
		return
	}
	at, ok := v.(time.Time)
	if !ok {
		t.wrong(key, "must be a time with its offset from UTC, such as 2026-12-31T00:00:00Z, not "+kindOf(v))
		return
	}
	at = at.UTC().Truncate(time.Millisecond)
	if at.Before(firstTime) || at.After(lastTime) {
		t.wrong(key, "must be a time from the years 1 to 9999")
		return
	}
	*to = at
}

// texts reads every field as text.
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

func (t *table) table(key string) *table {
	v, given := t.take(key)
	if !given {
		return nil
	}
	in, ok := v.(map[string]any)
	if !ok {
		t.wrong(key, "must be a table, such as [rule."+key+"], not "+kindOf(v))
		return nil
	}
	return &table{in: in, name: key + "."}
}

// join takes over what was found in a table inside t.
func (t *table) join(inner *table) {
	if inner.problem != "" && t.problem == "" {
		t.field, t.problem = inner.field, inner.problem
	}
	t.nested = append(t.nested, inner)
}

// rest is the first field, by name, that nobody has read.
func (t *table) rest() (string, bool) {
	for _, key := range slices.Sorted(maps.Keys(t.in)) {
		if !slices.Contains(t.read, key) {
			return t.name + key, true
		}
	}
	for _, inner := range t.nested {
		if field, ok := inner.rest(); ok {
			return field, true
		}
	}
	return "", false
}

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
