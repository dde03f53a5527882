package check

import (
	"github.com/aoctl/aoctl/hookclient"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
)

// unpinned warns of a line that leaves to its environment where it asks, and of a
// token that cannot be read. A token that cannot be read is a failure of another kind: the gate
// refuses everything.
func (c *checker) unpinned(l hookline.Line, cure string) {
	if len(l.Words) < 2 {
		return // what it does is not known, and said
	}
	if file := l.Console.TokenFile; file != "" {
		if err := hookclient.CheckTokenFile(file); err != nil {
			c.add(Fail, "token", "", "every call is refused: %v", err)
		}
	}
	if !l.Console.Pinned() {
		c.add(Warn, "console", cure, "the line does not say where to ask: a project's settings can set AOCTL_URL or AOCTL_SOCKET, and have it ask a console of their own")
	}
}

// elsewhereAsked reports a line that asks another console than the one that this
// aoctl would open. Two sockets may both be meant, so it is a warning and nothing is mended.
func (c *checker) elsewhereAsked(l hookline.Line, cure string) bool {
	here := c.o.Program.Console
	switch {
	case !l.Console.Pinned():
		return false
	case l.Console.URL != "" || here.Socket == "" || l.Console.Socket == here.Socket:
		c.add(OK, "console", "", "the line asks %s, whatever the environment says", l.Console)
		return false
	}
	c.add(Warn, "console", cure+", or start the console with: aoctl --socket "+hookline.QuoteIfNeeded(l.Console.Socket),
		"the line asks %s, and a console started here listens on %s: calls would be refused", l.Console.Socket, here.Socket)
	return true
}
