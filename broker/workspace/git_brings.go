package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
)

// Which files a branch or a stash brings, only git knows: they lie in packs. So git itself is asked, by
// commands that compare what it has and change nothing. It runs no program for them: a repository
// whose settings or hooks could make it is never asked about, the user's own settings are left out, and
// so are daemons and ways to other machines.

const (
	maxAsked   = 40              // questions to git in one run over a history; more are not known
	maxBrought = 1500            // files; with more of them it is not known
	maxAnswer  = 1 << 20         // bytes of one answer
	askWithin  = 5 * time.Second // for one answer
)

// broughtFiles are the answers of git, by repository and question.
type broughtFiles struct {
	known map[broughtKey][]string // nil: not known
	asked int
}

type broughtKey struct {
	top  string
	what effects.Brings
}

// bringsIn returns a function that says which files a git command would change in the work tree of the
// repository in top, by paths below it. ok is false when nobody knows, or when something else than plain
// files would come, or be overwritten although git does not have it.
func (f *Paths) bringsIn(gitIn func(string) risk.Git) func(top string, b effects.Brings) ([]string, bool) {
	return func(top string, b effects.Brings) ([]string, bool) {
		g := gitIn(top)
		if g.Foreign != "" || g.Settings != "" || g.Top != top {
			return nil, false
		}
		key := broughtKey{top, b}
		files, ok := f.brought.known[key]
		if !ok && f.brought.asked < maxAsked {
			f.brought.asked++
			files = broughtBy(top, b)
			if f.brought.known == nil {
				f.brought.known = map[broughtKey][]string{}
			}
			f.brought.known[key] = files
		}
		return files, files != nil
	}
}

// broughtBy asks git; nil when it is not known, and never when it is.
func broughtBy(top string, b effects.Brings) []string {
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	q := &gitQuestion{ctx: ctx, top: top}
	q.bring(b)
	if q.failed || len(q.files) > maxBrought {
		return nil
	}
	// What git writes over, or takes away, it must have.
	kept := keptIn(top)
	if !kept.plain() || slices.ContainsFunc(q.files, kept.overwrites) {
		return nil
	}
	return append([]string{}, q.files...)
}

// gitQuestion is one question in several commands. The first that fails makes the answer unknown.
type gitQuestion struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one question
	top    string
	files  []string
	failed bool
}

// bring gathers the files. Where git finds out by itself what was renamed, a change may come to a file of
// another name that one of the sides gave it, so the changes of both sides count. Ours is what is staged:
// cherry-pick -n, revert -n and stash pop do not ask that it be committed.
func (q *gitQuestion) bring(b effects.Brings) {
	head := q.commit("HEAD")
	switch b.By {
	case "switch":
		q.between(head, q.commit(b.Rev))
	case "merge":
		to := q.commit(b.Rev)
		base := q.line("merge-base", "--all", head, to) // several of them make no hash
		q.failed = q.failed || b.Editor && base != head
		q.between(base, to)
		q.between(base, head)
	case "pick", "revert":
		of := q.commit(b.Rev)
		before := q.commit(of + "^")
		if _, merges := q.ask("rev-parse", "--verify", "--quiet", of+"^2"); merges {
			q.failed = true
		}
		q.between(before, of)
		q.staged(before)
	case "stash":
		q.changed(q.output("diff-index", "--raw", "-z", "--no-renames", "HEAD"))
	case "pop":
		kept := q.commit(b.Rev)
		before := q.commit(kept + "^1")
		q.between(before, kept)
		q.staged(before)
		if others, ok := q.ask("rev-parse", "--verify", "--quiet", kept+"^3"); ok {
			q.between(q.line("hash-object", "-t", "tree", "/dev/null"), strings.TrimSpace(others))
		}
	default:
		q.failed = true
	}
}

