//go:build !linux && !darwin

package broker

// argumentsOf tells nothing here.
func argumentsOf(int) (argv []string, exe, cwd string) { return nil, "", "" }
