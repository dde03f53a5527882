package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = `package sample

import "strings"

const limit = 10

var names = strings.Fields("one two")

// Small says the size of a list.
func Small(list []string, name string) (string, bool) {
	if len(list) < limit && name == "x" {
		return "small", true
	}
	for _, l := range list {
		list = append(list, l)
	}
	return "", false
}
`

// Each mutant stands where it says, and all of them together are a file that can be read.
func TestFind(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := find(root, ".", nil)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	var got []string
	for i, m := range list[0].mutants {
		got = append(got, m.name())
		if m.id != i+1 {
			t.Errorf("%s has number %d", m.name(), m.id)
		}
	}
	want := []string{
		"a.go: names: leave out the word one",
		"a.go: names: leave out the word two",
		"a.go: Small: negate the condition",
		"a.go: Small: leave out len(list) < limit",
		`a.go: Small: leave out name == "x"`,
		"a.go: Small: move the bound of len(list) < limit",
		`a.go: Small: turn around name == "x"`,
		`a.go: Small: another text for "x" in name == "x"`,
		`a.go: Small: leave out return "small", true`,
		"a.go: Small: leave out list = append(list, l)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "a.go", list[0].mutated(), 0); err != nil {
		t.Errorf("%v\n%s", err, list[0].mutated())
	}
}

// A choice is the same each time, and known mutants are not in it.
func TestChoose(t *testing.T) {
	var list []mutant
	for i := range 50 {
		list = append(list, mutant{id: i + 1, file: "f", what: string(rune('a' + i)), table: i%5 == 0})
	}
	o := options{n: 20, seed: 1}
	first := choose(o, list)
	if diff := cmp.Diff(first, choose(o, list), cmp.AllowUnexported(mutant{})); diff != "" {
		t.Error(diff)
	}
	tables := 0
	for _, m := range first {
		if m.table {
			tables++
		}
	}
	if len(first) != 20 || tables != 10 {
		t.Errorf("%d mutants, %d of them in tables", len(first), tables)
	}
	was := known
	t.Cleanup(func() { known = was })
	known = "# why\nf: : a\n"
	if got := choose(options{all: true}, list); len(got) != 49 {
		t.Errorf("%d mutants without the known one", len(got))
	}
}

// Tests that take longer than quick, and none else, are the slow ones.
func TestSlow(t *testing.T) {
	const out = "=== RUN   TestA\n--- PASS: TestA (0.01s)\n--- PASS: TestB (1.20s)\n    --- PASS: TestB/c (1.00s)\n--- SKIP: TestD (0.00s)\n--- PASS: TestE (0.30s)\nPASS\n"
	if got := slow(out); got != "^(TestB|TestE)$" {
		t.Error(got)
	}
	if got := slow("PASS\n"); got != "^()$" {
		t.Error(got)
	}
}
