package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Streams are names of files that are no files.
var Streams = wordset.New("- /dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty")

func (c *call) file(w Word, f File) {
	if w.Known && (w.Text == "" || Streams.Has(w.Text)) {
		return
	}
	f.Path = w
	c.m.Files = append(c.m.Files, f)
}

func (c *call) reads(w Word)     { c.file(w, File{}) }
func (c *call) readsTree(w Word) { c.file(w, File{Tree: true}) }
func (c *call) writes(w Word)    { c.file(w, File{Write: true}) }

// readAll, writeAll and so on are what operands mean to many programs.
func readAll(c *call) {
	for _, w := range c.rest {
		c.reads(w)
	}
}

func readTrees(c *call) {
	for _, w := range c.rest {
		c.readsTree(w)
	}
}

func writeAll(c *call) {
	for _, w := range c.rest {
		c.writes(w)
	}
}

// readFrom reads the operands but for the first n, such as grep's pattern.
func readFrom(n int) func(*call) {
	return func(c *call) {
		for i, w := range c.rest {
			if i >= n {
				c.reads(w)
			}
		}
	}
}

func writeFirst(c *call) { c.first(c.writes) }

// first does something with the first operand.
func (c *call) first(do func(Word)) {
	if len(c.rest) > 0 {
		do(c.rest[0])
	}
}

func deleteAll(c *call) {
	for _, w := range c.rest {
		c.file(w, File{Write: true, Deletes: true})
	}
}

func rmOps(c *call) {
	tree := c.name == "trash" || c.has("-r", "-R", "--recursive") || c.hasLong("--recursive")
	for _, w := range c.rest {
		c.file(w, File{Write: true, Deletes: true, Tree: tree})
	}
}

// hasLong says whether an option was given whose name, maybe shortened, is name.
func (c *call) hasLong(name string) bool {
	for _, g := range c.opts {
		if len(g.name) > 2 && strings.HasPrefix(g.name, "--") && strings.HasPrefix(name, g.name) {
			return true
		}
	}
	return false
}

// sourcesAndTarget splits the operands of cp, mv and ln. The target is a zero word
// where there is none.
func (c *call) sourcesAndTarget() (sources []Word, target Word) {
	c.dashedValues()
	for i, w := range c.words {
		if w.Text == "--" {
			break
		}
		name, value, has := strings.Cut(w.Text, "=")
		given := len(name) > 2 && strings.HasPrefix("--target-directory", name)
		if isShort(w.Text) {
			var before string
			before, value, given = strings.Cut(w.Text[1:], "t")
			has, given = value != "", given && !strings.ContainsAny(before, "Smgo") // these take the rest
		}
		switch {
		case given && has:
			return c.rest, tail(w, value)
		case given && i+1 < len(c.words):
			return without(c.rest, c.words[i+1]), c.words[i+1]
		}
	}
	if len(c.rest) < 2 {
		return c.rest, Word{}
	}
	return c.rest[:len(c.rest)-1], c.rest[len(c.rest)-1]
}

// dashedValues doubts a value that looks like an option, as it is one to other versions of
// the program, or to whoever looks at the words alone.
func (c *call) dashedValues() {
	for _, g := range c.opts {
		if strings.HasPrefix(g.value.Text, "-") && g.value.Text != "-" {
			c.exactf("an option of %s has a value that is an option to other versions of it", c.name)
		}
	}
}

// without is words less the first that is w.
func without(words []Word, w Word) []Word {
	for i := range words {
		if words[i] == w {
			return append(append([]Word{}, words[:i]...), words[i+1:]...)
		}
	}
	return words
}

func copyOps(c *call) {
	tree := c.has("-r", "-R", "-a", "--recursive", "--archive") || c.hasLong("--recursive") || c.hasLong("--archive")
	sources, target := c.sourcesAndTarget()
	for _, w := range sources {
		c.file(w, File{Tree: tree})
	}
	if target != (Word{}) {
		c.file(target, File{Write: true, Tree: tree})
	}
}

func moveOps(c *call) {
	sources, target := c.sourcesAndTarget()
	for _, w := range sources {
		c.file(w, File{Write: true, Deletes: true, Tree: true})
	}
	if target != (Word{}) {
		c.file(target, File{Write: true, Tree: true})
	}
}

func installOps(c *call) {
	if c.has("-d", "--directory") {
		writeAll(c)
		return
	}
	copyOps(c)
}

func ddOps(c *call) {
	for _, w := range c.words {
		switch name, value, _ := strings.Cut(w.Text, "="); name {
		case "if":
			c.reads(tail(w, value))
		case "of":
			c.writes(tail(w, value))
		}
	}
}

// modeOps skips the mode or owner, which may look like options: chmod -x FILE. On macOS
// some options stand in its place.
func modeOps(c *call) {
	tree := c.has("-R", "--recursive") || c.hasLong("--recursive")
	files := c.rest
	if !c.has("--reference") && !c.hasLong("--reference") && !c.has("-r", "-w", "-x", "-X", "-s", "-t", "-u", "-g", "-o", "-a", "-N", "-C", "-E", "-I", "-i") && len(files) > 0 {
		files = files[1:]
	}
	for _, w := range files {
		c.file(w, File{Write: true, Tree: tree})
	}
}

// patchOps: "patch FILE PATCH".
func patchOps(c *call) {
	for _, w := range c.values("-B", "--prefix", "-z", "--suffix", "-Y", "--basename-prefix") {
		if strings.Contains(w.Text, "/") {
			c.unsuref("patch keeps the old text in another folder")
		}
	}
	for i, w := range c.rest {
		c.file(w, File{Write: i == 0})
	}
	if len(c.rest) == 0 && !c.has("--dry-run") { // the patch names the files
		for _, w := range orHere(c.values("-d", "--directory")) {
			c.file(w, File{Write: true, Tree: true})
		}
	}
}

func splitOps(c *call) {
	for i, w := range c.rest {
		if i == 0 {
			c.reads(w)
		} else {
			c.writes(w)
		}
	}
	if len(c.rest) < 2 {
		c.writes(literal("xaa"))
	}
}

func csplitOps(c *call) {
	c.first(c.reads)
	if !c.has("-f", "--prefix") {
		c.writes(literal("xx00"))
	}
}
