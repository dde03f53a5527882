package risk

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// find hands the names of files on, to what it runs itself or through a pipe to xargs; grep -l, rg -l and git
// ls-files do so through a pipe. What merely looks at the files that it is handed, or checks them, does
// that below the folders that were given, if no name can be an option, none falls apart into others, and
// no link on the way leads elsewhere. What is secret among these files, secretJudge finds.

// handedLookers are programs that do no more to a file that they are handed than to look at it,
// whatever its name is, as long as that is no option. To those of handedTools that holds where the row
// says that they look or check.
var (
	handedLookers = wordset.New("wc grep egrep fgrep cat head tail ls stat file du gofmt md5sum sha1sum sha256sum cksum basename dirname echo")
	handedTools   = wordset.New("sed node python3 python bash sh ruby php")
)

// takesNames reports whether patterns among the words of a command stand for files, and for nothing else, whatever
// their names are: to awk and make a name may be a program or a variable.
func takesNames(e shell.Element) bool {
	last := e.Argv[len(e.Argv)-1]
	switch e.Argv[0] {
	case "rm", "chmod", "touch", "printf":
		return true
	case "cp", "mv": // the last name is where the others go
		return !strings.ContainsAny(last, "*?[")
	case "git":
		return len(e.Argv) > 1 && e.Argv[1] == "add"
	case "sed": // the first word without a dash is its program
		i := slices.IndexFunc(e.Argv[1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
		return i >= 0 && strings.Trim(e.Argv[1+i], "*?[") == e.Argv[1+i]
	}
	return handedLookers.Has(e.Argv[0])
}

// takesLast reports whether a tool is handed names as its last words alone: elsewhere they might be its program.
func takesLast(e shell.Element) bool {
	at := slices.IndexFunc(e.Argv, func(w string) bool { return strings.Contains(w, "{}") })
	if e.Via[0] != "find" {
		return at < 0
	}
	program := slices.IndexFunc(e.Argv[1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
	return at == len(e.Argv)-1 && e.Argv[at] == "{}" && (e.Argv[0] != "sed" || program+1 < at)
}

// feed is what hands names on.
type feed struct {
	effects.Search
	from  shell.Element
	whole bool // each name arrives as one word, whatever is in it
}

// handed is what a command does that is handed names of files, and whether that is known for sure.
func (j doesJudge) handed(l *shell.Line, at int) (doing, bool) {
	e := l.Elements[at]
	if len(e.Via) != 1 || len(e.Argv) == 0 || !handedLookers.Has(e.Argv[0]) && (!handedTools.Has(e.Argv[0]) || !takesLast(e)) || e.Exact != "" || e.Glob {
		return doing{}, false
	}
	d, ok := effects.Known(cmdline.Of(e))
	if !ok || !d.Does.Within(effects.Of(effects.Look, effects.Check)) || !j.filesInside(e, d) {
		return doing{}, false
	}
	f, ok := handsOn(l, at)
	if !ok || f.from.Dir != e.Dir || f.from.Unsure != "" || f.from.Glob {
		return doing{}, false
	}
	if f.Kept {
		return doing{set: d.Does}, j.keptStay(l, e, f)
	}
	return doing{set: d.Does}, (f.whole || !j.blanks(f)) && (!f.Bare || !j.dashes(f.from)) && j.linksStay(f)
}

// handsOn is what hands names to a command.
func handsOn(l *shell.Line, at int) (f feed, ok bool) {
	e := l.Elements[at]
	piped := e.Via[0] == "xargs"
	for i := at - 1; i >= 0; i-- {
		from := l.Elements[i]
		inner := len(from.Via) > 0
		switch {
		// An operand, no file, another program that the same find runs, or what passes names on.
		case from.Kind == shell.Read, from.Kind == shell.Write && pathtable.HarmlessDevice(from.Path), inner && !piped && from.Via[0] == "find",
			piped && !inner && from.Kind == shell.Command && from.Pipe == e.Pipe && from.Stdin == "pipe" && effects.PassesLines(from.Argv):
			continue
		case from.Kind != shell.Command || inner || len(from.Argv) == 0 || changesNames(l, i):
			return f, false
		case !piped:
			f.Search, ok = effects.SearchOf(from.Argv[1:])
			f.from, f.whole = from, true
			return f, ok && e.Via[0] == "find" && from.Argv[0] == "find" && f.Runs
		}
		zero, plain := xargsOptions(e)
		f.Search, ok = effects.NamesOf(from.Argv)
		f.from, f.whole = from, zero
		return f, ok && plain && zero == f.Zero && onlyFeeds(l, i, at)
	}
	return f, false
}

// onlyFeeds reports whether what an element prints, or a part of it, is all that another one is fed: they are parts
// of one pipeline, and what stands between them in the line are filters. Where the text of one stands twice,
// nobody knows which of them it is.
func onlyFeeds(l *shell.Line, at, to int) bool {
	from, e := l.Elements[at], l.Elements[to]
	if e.Stdin != "pipe" || e.Pipe == 0 || e.Pipe != from.Pipe || strings.Count(l.Raw, from.Text) != 1 || strings.Count(l.Raw, e.Text) != 1 {
		return false
	}
	_, rest, _ := strings.Cut(l.Raw, from.Text)
	for _, next := range l.Elements[at+1 : to+1] {
		if next.Kind != shell.Command {
			continue
		}
		between, after, ok := strings.Cut(rest, next.Text)
		if !ok || strings.TrimSpace(strings.Replace(between, "2>/dev/null", "", 1)) != "|" {
			return false
		}
		rest = after
	}
	return true
}

// changesNames reports whether a part of the line makes files or moves them before the element at a
// place: then the disk says too little of what find will see.
func changesNames(l *shell.Line, at int) bool {
	return slices.ContainsFunc(l.Elements, func(e shell.Element) bool { return e.Relinks }) ||
		slices.ContainsFunc(l.Elements[:at], func(e shell.Element) bool { return e.Kind == shell.Write && !pathtable.HarmlessDevice(e.Path) })
}

// xargsOptions reads what stands between xargs and its program. zero: names end with a zero. ok is false
// when there is anything else that matters.
func xargsOptions(e shell.Element) (zero, ok bool) {
	words := strings.Fields(e.Text)
	if len(words) == 0 || words[0] != "xargs" {
		return false, false
	}
	count := false // the next word is a number
	for _, w := range words[1:] {
		switch number := w != "" && strings.Trim(w, "0123456789") == ""; {
		case count != number:
			return zero, !count && w == e.Argv[0]
		case number:
			count = false
		case w == "-0", w == "-0r", w == "-r0", w == "--null":
			zero = true
		case w == "-n", w == "-P":
			count = true
		case len(w) > 2 && (w[:2] == "-n" || w[:2] == "-P") && strings.Trim(w[2:], "0123456789") == "", w == "-r":
		default:
			return zero, w == e.Argv[0]
		}
	}
	return false, false
}

// blanks reports whether a name below the folders of a search may fall apart into several words.
func (j doesJudge) blanks(f feed) bool {
	return slices.ContainsFunc(f.Starts, splits) || !j.below(f, func(l Below, _ string) bool { return !l.Blanks })
}

// splits reports whether a name is more than one word to xargs, or another one.
func splits(name string) bool { return strings.ContainsAny(name, " \t\n\r\v\f'\"\\") }

// linksStay reports whether each link below the folders of a search leads to another file below
// the same folder, or to where nobody minds.
func (j doesJudge) linksStay(f feed) bool {
	return j.below(f, func(l Below, dir string) bool {
		return !l.Special && !slices.ContainsFunc(l.Links, func(link string) bool {
			to := j.resolve(link, spot{})
			return !j.mayRead(to) || j.inProject(to) && !to.within(func(p string) bool { return pathtable.Below(dir, p) })
		})
	})
}

// maxKept is how many names that git has are looked at.
const maxKept = 5000

// keptStay reports whether the names that git has are plain ones, whether they are on the disk or not, and lead to
// plain files. What goes into folders might go into one that has such a name now.
func (j doesJudge) keptStay(l *shell.Line, e shell.Element, f feed) bool {
	sets := func(e shell.Element) bool { return e.Kind == shell.Assign }
	a := cmdline.Of(e)
	dir := j.resolve(".", j.spotOf(f.from, false))
	if j.at.Index == nil || j.at.Below == nil || j.touched || j.commits || slices.ContainsFunc(l.Elements, sets) || len(dir.reals) != 1 ||
		a.Has("-r", "-R", "--recursive", "-d", "--directories") || strings.HasSuffix(e.Unsure, command.FollowsLinks) {
		return false
	}
	files, whole := j.at.Index(dir.reals[0])
	return whole && len(files) <= maxKept && !slices.ContainsFunc(files, func(file string) bool {
		name, here := strings.CutPrefix(file, strings.TrimSuffix(dir.reals[0], "/")+"/")
		return here && (strings.HasPrefix(name, "-") || !f.whole && splits(name) || !j.plainOrGone(file))
	})
}

// plainOrGone reports whether there is a plain file at a path, or nothing. A link counts as what it leads to.
func (j doesJudge) plainOrGone(file string) bool {
	if j.at.Below(file).Special {
		return false
	}
	real, err := file, error(nil)
	if j.at.Real != nil { // not through resolve, which follows a small number of paths
		real, err = j.at.Real(file)
	}
	if err != nil || real == file {
		return err == nil
	}
	t := j.resolve(file, spot{})
	_, secret := credential(t)
	return j.inProject(t) && !secret && !j.at.Below(real).Special
}

// below asks what lies below each folder that a search was given.
func (j doesJudge) below(f feed, fine func(l Below, dir string) bool) bool {
	if j.at.Below == nil {
		return false
	}
	from := j.spotOf(f.from, false)
	from.tilde = true
	for _, start := range f.Starts {
		t := j.resolve(start, from)
		if !j.inProject(t) || len(t.reals) != 1 {
			return false
		}
		if l := j.at.Below(t.reals[0]); !l.Whole || !fine(l, t.reals[0]) {
			return false
		}
	}
	return true
}

// searches reports whether an element is a find that does no more than to look and to run programs. What
// these do, their own elements say.
func (j doesJudge) searches(l *shell.Line, at int) bool {
	e := l.Elements[at]
	if len(e.Argv) == 0 || e.Argv[0] != "find" || e.Exact != "" || e.Glob || slices.Contains(e.Argv, "") {
		return false
	}
	s, ok := effects.SearchOf(e.Argv[1:])
	told := at+1 < len(l.Elements) && slices.ContainsFunc(l.Elements[at+1:], func(e shell.Element) bool { return len(e.Via) > 0 && e.Via[0] == "find" })
	return ok && s.Runs && told && j.filesInside(e, effects.Doing{Does: effects.Of(effects.Look), Files: s.Starts})
}
