package risk

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// find hands the names of files on, to what it runs itself or through a pipe to xargs. What merely
// looks at the files that it is handed looks below the folders that find was given, if no name can
// be an option, none falls apart into others, and no link on the way leads elsewhere. What is secret
// among these files, secretJudge finds.

// handedLookers are programs that do no more to a file that they are handed than to look at it,
// whatever its name is, as long as that is no option.
var handedLookers = wordset.New("wc grep egrep fgrep cat head ls stat file du gofmt md5sum sha1sum sha256sum cksum basename dirname echo")

// handed is what a command does that find hands files to, and whether that is known for sure.
func (j doesJudge) handed(l *shell.Line, at int) (doing, bool) {
	e := l.Elements[at]
	if len(e.Via) != 1 || len(e.Argv) == 0 || !handedLookers.Has(e.Argv[0]) || e.Exact != "" {
		return doing{}, false
	}
	d, ok := effects.Known(cmdline.Of(e))
	if !ok || d.Does != effects.Of(effects.Look) || !j.filesInside(e, d) {
		return doing{}, false
	}
	from, whole, ok := handsOn(l, at)
	if !ok || from.Dir != e.Dir || from.Unsure != "" || from.Glob {
		return doing{}, false
	}
	s, ok := effects.SearchOf(from.Argv[1:])
	if !ok || !whole && j.blanks(from, s) || !j.linksStay(from, s) {
		return doing{}, false
	}
	return does(effects.Look, ""), true
}

// handsOn is the find that hands files to a command. whole: each name arrives as one word, whatever is
// in it.
func handsOn(l *shell.Line, at int) (find shell.Element, whole, ok bool) {
	e := l.Elements[at]
	for i := at - 1; i >= 0; i-- {
		from := l.Elements[i]
		inner := len(from.Via) > 0
		switch {
		case from.Kind == shell.Read, inner && e.Via[0] == "find" && from.Via[0] == "find":
			continue // an operand, or another program that the same find runs
		case from.Kind != shell.Command || inner || len(from.Argv) == 0 || from.Argv[0] != "find" || changesNames(l, i):
			return find, false, false
		case e.Via[0] == "find":
			return from, true, slices.Contains(from.Argv, "-exec")
		}
		zero, plain := xargsOptions(e)
		return from, zero, plain && onlyFeeds(l, from, e) && zero == slices.Contains(from.Argv, "-print0") && !slices.Contains(from.Argv, "-exec")
	}
	return find, false, false
}

// onlyFeeds reports whether what find prints is all that xargs is fed.
func onlyFeeds(l *shell.Line, find, e shell.Element) bool {
	_, rest, _ := strings.Cut(l.Raw, find.Text)
	between, _, ok := strings.Cut(rest, e.Text)
	return ok && strings.TrimSpace(between) == "|" && e.Via[0] == "xargs" && e.Stdin == "pipe" && e.Pipe > 0 && e.Pipe == find.Pipe
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
	for _, w := range words[1:] {
		switch w {
		case "-0", "-0r", "-r0", "--null":
			zero = true
		case "-r":
		default:
			return zero, w == e.Argv[0]
		}
	}
	return false, false
}

// blanks reports whether a name below the folders of a find may fall apart into several words.
func (j doesJudge) blanks(find shell.Element, s effects.Search) bool {
	blank := func(w string) bool { return strings.ContainsAny(w, " \t\n\r\v\f'\"\\") }
	return slices.ContainsFunc(s.Starts, blank) || !j.below(find, s, func(l Below, _ string) bool { return !l.Blanks })
}

// linksStay reports whether each link below the folders of a find leads to another file below
// the same folder, or to where nobody minds.
func (j doesJudge) linksStay(find shell.Element, s effects.Search) bool {
	return j.below(find, s, func(l Below, dir string) bool {
		return !l.Special && !slices.ContainsFunc(l.Links, func(link string) bool {
			to := j.resolve(link, spot{})
			return !j.mayRead(to) || j.inProject(to) && !to.within(func(p string) bool { return pathtable.Below(dir, p) })
		})
	})
}

// below asks what lies below each folder that a find was given.
func (j doesJudge) below(find shell.Element, s effects.Search, fine func(l Below, dir string) bool) bool {
	if j.at.Below == nil {
		return false
	}
	from := j.spotOf(find, false)
	from.tilde = true
	for _, start := range s.Starts {
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
