package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Streams are names of files that are no files.
var Streams = wordset.New("- /dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty")

// readAll, writeAll and so on are what operands mean to many programs.
func readAll(c *call)    { c.reads(c.rest...) }
func readTrees(c *call)  { c.readsTree(c.rest...) }
func writeAll(c *call)   { c.writes(c.rest...) }
func writeFirst(c *call) { c.writes(c.first()...) }
func deleteAll(c *call)  { c.files(c.rest, File{Write: true, Deletes: true}) }

// readFrom reads the operands but for the first n, such as grep's pattern.
func readFrom(n int) func(*call) {
	return func(c *call) { c.reads(c.after(n)...) }
}

// rmOps: what rm and trash take away. A folder goes with all below it only when it is told so.
func rmOps(c *call) {
	tree := c.name == "trash" || c.has("-r", "-R") || c.hasLong("--recursive")
	c.files(c.rest, File{Write: true, Deletes: true, Tree: tree})
}

// sourcesAndTarget splits the operands of cp, mv and ln. The target is a zero word
// where there is none.
func sourcesAndTarget(c *call) (sources []Word, target Word) {
	c.dashedValues()
	for i, w := range c.words {
		// -t and --target-directory name the target first, also in a cluster or shortened.
		if w.Text == "--" {
			break
		}
		name, value, has := strings.Cut(w.Text, "=")
		given := len(name) > 2 && strings.HasPrefix("--target-directory", name)
		if isShort(w.Text) {
			var before string
			// A letter before the t could be one whose value holds it.
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

// copyOps and moveOps: cp, mv, ln and their like. What is moved is gone from its old place.
func copyOps(c *call) {
	tree := c.has("-r", "-R", "-a") || c.hasLong("--recursive", "--archive")
	carryOps(c, File{Tree: tree})
}

func moveOps(c *call) { carryOps(c, File{Write: true, Deletes: true, Tree: true}) }

// carryOps says what becomes of the files that are carried to a target.
func carryOps(c *call, source File) {
	sources, target := sourcesAndTarget(c)
	c.files(sources, source)
	if target != (Word{}) {
		c.file(target, File{Write: true, Tree: source.Tree})
	}
}

// installOps: install copies, or makes folders with -d.
func installOps(c *call) {
	if c.has("-d", "--directory") {
		writeAll(c)
		return
	}
	copyOps(c)
}

// ddOps: dd has no options, only name=value; if is read and of is written.
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
	tree := c.has("-R") || c.hasLong("--recursive")
	files := c.rest
	if !c.hasLong("--reference") && !c.has("-r", "-w", "-x", "-X", "-s", "-t", "-u", "-g", "-o", "-a", "-N", "-C", "-E", "-I", "-i") && len(files) > 0 {
		files = files[1:]
	}
	c.files(files, File{Write: true, Tree: tree})
}

// patchOps: "patch FILE PATCH".
func patchOps(c *call) {
	if anyHolds(c.values("-B", "--prefix", "-z", "--suffix", "-Y", "--basename-prefix"), "/") {
		c.unsuref("patch keeps the old text in another folder")
	}
	writeFirst(c)
	c.reads(c.after(1)...)
	if len(c.rest) == 0 && !c.has("--dry-run") { // the patch names the files
		c.files(orHere(c.values("-d", "--directory")), File{Write: true, Tree: true})
	}
}

// splitOps and csplitOps: names of pieces begin with a text of the words, or with xx; one of
// them stands for all.
func splitOps(c *call) {
	c.reads(c.first()...)
	c.writes(c.after(1)...)
	if len(c.rest) < 2 {
		c.writes(literal("xaa"))
	}
}

func csplitOps(c *call) {
	c.reads(c.first()...)
	if !c.has("-f", "--prefix") {
		c.writes(literal("xx00"))
	}
}
