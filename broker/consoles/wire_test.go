package consoles

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Everything that a console is told or says arrives as it was: also what JSON for other programs
// leaves out.
func TestWireKeepsEverything(t *testing.T) {
	for _, typ := range wireTypes() {
		t.Run(typ.String(), func(t *testing.T) {
			sent := reflect.New(typ)
			fill(t, sent.Elem(), typ.String(), 0)
			var buf bytes.Buffer
			if err := encoding().NewEncoder(&buf).Encode(sent.Interface()); err != nil {
				t.Fatal(err)
			}
			got := reflect.New(typ)
			if err := decoding().NewDecoder(&buf).Decode(got.Interface()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sent.Elem().Interface(), got.Elem().Interface(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// wireTypes are those of all orders.
func wireTypes() (list []reflect.Type) {
	seen := map[reflect.Type]bool{}
	for _, desk := range []any{door{}, callDesk{}, sessionDesk{}, ruleDesk{}, placeDesk{}} {
		for m := range reflect.TypeOf(desk).Methods() {
			if m.Type.NumIn() != 3 || m.Type.In(2).Kind() != reflect.Pointer {
				continue
			}
			for _, typ := range []reflect.Type{m.Type.In(1), m.Type.In(2).Elem()} {
				if !seen[typ] {
					seen[typ] = true
					list = append(list, typ)
				}
			}
		}
	}
	return list
}

// scratch are fields that only those use who make such a value; no screen reads them.
var scratch = map[string]bool{"took": true, "dead": true, "orphan": true}

// fill gives every field a value of its own kind that is not its zero value.
func fill(t *testing.T, v reflect.Value, path string, depth int) {
	t.Helper()
	if depth > 12 {
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)))
		return
	}
	switch v.Kind() { //nolint:exhaustive // the others do not arrive
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if scratch[f.Name] {
				continue
			}
			if !f.IsExported() && !f.Anonymous {
				t.Errorf("%s.%s is not exported: it does not arrive", path, f.Name)
				continue
			}
			fill(t, v.Field(i), path+"."+f.Name, depth+1)
		}
	case reflect.Pointer:
		if depth < 9 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), path, depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), path+"[]", depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), path+"[]", depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, path+"{key}", depth+1)
		fill(t, value, path+"{}", depth+1)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("é<&>\x1b\xff")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(9)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5)
	default:
		t.Errorf("%s is a %s: it does not arrive", path, v.Kind())
	}
}

var (
	_ Broker = (*Client)(nil)
	_ Place  = (*Client)(nil)
)