// hash is what git says for a commit or a tree.
var hash = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// commit is the hash of a commit. A name that means a branch to one command of git and a tag to another is
// not known.
func (q *gitQuestion) commit(rev string) string {
	is := q.line("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	name, back := rev, ""
	if i := strings.IndexAny(rev, "~^@"); i >= 0 {
		name, back = rev[:i], rev[i:]
	}
	if branch, ok := q.ask("rev-parse", "--verify", "--quiet", "refs/heads/"+name+back+"^{commit}"); ok && name != "" && strings.TrimSpace(branch) != is {
		q.failed = true
	}
	return is
}

// line is an answer that is one hash.
func (q *gitQuestion) line(args ...string) string {
	out := strings.TrimSpace(q.output(args...))
	q.failed = q.failed || !hash.MatchString(out)
	return out
}

// between adds the files in which two trees differ.
func (q *gitQuestion) between(from, to string) {
	q.changed(q.output("diff-tree", "-r", "--raw", "-z", "--no-renames", from, to))
}

// staged adds the files in which what is staged differs from a commit.
func (q *gitQuestion) staged(from string) {
	q.changed(q.output("diff-index", "--cached", "--raw", "-z", "--no-renames", from))
}

// changed adds the files of a list as --raw has it: modes, hashes and a letter, then a name. A link and a
// repository within may lead anywhere.
func (q *gitQuestion) changed(list string) {
	parts := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		modes := strings.Fields(parts[i])
		if len(modes) != 5 || modes[1] == "120000" || strings.HasSuffix(modes[0], "160000") || modes[1] == "160000" {
			q.failed = true
			return
		}
		q.named(parts[i+1])
	}
	q.failed = q.failed || len(parts)%2 != 0 && list != ""
}

// named adds names, each with a zero byte behind it or alone.
func (q *gitQuestion) named(list string) {
	for name := range strings.SplitSeq(list, "\x00") {
		if name != "" && !slices.Contains(q.files, name) && len(q.files) <= maxBrought {
			q.files = append(q.files, name)
		}
	}
}

// output is an answer that there must be.
func (q *gitQuestion) output(args ...string) string {
	out, ok := q.ask(args...)
	q.failed = q.failed || !ok
	return out
}

// ask runs git. ok is false when it fails, takes too long or says too much.
func (q *gitQuestion) ask(args ...string) (string, bool) {
	if q.failed {
		return "", false
	}
	cmd := exec.CommandContext(q.ctx, "git", append([]string{"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...) //nolint:gosec // git itself, and the words are ours but for names that were looked at
	cmd.Dir = q.top
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/dev/null", "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0",
	}
	cmd.WaitDelay = time.Second
	out := &limited{}
	cmd.Stdout = out
	err := cmd.Run()
	return out.String(), err == nil
}

// limited keeps an answer of git that is not too long.
type limited struct{ bytes.Buffer }

var errTooMuch = errors.New("git says too much")

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxAnswer {
		return 0, errTooMuch
	}
	return l.Buffer.Write(p)
}

// plain reports whether git compares every file itself: it takes none on trust, has all of them here, and
// merges them in its own way.
func (k *keptFiles) plain() bool {
	dir := filepath.Join(k.top, ".git")
	attributes := []string{filepath.Join(dir, "info", "attributes")}
	for name, was := range k.stats {
		if !was.whole {
			return false
		}
		if path.Base(name) == ".gitattributes" {
			attributes = append(attributes, filepath.Join(k.top, name))
		}
	}
	for _, file := range attributes {
		text, err := readSmall(file)
		// What a filter is, the user's own settings may say, such as lfs.
		if err != nil && !errors.Is(err, fs.ErrNotExist) || bytes.Contains(text, []byte("filter")) || bytes.Contains(text, []byte("merge=")) {
			return false
		}
	}
	data, err := readSmall(filepath.Join(dir, "config"))
	if err != nil || FileExists(filepath.Join(dir, "config.worktree")) || FileExists(filepath.Join(dir, "info", "sparse-checkout")) {
		return false
	}
	for key := range gitConfig(data) {
		section, _, _ := strings.Cut(key, ".")
		if slices.Contains([]string{"extensions", "merge", "checkout", "submodule", "stash"}, section) || strings.HasSuffix(key, ".promisor") || strings.HasPrefix(key, "core.sparse") {
			return false
		}
	}
	return true
}

// overwrites reports whether something lies where git would write a file, or on the way there, that git does
// not have: what is ignored it writes over without a word.
func (k *keptFiles) overwrites(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := os.Lstat(filepath.Join(k.top, at))
		_, has := k.stats[at]
		// A folder where git has a file holds what git does not know.
		if err == nil && (at == name && (!has || info.IsDir()) || at != name && !has && !info.IsDir()) {
			return true
		}
	}
	return false
}
