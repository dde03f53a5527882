package check

import (
	"github.com/aoctl/aoctl/hookclient/install"
)

// typedCommands names the custom commands whose shell text runs unasked. It can only warn: no
// hook is asked, so no gate can be missing.
func (c *checker) typedCommands() {
	files := install.CommandsThatRun(c.a.Name, c.o.Project)
	sign := c.a.Texts.Sign
	// A folder of commands may be large; the first few show what it is about.
	for _, f := range files[:min(len(files), install.MaxNamed)] {
		c.add(Warn, "custom commands", "look at it before you type the command", "%s may hold shell text (%s): it runs when the command is typed, before any hook, and nobody is asked", f, sign)
	}
	if more := len(files) - install.MaxNamed; more > 0 {
		c.add(Warn, "custom commands", "", "and %d more", more)
	}
	if len(files) == 0 {
		c.add(OK, "custom commands", "", "none of yours or of this project holds shell text (%s), which would run unasked", sign)
	}
}
