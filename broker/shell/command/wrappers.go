package command

import "strings"

// execOps: exec with nothing but redirections changes only where the shell's own
// streams lead.
func execOps(c *call) {
	c.Neutral = len(c.rest) == 0
}

// commandOps: "command -v" tells where a program lies; else the words behind it are a command.
func commandOps(c *call) {
	if c.has("-v", "-V") {
		c.Neutral = plainWords(c.words)
		return
	}
	c.wrap(c.rest)
}

// sudoOps: assignments may stand before the command.
func sudoOps(c *call) {
	if c.has("-l", "--list", "-v", "--validate", "-V", "--version") {
		return
	}
	words := c.assignments(c.rest)
	c.wrap(words)
	if len(words) == 0 && c.has("-s", "-i", "--shell", "--login") {
		c.exactf("%s opens a shell as another user", c.name)
	}
}

// assignments takes NAME=value words off the front.
func (c *call) assignments(words []Word) []Word {
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0].Text, "=")
		if !ok || !words[0].Known {
			break
		}
		c.Assigns = append(c.Assigns, Assign{literal(name), tail(words[0], value)})
		words = words[1:]
	}
	return words
}

// envOps: a lone dash is -i, and what follows -S is split into words by env's own rules.
func envOps(c *call) {
	if textAt(c.words, 0) == "-" {
		c.words = c.words[1:]
	}
	c.parse()
	if c.operand(0) == "-" {
		c.rest = c.rest[1:]
	}
	c.wrap(c.assignments(c.rest))
}

// watchOps: watch hands its words to sh as one text, unless it has -x.
func watchOps(c *call) {
	if len(c.rest) == 0 {
		return
	}
	if c.has("-x", "--exec") {
		c.wrap(c.rest)
		return
	}
	c.Wrapper = c.name
	c.scripts(joined(c.rest))
}

// flockOps reads "flock FILE command" and "flock FILE -c text". The lock's file is made when it
// is not there.
func flockOps(c *call) {
	scripts := c.values("-c", "--command")
	if len(c.rest) == 0 {
		return
	}
	c.writes(c.rest[0])
	words := c.rest[1:]
	// -c behind the file is no option to the row, whose options end there.
	if len(words) > 1 && (words[0].Text == "-c" || words[0].Text == "--command") {
		scripts, words = append(scripts, words[1]), nil
	}
	c.scripts(scripts...)
	c.run(words)
	if len(scripts)+len(words) > 0 {
		c.Wrapper = c.name
	}
}

// scriptOps: on Linux the words behind the file are none of script's business, on macOS they
// are the command.
func scriptOps(c *call) {
	scripts := c.values("-c", "--command")
	c.scripts(scripts...)
	if len(c.rest) > 1 {
		// Both readings are given, the file below and the command here.
		c.unsuref("script runs different words on different systems")
		c.run(c.rest[1:])
	}
	writeFirst(c)
	if len(scripts) == 0 {
		c.exactf("script opens a shell")
	}
}

// straceOps: the output of strace may go to a program.
func straceOps(c *call) {
	if anyBegins(c.values("-o", "--output"), "|", "!") {
		c.unsuref("strace -o runs a program")
	}
}

// suOps reads "su [-] [user [args]]" and "runuser -u user [--] command".
func suOps(c *call) {
	scripts := c.values("-c", "--command")
	for _, w := range scripts {
		c.Scripts = append(c.Scripts, Script{Text: w, args: true})
	}
	if c.has("-s") {
		c.unsuref("%s -s can run another program", c.name)
	}
	switch {
	case c.has("-u", "--user") && len(scripts) == 0:
		c.Wrapper = c.name
		c.run(c.rest)
	case len(scripts) == 0 || len(c.rest) > 2:
		c.unsuref("%s opens a shell as another user", c.name)
	default:
		c.Wrapper = c.name + " -c"
	}
}

// rtkOps: rtk runs the command that follows; a few words before it say how to show what comes out.
func rtkOps(c *call) {
	words := c.rest
	if len(words) == 0 {
		return
	}
	switch words[0].Text {
	case "err", "test", "proxy", "summary", "run":
		words = words[1:]
		if strings.HasPrefix(textAt(words, 0), "-") {
			c.unsuref("rtk is given an option that aoctl does not know")
		}
	case "read", "smart", "json", "deps", "env", "log", "wc":
		c.reads(words[1:]...)
		return
	case "gain", "discover", "init", "config", "learn", "hook", "trust", "untrust", "rewrite", "verify", "session", "telemetry", "cc-economics":
		c.exactf("rtk changes or shows its own settings")
		return
	}
	c.Wrapper = c.name
	c.run(words)
}

// appletOps: without an applet, or with one of busybox's own options, nothing runs.
func appletOps(c *call) {
	if c.has("--install") {
		c.exactf("%s --install makes links", c.name)
	}
}

// shellOperands: each operand is a text for a shell.
func shellOperands(c *call) {
	c.scripts(c.rest...)
	c.exactf("%s runs its words through a shell", c.name)
}
