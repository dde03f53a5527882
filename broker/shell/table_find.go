package shell

import (
	"github.com/aoctl/aoctl/broker/shell/wordset"
	"strings"
)

var xargsSpec = spec{
	stop: true, wraps: true,
	ok: "-0oprtx -E= -e? -d= -I= -i? -J= -R= -S= -L= -l? -n= -P= -s= --null --open-tty --interactive --no-run-if-empty --exit --verbose --show-limits --help --version --process-slot-var= " +
		"--eof? --delimiter= --replace? --max-lines? --max-args= --max-procs= --max-chars=",
	read: "-a= --arg-file=",
}

// xargsOps: xargs appends what it reads, or puts it where its -I says, which is
// written {} in what comes out. Without a command it is echo.
func xargsOps(c *call) {
	c.spec = xargsSpec
	c.parse()
	if c.has("--process-slot-var") {
		c.unsuref("xargs --process-slot-var sets a variable of any name")
	}
	if len(c.rest) == 0 {
		return
	}
	r := run{words: c.rest, more: true}
	for _, g := range c.given("-I", "-i", "-J", "--replace") {
		r.fed, r.more = true, g.name == "-J"
		if g.has {
			r.words = replaced(r.words, g.value)
		}
	}
	c.m.wrapper = c.name
	c.m.runs = append(c.m.runs, r)
}

// replaced writes {} for the text that stands for a name in words.
func replaced(words []word, mark word) []word {
	if mark.text == "" {
		return words
	}
	out := make([]word, len(words))
	for i, w := range words {
		w.text = strings.ReplaceAll(w.text, mark.text, "{}")
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

// findOps: find's folders come first, then an expression that may run programs.
func findOps(c *call) {
	roots, i := c.findRoots()
	deletes := false
	for _, w := range c.words {
		if w.text == "-L" || w.text == "-follow" {
			c.follows()
		}
	}
	for ; i < len(c.words); i++ {
		w := c.words[i]
		next := min(i+1, len(c.words))
		switch name := w.text; {
		case !w.known || findPlain.Has(name):
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
			i = c.findExec(next, roots)
		default:
			c.exactf("find is given a test that aoctl does not know")
		}
	}
	for _, root := range roots {
		c.file(root, file{tree: true, write: deletes, deletes: deletes})
	}
}

// findRoots are the words before the expression; none means the folder it works in.
func (c *call) findRoots() (roots []word, next int) {
	for ; next < len(c.words); next++ {
		w := c.words[next]
		switch {
		case w.text == "-H" || w.text == "-L" || w.text == "-P" || w.text == "-E" || w.text == "-X" || w.text == "-x" || w.text == "-d" || w.text == "-s" || strings.HasPrefix(w.text, "-O"):
		case w.text == "-D" || w.text == "-f":
			next++
			if w.text == "-f" && next < len(c.words) {
				roots = append(roots, c.words[next])
			}
		case strings.HasPrefix(w.text, "-") && w.text != "--" || w.text == "!" || w.text == "(" || w.text == ",":
			return orHere(roots), next
		default:
			c.guardGlob(&options{risky: true}, w)
			if w.text != "--" {
				roots = append(roots, w)
			}
		}
	}
	return orHere(roots), next
}

func orHere(words []word) []word {
	if len(words) == 0 {
		return []word{literal(".")}
	}
	return words
}

// findExec reads the command after -exec, from word i on, to its ; or + and gives the
// place of that.
func (c *call) findExec(i int, roots []word) int {
	start := i
	for ; i < len(c.words); i++ {
		w := c.words[i]
		if w.text == ";" || w.text == "+" && i > start && c.words[i-1].text == "{}" {
			break
		}
	}
	if i == len(c.words) {
		c.unsuref("find's command has no end")
	}
	if words := c.words[start:i]; len(words) > 0 {
		c.m.runs = append(c.m.runs, run{words: words, fed: true})
		if deleters.Has(words[0].text) {
			for _, root := range roots {
				c.file(root, file{write: true, deletes: true, tree: true})
			}
		}
	}
	return i
}

// deleters remove what find hands them.
var deleters = wordset.New("rm unlink rmdir shred /bin/rm /usr/bin/rm")

func fdRow() spec {
	return spec{
		ok: "-HIuUgFaplL0sih1qV -e= -t= -d= -E= -S= -o= -c= -j= --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --relative-path " +
			"--list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --prune --type= --extension= --size= --changed-within= --changed-before= --newer= --older= --owner= --color= --threads= " +
			"--max-results= --quiet --show-errors --strip-cwd-prefix? --one-file-system --help --version --and= --format= --hyperlink? --batch-size= --path-separator= --no-hidden --no-follow --max-buffer-time=",
		read: "--ignore-file= --search-path= --base-directory= -C=",
		raw:  fdOps,
	}
}

// fdOps: everything after -x or -X is the command, up to a ";".
func fdOps(c *call) {
	for i, w := range c.words {
		if !isExec(w.text) {
			continue
		}
		words := c.words[i+1:]
		if !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "L") { // -HLx
			c.follows()
		}
		if _, value, ok := strings.Cut(w.text, "="); ok {
			words = append([]word{tail(w, value)}, words...)
		} else if !strings.HasPrefix(w.text, "--") && !strings.HasSuffix(strings.ToLower(w.text), "x") {
			c.exactf("fd is given a command in an unusual way")
		}
		c.words = c.words[:i]
		c.m.runs = append(c.m.runs, run{words: words, fed: true, more: true})
		break
	}
	c.raw = nil
	c.parse()
	if c.has("-L", "--follow") {
		c.follows()
	}
	for i, w := range c.rest {
		if i > 0 {
			c.readsTree(w)
		}
	}
}

func isExec(text string) bool {
	if strings.HasPrefix(text, "--") {
		name, _, _ := strings.Cut(text, "=")
		return len(name) > 4 && strings.HasPrefix("--exec-batch", name)
	}
	return strings.HasPrefix(text, "-") && strings.ContainsAny(text, "xX") && !strings.ContainsAny(text[:2], "etdESocj")
}
