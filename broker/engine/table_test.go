package engine

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTable compares a table with two maps: one of what holds, one with what was changed since.
func TestTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var table table[string, int]
		table.open()
		kept, now := map[string]int{}, map[string]int{}
		key := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				k, v := key.Draw(rt, "key"), rapid.Int().Draw(rt, "value")
				table.put(k, v)
				now[k] = v
			},
			"drop": func(rt *rapid.T) {
				k := key.Draw(rt, "key")
				table.drop(k)
				delete(now, k)
			},
			"keep": func(*rapid.T) {
				table.keep()
				kept = maps.Clone(now)
			},
			"undo": func(*rapid.T) {
				table.undo()
				now = maps.Clone(kept)
			},
			"": func(rt *rapid.T) {
				if got, want := table.keys(), slices.Sorted(maps.Keys(now)); !slices.Equal(got, want) || table.len() != len(want) {
					rt.Fatalf("keys %q, %d of them; want %q", got, table.len(), want)
				}
				for k, want := range now {
					if got, ok := table.get(k); !ok || got != want {
						rt.Fatalf("%s is %d, %v; want %d", k, got, ok, want)
					}
				}
				if !maps.Equal(table.kept, kept) {
					rt.Fatalf("%v is kept, want %v", table.kept, kept)
				}
			},
		})
	})
}

// TestEveryTableIsKept: a round that is kept or taken back is so in all of what the state has.
func TestEveryTableIsKept(t *testing.T) {
	s := New(Limits{})
	listed := map[uintptr]bool{}
	for _, table := range s.tables() {
		listed[reflect.ValueOf(table).Pointer()] = true
	}
	found := 0
	var visit func(path string, v reflect.Value)
	visit = func(path string, v reflect.Value) {
		if v.Kind() != reflect.Struct {
			return
		}
		if strings.HasPrefix(v.Type().Name(), "table[") {
			if found++; !listed[v.Addr().Pointer()] {
				t.Errorf("State.tables leaves %s out", path)
			}
			return
		}
		for i := range v.NumField() {
			visit(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
	visit("State", reflect.ValueOf(s).Elem())
	if found != len(listed) || found < 20 {
		t.Errorf("%d tables are found, and %d are listed", found, len(listed))
	}
}
