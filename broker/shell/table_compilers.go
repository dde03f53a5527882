package shell

import "strings"

// passesOn reports whether a list of options for the linker or its like has one that
// names a file to write or to take options from.
func passesOn(list string) bool {
	for _, option := range strings.Split(list, ",")[1:] {
		if strings.HasPrefix(option, "-o") || strings.HasPrefix(option, "@") || strings.HasPrefix(option, "-Map=") || strings.HasPrefix(option, "-a=") || option == "-T" || option == "-MD" {
			return true
		}
	}
	return false
}

// rustcOps: libraries may be plugins of the compiler.
func rustcOps(c *call) {
	for _, w := range c.values("-L", "--emit", "--extern", "--target") {
		if elsewhereIn(w) {
			c.exactf("rustc reads or writes files outside of its folder")
		}
	}
	compilerOps(c)
}

// javacOps: what lies on the path of classes may run while it compiles.
func javacOps(c *call) {
	for _, w := range c.values("-cp", "-classpath", "-sourcepath") {
		if elsewhereIn(w) {
			c.exactf("javac takes code from outside of the project")
		}
	}
	compilerOps(c)
}
