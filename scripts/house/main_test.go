package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What is larger than it should be, until somebody takes it apart. What is within the limits by then
// has to go from here.
var (
	largeTypes = map[string]bool{
		"broker.Session": true, "broker/agents.Hook": true, "broker/shell.Element": true, "broker/shell/programs.Row": true,
	}
	largeRooms = map[string]bool{}
)

// TestLimits: no package has over 30 files or 5,000 lines, no type over 20 fields or 40 methods.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	h := here(t)
	large := map[string]bool{}
	for room, files := range h.rooms {
		lines := 0
		for _, f := range files {
			lines += f.lines
		}
		if len(files) > 30 || lines > 5000 {
			large[room] = true
			if !largeRooms[room] {
				t.Errorf("%s has %d files and %d lines", room, len(files), lines)
			}
		}
	}
	fields, methods := h.types()
	for _, limit := range []struct {
		of   string
		most int
		list []sized
	}{{"fields", 20, fields}, {"methods", 40, methods}} {
		for _, s := range limit.list {
			if s.n <= limit.most {
				continue
			}
			large[s.name] = true
			if !largeTypes[s.name] {
				t.Errorf("%s has %d %s", s.name, s.n, limit.of)
			}
		}
	}
	for _, known := range []map[string]bool{largeTypes, largeRooms} {
		for name := range known {
			if !large[name] {
				t.Errorf("%s is within the limits and still excused", name)
			}
		}
	}
}

// TestWays: what the lists of functions name is there, each called by one above it.
func TestWays(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts no goroutine")
	}
	h := here(t)
	for _, way := range []string{"ask", "key"} {
		text, err := h.way(filepath.Join("scripts", "house", way+".txt"))
		if err != nil || !strings.Contains(text, "files") {
			t.Errorf("%s: %q, %v", way, text, err)
		}
	}
}

func here(t *testing.T) *house {
	t.Helper()
	t.Chdir("../..")
	h, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	return h
}
