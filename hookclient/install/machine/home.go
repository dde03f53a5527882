package machine

import (
	"os"
	"path/filepath"
)

// Home is the user's folder, "" when it is not known. A relative HOME is none: it would mean
// another folder in each project.
func Home() string {
	if h := os.Getenv("HOME"); filepath.IsAbs(h) {
		return h
	}
	return ""
}

// InHome is the folder that the variable names, else name in the user's folder, else "". A
// variable that is empty counts as not set, as agents take it.
func InHome(variable, name string) string {
	if dir := os.Getenv(variable); variable != "" && dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	}
	if h := Home(); h != "" {
		return filepath.Join(h, name)
	}
	return ""
}
