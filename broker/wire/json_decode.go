package wire

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Decode reads a request body, which must be one JSON object, into v, a pointer to a
// struct. It is strict as Check with MaxDepth is, and beyond that it refuses fields
// that the struct does not have, at every level. Names are compared exactly:
// encoding/json by itself would take "Decision" for "decision".
//
// An error is a *SyntaxError with the path of the field; v may be filled in part.
// A missing field and null leave the zero value: which fields must be there is for
// the caller to say.
//
// It reads the text twice: once to check it, once by encoding/json. Bodies are small, and a check
// of our own that is apart from the reading cannot be got around by a type that reads itself.
func Decode(body []byte, v any) error {
	fields, err := Fields(body)
	if err != nil {
		return err
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return &SyntaxError{Reason: "cannot be read into this type"}
	}
	if err := known(fields, t.Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return wrongType(err)
	}
	return nil
}

// wrongType turns an error of encoding/json into ours. The text was checked, so it
// can only be about a value's type or range.
func wrongType(err error) error {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return &SyntaxError{Reason: "holds a value that does not fit its field"}
	}
	kind, _, _ := strings.Cut(te.Value, " ")
	path := slices.DeleteFunc(strings.Split(te.Field, "."), func(name string) bool {
		return name != "" && unicode.IsUpper(rune(name[0])) // a struct that is embedded: no field of the text, whose names are all small
	})
	return &SyntaxError{Offset: int(te.Offset), Path: strings.Join(path, "."), Reason: "has the wrong type: " + kind + " where " + wanted(te.Type) + " belongs"}
}

// wanted names the kind of value that a field takes. What is not in the table is a whole number.
func wanted(t reflect.Type) string {
	if words, ok := kindWords[t.Kind()]; ok {
		return words
	}
	return "a whole number in range"
}

// kindWords are kinds of Go in the words of JSON.
var kindWords = map[reflect.Kind]string{
	reflect.String:  "a string",
	reflect.Bool:    "true or false",
	reflect.Struct:  "an object",
	reflect.Map:     "an object",
	reflect.Slice:   "an array",
	reflect.Array:   "an array",
	reflect.Float32: "a number",
	reflect.Float64: "a number",
}

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// readsItself reports whether t has a JSON or text form of its own, as
// json.RawMessage and time.Time have.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonReader) || p.Implements(textReader)
}

// known refuses fields that struct type t does not have.
func known(fields []Field, t reflect.Type) *SyntaxError {
	names := namesOf(t)
	for _, f := range fields {
		ft, ok := names[f.Key]
		if !ok {
			return (&SyntaxError{Reason: "is not a known field here"}).under(pathKey([]byte(f.Key)))
		}
		if err := knownIn(f.Value, ft); err != nil {
			return err.under(pathKey([]byte(f.Key)))
		}
	}
	return nil
}

// knownIn looks for unknown fields in a value that is to become a t. Values of
// another kind than t are left to encoding/json to refuse.
func knownIn(raw json.RawMessage, t reflect.Type) *SyntaxError {
	// A pointer to a type that reads itself reads itself too.
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if readsItself(t) {
		return nil
	}
	switch {
	case t.Kind() == reflect.Struct && raw[0] == '{':
		fields, err := Fields(raw)
		if err != nil {
			return &SyntaxError{Reason: err.Error()}
		}
		return known(fields, t)
	case t.Kind() == reflect.Map && raw[0] == '{':
		return knownInMap(raw, t.Elem())
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && raw[0] == '[':
		return knownInArray(raw, t.Elem())
	}
	return nil
}

// knownInMap takes any keys, as a map does, and looks for unknown fields in the values.
func knownInMap(raw json.RawMessage, elem reflect.Type) *SyntaxError {
	fields, err := Fields(raw)
	if err != nil {
		return &SyntaxError{Reason: err.Error()}
	}
	for _, f := range fields {
		if err := knownIn(f.Value, elem); err != nil {
			return err.under(pathKey([]byte(f.Key)))
		}
	}
	return nil
}

// knownInArray does the same for an array's elements, each named by its place.
func knownInArray(raw json.RawMessage, elem reflect.Type) *SyntaxError {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return &SyntaxError{Reason: "is not an array"}
	}
	for i, item := range items {
		if err := knownIn(item, elem); err != nil {
			return err.under(pathIndex(i))
		}
	}
	return nil
}

// typeNames caches namesOf: map[reflect.Type]map[string]reflect.Type. Types are few and never
// change, so nothing is ever thrown out of it.
var typeNames sync.Map

// namesOf lists the JSON names of t's fields with their types. Fields of an embedded struct count
// as the outer one's own, as in encoding/json.
func namesOf(t reflect.Type) map[string]reflect.Type {
	if names, ok := typeNames.Load(t); ok {
		return names.(map[string]reflect.Type)
	}
	names := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		flattened := f.Anonymous && tag == ""
		switch {
		case !f.IsExported() || f.Tag.Get("json") == "-" || flattened:
		case tag != "":
			names[tag] = f.Type
		default:
			names[f.Name] = f.Type
		}
	}
	typeNames.Store(t, names)
	return names
}
