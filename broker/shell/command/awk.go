package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/little"
)

func awkOps(c *call) {
	programs := c.values("-e", "--source")
	for _, w := range c.values("-W") {
		if w.Text != "version" && w.Text != "posix" && w.Text != "interactive" {
			c.exactf("awk -W can do more than the rest of the command says")
		}
	}
	files := c.rest
	if len(programs) == 0 && !c.has("-f", "--file", "-E", "--exec") && len(files) > 0 {
		programs, files = files[:1], files[1:]
	}
	for _, w := range programs {
		if why := little.Awk(w.Text); why != "" {
			c.exactf("the program of awk %s", why)
		}
	}
	for _, w := range files {
		if name, _, ok := strings.Cut(w.Text, "="); !ok || !identifier().MatchString(name) {
			c.reads(w)
		}
	}
}
