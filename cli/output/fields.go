package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/cli/show"
)

// fieldsOf are the names that encoding/json gives the fields of t, nil when t is no struct.
// Fields of embedded structs are among them, as JSON puts them on the same level.
func fieldsOf(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var list []string
	for i := range t.NumField() {
		field := t.Field(i)
		// Options such as omitempty stand behind the name.
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			list = append(list, fieldsOf(field.Type)...)
		case !field.IsExported():
		case name == "":
			list = append(list, field.Name)
		default:
			list = append(list, name)
		}
	}
	return list
}

// choose is v as JSON with only the chosen fields, in the order in which they were named. v
// is a list of objects or one object, and a list stays one.
func (f *Format) choose(v any) (any, error) {
	raw, err := show.JSONLine(v)
	// nil stands for all fields. An empty list that is not nil is a choice of none.
	if err != nil || f.fields == nil {
		return json.RawMessage(raw), err
	}
	if len(raw) == 0 || raw[0] != '[' {
		return f.pick(raw)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	for i := range list {
		if list[i], err = f.pick(list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// pick is an object with only the chosen fields; one that it does not have is null. The
// value goes on byte for byte. The members are written by hand, since a map would not keep
// their order.
func (f *Format) pick(object json.RawMessage) (json.RawMessage, error) {
	var has map[string]json.RawMessage
	if err := json.Unmarshal(object, &has); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	var b bytes.Buffer
	for i, name := range f.fields {
		value, ok := has[name]
		switch {
		case ok:
		// What can be named was not known when the flags were read, so an unknown name is
		// told only now.
		case f.known == nil:
			return nil, unknownField(name, slices.Sorted(maps.Keys(has)), "")
		default:
			value = []byte("null")
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	if len(f.fields) == 0 {
		return []byte("{}"), nil
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// values is doc as jq and templates read it. Numbers keep their digits: an id or a size
// above 2^53 would come out as another one.
func values(doc any) (v any, err error) {
	raw, err := show.JSONLine(doc)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}
