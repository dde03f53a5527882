package machine

import (
	"os"
	"path/filepath"
)

// Home is the user's folder, "" when it is not known.
func Home() string {
	if h := os.Getenv("HOME"); filepath.IsAbs(h) {
		return h
	}
	return ""
}

// InHome is the folder that the variable names, else name in the user's folder, else "".
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
