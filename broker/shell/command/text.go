package command

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/little"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// lastWritten reads the first n operands and writes those that follow.
func lastWritten(n int) func(*call) {
	return func(c *call) {
		c.reads(c.rest[:min(n, len(c.rest))]...)
		if len(c.rest) > n {
			c.exactf("%s writes to its second file", c.name)
			c.writes(c.after(n)...)
		}
	}
}

// diffOps: with -r it goes through links below its folders, unless told not to.
func diffOps(c *call) {
	tree := c.has("-r") || c.hasLong("--recursive")
	if tree && !c.hasLong("--no-dereference") {
		c.follows()
	}
	c.files(c.rest, File{Tree: tree})
}

// convmvOps: names are changed only with --notest.
func convmvOps(c *call) {
	moves := c.hasLong("--notest")
	c.files(c.rest, File{Tree: true, Write: moves, Deletes: moves})
}

// dateOps: an operand that is no format is the time that the clock is set to.
func dateOps(c *call) {
	for _, w := range c.rest {
		if !strings.HasPrefix(w.Text, "+") {
			c.exactf("date sets the clock")
		}
	}
}

// grepOps: the first operand is the pattern unless an option gave it; without files
// the programs that descend by themselves read the folder that they work in.
func grepOps(c *call) {
	files := c.rest
	if !c.has("-e", "-f", "--regexp", "--file", "--files", "--match", "--type-list") && len(files) > 0 {
		files = files[1:]
	}
	if descendsLinks(c) {
		c.follows()
	}
	tree := c.has("-r", "-R") || c.hasLong("--recursive", "--dereference-recursive") || programs.Is(programs.Descends, c.name)
	if tree && len(files) == 0 {
		files = []Word{literal(".")}
	}
	c.files(files, File{Tree: tree})
}

// descendsLinks reports whether grep or a program like it is told to go through links.
func descendsLinks(c *call) bool {
	switch c.name {
	case "rg":
		if len(c.given("-u", "--unrestricted")) > 2 {
			c.exactf("rg -uuu reads hidden and ignored files, too")
		}
		return c.has("-L", "--follow")
	case "ag":
		return c.has("-f") || c.hasLong("--follow")
	case "ack":
		return c.hasLong("--follow")
	}
	return c.has("-R", "-S", "-O") || c.hasLong("--dereference-recursive")
}

// follows marks a program that goes through links below the folders that it is given:
// what it reads may be anywhere.
func (c *call) follows() {
	names := c.Unsure == ""
	c.unsuref("%s "+FollowsLinks, c.name)
	c.Names = names
}

// FollowsLinks is how the doubt about such a program ends.
const FollowsLinks = "follows links, which may lead anywhere"

// followLinks is ops for a program that follows links below its folders when it has one of the
// letters short, or the long option, and, with deep, one of those as well. A link in the
// project may lead to the keys in the home folder, and so no rule allows it.
func followLinks(short, long, deep string, ops func(*call)) func(*call) {
	return func(c *call) {
		follows := c.lettered(short) || long != "" && c.hasLong(long)
		if follows && (deep == "" || c.lettered(deep) || c.hasLong("--recursive", "--archive")) {
			c.follows()
		}
		ops(c)
	}
}

// jqOps: jq runs and writes nothing. Some of its options take two words, the second
// of which may be a file.
func jqOps(c *call) {
	c.rest = nil
	program, files, options := true, true, true
	inPlace := c.has("-i") || c.hasLong("--in-place") // jaq alone has it
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		switch w.Text {
		case "--arg", "--argjson":
			i += 2
		case "--slurpfile", "--rawfile", "--argfile":
			if i+2 < len(c.words) {
				c.reads(c.words[i+2])
			}
			i += 2
		case "-f", "--from-file":
			c.exactf("%s takes its program from a file, which may read variables or other files", c.name)
			if program && i+1 < len(c.words) {
				c.reads(c.words[i+1])
			}
			program = false
			i++
		case "-L", "--indent":
			i++
		case "--args", "--jsonargs":
			files = false
		default:
			if options && strings.HasPrefix(w.Text, "-") && len(w.Text) > 1 {
				options = w.Text != "--"
				// Glued to another letter, the options above are not seen by their names.
				if isShort(w.Text) && strings.ContainsAny(w.Text, "fL") || begins(w.Text, "--from-f", "--library-path") {
					c.exactf("%s takes its program or a part of it from a file", c.name)
				}
				continue
			}
			switch {
			case !program && files:
				c.file(w, File{Write: inPlace})
			case !program:
			case environment().MatchString(w.Text):
				c.exactf("%s reads variables or files that its program names", c.name)
			}
			program = false
		}
	}
}

// environment finds a program of jq that reads variables or other files.
var environment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^.\w"])(env|ENV|import|include|modulemeta)\b`) })

// yqOps: two programs bear this name; both have an option that changes files in place.
// One has functions that read files and variables.
func yqOps(c *call) {
	inPlace := c.has("-i") || c.hasLong("--inplace", "--in-place")
	if len(c.rest) > 1 && yqSubs.Has(c.rest[0].Text) {
		c.rest = c.rest[1:]
	}
	programs := c.values("--expression")
	if len(programs) == 0 && !c.has("--from-file") && len(c.rest) > 0 {
		programs = c.rest[:1]
		if len(c.rest) > 1 { // a file alone is shown as it is
			c.rest = c.rest[1:]
		}
	}
	c.files(c.rest, File{Write: inPlace})
	if inPlace {
		c.exactf("%s -i changes files", c.name)
	}
	if anyHolds(programs, "load", "system", "env") {
		c.exactf("%s reads files that its program names", c.name)
	}
}

// yqSubs are subcommands of one of the two, behind which the program stands.
var yqSubs = wordset.New("eval e eval-all ea")

// batOps: "bat cache" builds its files.
func batOps(c *call) {
	if c.operand(0) == "cache" {
		c.exactf("bat cache changes its own files")
	}
	readAll(c)
}

// pandocOps: a format that is a file is a script.
func pandocOps(c *call) {
	if anyHolds(c.values("-f", "-t", "-r", "-w", "--from", "--to", "--read", "--write"), ".", "/") {
		c.exactf("pandoc runs a format that is a file")
	}
	readAll(c)
}

// pagerOps: +!cmd runs a program at once.
func pagerOps(c *call) {
	for _, w := range c.rest {
		if strings.HasPrefix(w.Text, "+") {
			c.unsuref("%s is given a command to start with", c.name)
			continue
		}
		c.reads(w)
	}
}

// awkOps: a program may run others, and open files.
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
		// name=value sets a variable of the program and is no file.
		if name, _, ok := strings.Cut(w.Text, "="); !ok || !identifier().MatchString(name) {
			c.reads(w)
		}
	}
}
