package command

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// xargsOps: xargs appends what it reads, or puts it where its -I says, which is written {} in
// what comes out. Without a command it is echo, which does nothing.
func xargsOps(c *call) {
	c.parse()
	if c.has("--process-slot-var") {
		c.unsuref("xargs --process-slot-var sets a variable of any name")
	}
	if len(c.rest) == 0 {
		return
	}
	r := run{Words: c.rest, More: true}
	for _, g := range c.given("-I", "-i", "-J", "--replace") {
		r.Fed, r.More = true, g.name == "-J"
		if g.has {
			r.Words = replaced(r.Words, g.value)
		}
	}
	c.Wrapper = c.name
	c.Runs = append(c.Runs, r)
}

// replaced writes {} for the text that stands for a name in words.
func replaced(words []Word, mark Word) []Word {
	if mark.Text == "" {
		return words
	}
	out := make([]Word, len(words))
	for i, w := range words {
		w.Text = strings.ReplaceAll(w.Text, mark.Text, "{}")
		out[i] = w
	}
	return out
}

// These are find's tests and actions by the words they take and by what they do.
var (
	findPlain = wordset.New("-a -and -o -or -not ! ( ) , -true -false -empty -executable -readable -writable -nouser -nogroup -print -print0 -ls -prune -quit -daystart -depth -d -follow -mount -xdev -x -noleaf " +
		"-ignore_readdir_race -noignore_readdir_race -warn -nowarn -help --help -version --version -H -L -P -E -X -s")
	findValue = wordset.New("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -Btime -Bmin -perm -user -group -uid -gid " +
		"-links -inum -fstype -maxdepth -mindepth -used -context -printf -flags -D -f")
	findReads  = wordset.New("-newer -anewer -cnewer -samefile -files0-from -newermt")
	findWrites = wordset.New("-fprint -fprint0 -fls -fprintf")
	findRuns   = wordset.New("-exec -execdir -ok -okdir")
)

// findOps: find's folders come first, then an expression that may run programs. Tests and
// actions are walked word by word, each with the words it takes: a name that is a value must
// not be read as an action, nor an action be missed as a value.
func findOps(c *call) {
	roots, i := findRoots(c)
	deletes := false
	for _, w := range c.words {
		if w.Text == "-L" || w.Text == "-follow" {
			c.follows()
		}
	}
	for ; i < len(c.words); i++ {
		w := c.words[i]
		next := min(i+1, len(c.words))
		switch name := w.Text; {
		case !w.Known || findPlain.Has(name):
		case name == "-delete":
			deletes = true
		case findValue.Has(name):
			i++
		case findReads.Has(name) || strings.HasPrefix(name, "-newer"):
			if name == "-files0-from" {
				c.exactf("find %s takes its folders from a list that nobody knows", name)
			}
			if next < len(c.words) && !strings.HasSuffix(name, "t") {
				c.reads(c.words[next])
			}
			i++
		case findWrites.Has(name):
			c.exactf("find %s writes a file", name)
			if next < len(c.words) {
				c.writes(c.words[next])
			}
			i++
			if name == "-fprintf" {
				i++
			}
		case findRuns.Has(name):
			i = findExec(c, next, roots)
		default:
			c.exactf("find is given a test that aoctl does not know")
		}
	}
	for _, root := range roots {
		c.file(root, File{Tree: true, Write: deletes, Deletes: deletes})
	}
}

// findRoots are the words before the expression; none means the folder it works in. next is
// where the expression begins.
func findRoots(c *call) (roots []Word, next int) {
	for ; next < len(c.words); next++ {
		w := c.words[next]
		switch {
		case w.Text == "-H" || w.Text == "-L" || w.Text == "-P" || w.Text == "-E" || w.Text == "-X" || w.Text == "-x" || w.Text == "-d" || w.Text == "-s" || strings.HasPrefix(w.Text, "-O"):
		case w.Text == "-D" || w.Text == "-f":
			next++
			if w.Text == "-f" && next < len(c.words) {
				roots = append(roots, c.words[next])
			}
		case strings.HasPrefix(w.Text, "-") && w.Text != "--" || w.Text == "!" || w.Text == "(" || w.Text == ",":
			return orHere(roots), next
		default:
			c.guardGlob(w)
			if w.Text != "--" {
				roots = append(roots, w)
			}
		}
	}
	return orHere(roots), next
}

// findExec reads the command after -exec, from word i on, to its ; or + and gives the place of
// that. A deleter takes what find hands it, so the roots count as deleted trees.
func findExec(c *call, i int, roots []Word) int {
	start := i
	for ; i < len(c.words); i++ {
		w := c.words[i]
		if w.Text == ";" || w.Text == "+" && i > start && c.words[i-1].Text == "{}" {
			break
		}
	}
	if i == len(c.words) {
		c.unsuref("find's command has no end")
	}
	if words := c.words[start:i]; len(words) > 0 {
		c.Runs = append(c.Runs, run{Words: words, Fed: true})
		if deleters.Has(words[0].Text) {
			for _, root := range roots {
				c.file(root, File{Write: true, Deletes: true, Tree: true})
			}
		}
	}
	return i
}

// deleters remove what find hands them.
var deleters = wordset.New("rm unlink rmdir shred /bin/rm /usr/bin/rm")

// fdOps: everything after -x or -X is the command, up to a ";".
func fdOps(c *call) {
	for i, w := range c.words {
		if !isExec(w.Text) {
			continue
		}
		words := c.words[i+1:]
		if !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "L") { // -HLx
			c.follows()
		}
		if _, value, ok := strings.Cut(w.Text, "="); ok {
			// --exec=rm has the program in the same word.
			words = append([]Word{tail(w, value)}, words...)
		} else if !strings.HasPrefix(w.Text, "--") && !strings.HasSuffix(strings.ToLower(w.Text), "x") {
			c.exactf("fd is given a command in an unusual way")
		}
		c.words = c.words[:i]
		c.Runs = append(c.Runs, run{Words: words, Fed: true, More: true})
		break
	}
	c.parse()
	if c.has("-L", "--follow") {
		c.follows()
	}
	c.readsTree(c.after(1)...)
}

// isExec reports whether a word of fd begins a command: --exec and --exec-batch, maybe
// shortened, or a cluster with x or X in which no letter before takes the rest as its value.
func isExec(text string) bool {
	if strings.HasPrefix(text, "--") {
		name, _, _ := strings.Cut(text, "=")
		return len(name) > 4 && strings.HasPrefix("--exec-batch", name)
	}
	return strings.HasPrefix(text, "-") && strings.ContainsAny(text, "xX") && !strings.ContainsAny(text[:2], "etdESocj")
}
