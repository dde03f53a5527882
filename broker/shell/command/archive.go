package command

import (
	"cmp"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// tarOps: the first word may be options without a dash, whose values then follow in their
// order: tar xfC a.tar dir. What an archive unpacks to cannot be seen in the words, so the
// whole folder counts as written.
func tarOps(c *call) {
	unbundle(c)
	c.parse()
	c.dashedValues()
	if c.has("-h", "--dereference") {
		c.follows()
	}
	extracts := c.has("-x", "--extract", "--get")
	packs := c.has("-c", "-r", "-u", "-A", "--create", "--append", "--update", "--delete", "--concatenate", "--catenate")
	// The archive is read or written by what is done with it, and not by its option.
	for _, w := range c.values("-f", "--file") {
		switch {
		case isRemote(w.Text) && !c.has("--force-local"):
			c.unsuref("tar works on an archive of another machine")
		case packs:
			c.writes(w)
		default:
			c.reads(w)
		}
	}
	folders := append(c.values("-C", "--directory"), c.values("--one-top-level")...)
	switch {
	case extracts && !c.has("-O", "--to-stdout"):
		c.files(orHere(folders), File{Write: true, Tree: true})
		// Else tar takes the slash off and refuses "..", so that it stays in the folder.
		if c.has("-P", "--absolute-names") {
			c.exactf("tar -P may write anywhere")
		}
	case packs:
		c.files(append(folders, c.rest...), File{Tree: true, Write: c.has("--remove-files"), Deletes: c.has("--remove-files")})
	}
}

// unbundle makes options of a first word that has no dash, each with its value.
func unbundle(c *call) {
	first := textAt(c.words, 0)
	if first == "" || !c.words[0].Known || first[0] == '-' {
		return
	}
	var words []Word
	next := c.words[1:]
	for _, letter := range first {
		words = append(words, literal("-"+string(letter)))
		if c.list.byName["-"+string(letter)].value && len(next) > 0 {
			words = append(words, next[0])
			next = next[1:]
		}
	}
	c.words = append(words, next...)
}

// zipOps: the first operand is the archive. -T runs the program that -TT names.
func zipOps(c *call) {
	for _, w := range c.words {
		// Any cluster with a T may hold it: zip's letters are not told apart here.
		if strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "T") && !strings.HasPrefix(w.Text, "--") {
			c.unsuref("zip -TT can run another program")
		}
		if strings.HasPrefix(w.Text, "-lf") {
			c.exactf("zip -lf writes a file")
		}
	}
	moves := c.has("-m") || c.hasLong("--move")
	writeFirst(c)
	c.files(c.after(1), File{Tree: true, Write: moves, Deletes: moves})
}

// cpioOps: cpio asks another machine for an archive whose name has a colon, as tar does.
func cpioOps(c *call) {
	for _, w := range c.values("-F", "-I", "-O", "--file") {
		if isRemote(w.Text) && !c.has("--force-local") {
			c.unsuref("cpio works on an archive of another machine")
		}
	}
	c.farOperands()
}

// unzipOps: what an archive holds lands below -d or the working folder, unless it is only
// shown.
func unzipOps(c *call) {
	c.reads(c.first()...)
	for _, w := range c.values("-d") {
		c.file(w, File{Write: true, Tree: true})
		if faraway(w) {
			c.exactf("unzip writes outside of its folder")
		}
	}
	if !OnlyShows(c.words) && !c.has("-d") {
		c.file(literal("."), File{Write: true, Tree: true})
	}
}

// sevenOps: the first operand is the command. Neither it nor the options mind capitals.
func sevenOps(c *call) {
	command := ""
	for _, w := range c.words {
		text := strings.ToLower(w.Text)
		switch {
		case !w.Known: // may be the command, too
			command = cmp.Or(command, "?")
			c.writes(w)
		case strings.HasPrefix(text, "@"):
			c.exactf("%s takes the names of its files from a list", c.name)
		case text == "--" && !c.ended:
			c.ended = true
		case strings.HasPrefix(text, "-") && !c.ended:
			sevenOption(c, w, text)
		case command == "":
			command = text
		case sevenLooks.Has(command) || sevenUnpacks.Has(command):
			c.reads(w)
		default:
			c.writes(w)
		}
	}
	if sevenUnpacks.Has(command) {
		c.file(literal("."), File{Write: true, Tree: true})
	}
}

// The commands of 7z that only look at an archive, and those that unpack it. All others change
// it.
var sevenLooks, sevenUnpacks = wordset.New("l t"), wordset.New("x e")

// sevenOption: 7z glues values to its options, so they are found by how a word begins.
func sevenOption(c *call, w Word, text string) {
	if strings.HasPrefix(text, "-o") {
		c.file(tail(w, w.Text[len("-o"):]), File{Write: true, Tree: true})
		return
	}
	for _, start := range strings.Fields("-i -x@ -ai -ax -an -sdel -spf -snl -u -w") {
		if strings.HasPrefix(text, start) {
			c.exactf("%s %s can name other files, or removes what it packs", c.name, start)
		}
	}
}

// arOps: the first word is what to do, in letters; with an x or an e among them it unpacks.
func arOps(c *call) {
	writeObject(c)
	if c.has("-x") || len(c.rest) > 0 && strings.ContainsAny(c.rest[0].Text, "xe") {
		c.file(literal("."), File{Write: true, Tree: true})
	}
}

// unarOps: it unpacks into the folder that it works in, whatever the archive is called.
func unarOps(c *call) {
	readAll(c)
	c.file(literal("."), File{Write: true, Tree: true})
}

// packOps: a packer replaces each file by another, unless it prints. The last of its options
// counts, so that a test is none where it is told to pack or to unpack, too.
func packOps(prints string) func(*call) {
	names := strings.Fields(prints)
	return func(c *call) {
		prints := c.has(names...)
		if !c.has("-c", "--stdout", "--to-stdout") && (c.lettered("dz") || c.hasLong("--decompress", "--uncompress", "--compress")) || c.has("--rm") {
			prints = false
		}
		tree := c.lettered("r") || c.hasLong("--recursive")
		for _, w := range c.words {
			if isShort(w.Text) && strings.Contains(w.Text, "o") && !strings.HasSuffix(w.Text, "o") {
				c.exactf("%s writes a file", c.name) // to zstd the next word is its name
			}
		}
		c.files(c.rest, File{Tree: tree, Write: !prints, Deletes: !prints})
	}
}

// OnlyShows reports whether unzip is told to list, to test or to print, before anything that
// could take such a word for its value, as -d and -P do. A second dash switches an option off.
// Package links asks too: unpacking may make links, and a look at an archive does not.
func OnlyShows(words []Word) bool {
	for _, w := range words {
		if strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text[1:], "-") {
			return false
		}
	}
	for _, w := range words {
		letters, ok := strings.CutPrefix(w.Text, "-")
		if !ok || strings.Trim(letters, "ltvpczZq1") != "" {
			return false
		}
		if strings.Trim(letters, "q1") != "" {
			return true
		}
	}
	return false
}
