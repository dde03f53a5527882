package demo

import (
	"fmt"
	"os"
	"path/filepath"
)

// furnish writes the demo's projects, so that edits and overwritten files have
// something to be compared with. Each counts as a repository, as most projects are one: what is
// edited elsewhere no git could bring back.
func (d demoFolder) furnish() error {
	for _, s := range script {
		if err := os.MkdirAll(filepath.Join(d.project(s.name), ".git"), 0o700); err != nil {
			return fmt.Errorf("write the demo's projects: %w", err)
		}
		for name, text := range s.files {
			path := filepath.Join(d.project(s.name), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return fmt.Errorf("write the demo's projects: %w", err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				return fmt.Errorf("write the demo's projects: %w", err)
			}
		}
	}
	return nil
}
