//go:build !linux && !darwin

package peers

// ArgumentsOf tells nothing here.
func ArgumentsOf(int) (argv []string, exe, cwd string) { return nil, "", "" }
