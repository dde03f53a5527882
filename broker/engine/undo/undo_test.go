package undo

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMap compares a map with two maps: one of what holds, one with what was changed since.
func TestMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var drafted Map[string, int]
		drafted.Open()
		kept, now := map[string]int{}, map[string]int{}
		key := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				k, v := key.Draw(rt, "key"), rapid.Int().Draw(rt, "value")
				drafted.Put(k, v)
				now[k] = v
			},
			"drop": func(rt *rapid.T) {
				k := key.Draw(rt, "key")
				drafted.Drop(k)
				delete(now, k)
			},
			"keep": func(*rapid.T) {
				drafted.Keep()
				kept = maps.Clone(now)
			},
			"undo": func(*rapid.T) {
				drafted.Undo()
				now = maps.Clone(kept)
			},
			"": func(rt *rapid.T) {
				if got, want := drafted.Keys(), slices.Sorted(maps.Keys(now)); !slices.Equal(got, want) || drafted.Len() != len(want) {
					rt.Fatalf("keys %q, %d of them; want %q", got, drafted.Len(), want)
				}
				for k, want := range now {
					if got, ok := drafted.Get(k); !ok || got != want {
						rt.Fatalf("%s is %d, %v; want %d", k, got, ok, want)
					}
				}
				if !maps.Equal(drafted.kept, kept) {
					rt.Fatalf("%v is kept, want %v", drafted.kept, kept)
				}
			},
		})
	})
}
