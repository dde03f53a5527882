package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// Brings is a git command that puts other files into the work tree: another branch, what was stashed, what a
// commit changed. Its words do not say which; the repository does.
type Brings struct {
	By     string // switch, merge, pick, revert, stash or pop
	Rev    string // the commit as git reads it; "" for stash
	Editor bool   // of merge: it asks an editor for a message, unless it only moves the branch
}

// bringing are the subcommands, with the options that they may have.
var bringing = sync.OnceValue(func() map[string]row {
	return map[string]row{
		"switch":      {with: "-q --quiet -d --detach"},
		"checkout":    {with: "-q --quiet --detach"},
		"merge":       {with: "-q --quiet --no-edit --ff --no-ff --ff-only --stat --no-stat -m: --message:"},
		"cherry-pick": {with: "-x -n --no-commit"},
		"revert":      {with: "-n --no-commit --no-edit"},
		"stash push":  {with: "-q --quiet -m: --message:"},
		"stash pop":   {with: "-q --quiet"},
		"stash apply": {with: "-q --quiet"},
	}
})

var (
	// A name of a branch or a tag, or a hash, perhaps with what goes back from there.
	plainRev = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+-]*([~^][0-9]*)*$`)
	})
	plainStash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:stash@\{)?([0-9]{1,4})\}?$`) })
)

// BroughtBy reads such a command; ok is false for any other one, and for words that nobody knows.
func BroughtBy(a cmdline.Command) (b Brings, ok bool) {
	if len(a.Element.Argv) == 0 || a.Element.Argv[0] != "git" || a.Element.Glob || slices.Contains(a.Element.Argv, "") {
		return Brings{}, false
	}
	words, folder := gitPlain(a.Element.Argv[1:])
	if folder != "" || len(words) == 0 {
		return Brings{}, false
	}
	sub, words := words[0], words[1:]
	if sub == "stash" {
		if len(words) == 0 || strings.HasPrefix(words[0], "-") {
			words = append([]string{"push"}, words...)
		}
		sub, words = sub+" "+words[0], words[1:]
	}
	r, ok := bringing()[sub]
	if !ok {
		return Brings{}, false
	}
	given := cmdline.New("git", words, a.Element)
	ops, ok := r.operands(words)
	if !ok {
		return Brings{}, false
	}
	switch sub {
	case "switch", "checkout":
		b.By, b.Rev = "switch", oneRev(ops)
	case "merge":
		b.By, b.Rev = "merge", oneRev(ops)
		b.Editor = !given.Exactly("--no-edit", "-m", "--message", "--ff-only") && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--message=") })
		if b.Editor && given.Exactly("--no-ff") {
			return Brings{}, false
		}
	case "cherry-pick":
		b.By, b.Rev = "pick", oneRev(ops)
	case "revert":
		b.By, b.Rev = "revert", oneRev(ops)
		if !given.Exactly("--no-edit", "-n", "--no-commit") {
			return Brings{}, false
		}
	case "stash push":
		return Brings{By: "stash"}, len(ops) == 0 // with -u it would take away what git does not know
	case "stash pop", "stash apply":
		b.By, b.Rev = "pop", oneStash(ops)
	}
	return b, b.Rev != ""
}

// MayDo is what the parts of a line may do of which only the disk says so, as it is at the moment: what git
// brings, and a tool that the project has or has not. A call that was refused may have done it.
func MayDo(l *shell.Line) (set Set) {
	if l == nil {
		return 0
	}
	for _, e := range l.Elements {
		if e.Kind != shell.Command {
			continue
		}
		a := cmdline.Of(e)
		if _, ok := BroughtBy(a); ok {
			set |= Of(Edit, Commit)
		}
		if d, ok := Known(a); ok && d.Tool+d.Module+d.New != "" {
			set |= d.Does
		}
	}
	return set
}

// operands are the words of a command that are no options; ok is false when one of the options is not known.
func (r row) operands(words []string) (ops []string, ok bool) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, _, attached := strings.Cut(w, "=")
		switch {
		case w == "-" || !strings.HasPrefix(w, "-"):
			ops = append(ops, w)
		case slices.Contains(strings.Fields(r.with), w):
		case slices.Contains(strings.Fields(r.with), name+":") && strings.HasPrefix(w, "--") && attached:
		case slices.Contains(strings.Fields(r.with), w+":") && i+1 < len(words):
			i++
		default:
			return nil, false
		}
	}
	return ops, true
}

// oneRev is the only operand as git reads it; "" when there is another number, or it is not plain.
func oneRev(ops []string) string {
	switch {
	// What lies in .git under such a name may be several commits to one command, and one to another.
	case len(ops) != 1, strings.Contains(ops[0], ".."), strings.Contains(ops[0], "_HEAD"):
		return ""
	case !plainRev().MatchString(ops[0]):
		return ""
	}
	return ops[0]
}

// oneStash is which stash is meant.
func oneStash(ops []string) string {
	if len(ops) == 0 {
		return "stash@{0}"
	}
	m := plainStash().FindStringSubmatch(ops[0])
	if len(ops) != 1 || m == nil {
		return ""
	}
	return "stash@{" + m[1] + "}"
}
