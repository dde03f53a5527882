//go:build !linux && !darwin

package service

// argumentsOf tells nothing here.
func argumentsOf(int) (argv []string, exe, cwd string) { return nil, "", "" }
