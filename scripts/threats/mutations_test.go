package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A protection that can no longer be taken out is one that nobody tries any more.
func TestMutationsFit(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, m := range mutations {
		if _, err := m.apply(root); err != nil {
			t.Error(err)
		}
		folder := map[string]string{"TestScripts": "script", "TestFleetScripts": "fleet"}[suite(m.script)]
		if _, err := os.Stat(filepath.Join(root, "scripts", "e2e", "testdata", folder, m.script+".txtar")); err != nil {
			t.Error(err)
		}
	}
}
