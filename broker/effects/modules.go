package effects

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// moduleNames are names of modules of Python, and of folders for an environment of it.
var moduleNames = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`), regexp.MustCompile(`^(\./)?\.?venv[\w-]*/?$`)}
})

// module is what "python -m" does that runs a module of the project, or makes the environment of one. Package
// shell has named the modules that run what their words say.
func module(a cmdline.Command) (d Doing, ok bool) {
	words := a.Words
	for len(words) > 0 && (words[0] == "-u" || words[0] == "-B") {
		words = words[1:]
	}
	if a.Name != "python" || a.Element.Exact != "" || a.Element.Glob || len(words) < 2 || words[0] != "-m" || a.Element.Argv[0] != "python" && a.Element.Argv[0] != "python3" {
		return Doing{}, false
	}
	name, words := words[1], words[2:]
	switch {
	case name == "venv":
		ok = len(words) == 1 && moduleNames()[1].MatchString(words[0])
		return Doing{Does: Of(Check, Edit), Files: words, New: strings.Join(words, "")}, ok
	case moduleNames()[0].MatchString(name):
		return Doing{Does: Of(Check), Files: words, Module: name}, true
	}
	return Doing{}, false
}
