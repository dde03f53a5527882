package check

import (
	"bytes"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// operatorToken begins every token that allows.
const operatorToken = "aoctl_op_" // #nosec G101 -- a prefix, not a token

// environment looks at what settings set for Claude Code and its hooks: a repository
// can bring such a file. In a project's file whatever steers a gate fails, in the user's
// own it is said; an operator token fails in any. Every file counts, dead ones too: Claude Code
// may read a file that aoctl cannot.
func (c *claude) environment() {
	seen, found := 0, 0
	for _, f := range c.files {
		// A file that could not be parsed may still be read by Claude Code.
		if f.doc == nil {
			c.unreadVariables(f)
			continue
		}
		env := f.doc.Root.Member("env")
		if env == nil || env.Kind != jsonc.ObjectKind {
			continue
		}
		for i, v := range env.Items {
			seen++
			if c.variable(f, env.Keys[i].Name, v) {
				found++
			}
		}
	}
	if seen > 0 && found == 0 {
		c.add(OK, "variables", "", "%s in the settings, none of which steers a gate", machine.Count(seen, "variable"))
	}
}

// unreadVariables speaks up for a project's file that is no strict JSON and may set
// variables: a key that stands twice, for instance, Claude Code may read all the same.
func (c *claude) unreadVariables(f *claudeFile) {
	// An escape could spell the name otherwise.
	may := bytes.Contains(f.data, []byte(`"env"`)) || bytes.Contains(f.data, []byte(`\u`))
	if may && (f.shared || f.Name == "local") {
		c.add(Fail, "variables", "correct the file by hand", "%s: aoctl cannot tell which variables it sets, and Claude Code may read it differently", f.Path)
	}
}

// variable reports a variable of f that matters. Its value is not shown: it may be
// a secret. It returns true when something was said.
func (c *claude) variable(f *claudeFile, name string, v *jsonc.Node) bool {
	// A person goes to the line; the value itself is not repeated.
	line, _ := jsonc.Locate(f.doc.Src, v.Start)
	cure := "take " + machine.Shorten(name) + " out of " + f.Path
	// Whoever wrote it there, the agent reads its own environment.
	if strings.Contains(v.String(), operatorToken) {
		c.add(Fail, "variables", cure+", and revoke the token in the console (r, t, x)",
			"%s:%d: %s holds an operator token: with it the agent can allow its own calls", f.Path, line, machine.Shorten(name))
		return true
	}
	what := install.Steers(name)
	switch {
	case what == "":
		return false
	// A project must not have a say in where its own calls are asked about.
	case f.shared || f.Name == "local":
		c.add(Fail, "variables", cure, "%s:%d: the project sets %s, and so %s", f.Path, line, machine.Shorten(name), what)
	default:
		c.add(Warn, "variables", "see that you meant it, or "+cure, "%s:%d sets %s, and so %s", f.Path, line, machine.Shorten(name), what)
	}
	return true
}
