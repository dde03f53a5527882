package main

import (
	"slices"
	"testing"
)

// Each defect must still find the protection that it takes out.
func TestDefectsFit(t *testing.T) {
	t.Chdir("../..")
	for _, d := range slices.Concat(defects, fleetDefects) {
		if _, err := d.overlay(t.TempDir()); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
	}
}
