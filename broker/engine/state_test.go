package engine

import (
	"reflect"
	"strings"
	"testing"
)

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
		if strings.HasPrefix(v.Type().Name(), "Map[") {
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
