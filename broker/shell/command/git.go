package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// gitConfigSafe are settings that neither run anything nor say where something lies. git knows
// hundreds, and many of them name a program.
var gitConfigSafe = wordset.New("color.ui color.diff color.status color.branch core.quotepath core.autocrlf core.eol core.safecrlf core.ignorecase core.filemode core.abbrev core.precomposeunicode core.longpaths core.commentchar user.name user.email " +
	"init.defaultbranch pull.rebase pull.ff merge.ff merge.conflictstyle rebase.autostash rebase.autosquash fetch.prune push.default push.autosetupremote diff.renames diff.algorithm diff.colormoved diff.context diff.noprefix diff.mnemonicprefix log.date log.decorate log.follow status.short status.branch " +
	"status.showuntrackedfiles commit.gpgsign commit.verbose tag.gpgsign tag.sort branch.sort column.ui grep.linenumber grep.patterntype gc.auto maintenance.auto http.lowspeedlimit http.lowspeedtime http.postbuffer http.version submodule.recurse index.version feature.manyfiles checkout.defaultremote advice. rerere.enabled")

// GitElsewhere is why only a rule that names all of it allows git in a folder that its words name in full, or
// above: where that lies, only the disk knows.
const GitElsewhere = "git -C works in another folder"

// gitGlobal looks at what stands before the subcommand: settings, other folders, and where
// git's own programs lie.
func gitGlobal(c *call) {
	for _, w := range c.values("-c") {
		name, value, _ := strings.Cut(strings.ToLower(w.Text), "=")
		if w.Known && (gitConfigSafe.Has(name) || strings.HasPrefix(name, "advice.") || gitEmptied.Has(name) && (value == "" || value == "false" || value == "cat")) {
			continue
		}
		c.unsuref("git -c can make git run another program")
	}
	for _, w := range c.values("-C") {
		c.readsTree(w)
		if !isBelow(w.Text) {
			c.exactf(GitElsewhere)
		}
	}
	for _, g := range c.given("--exec-path") {
		if g.has {
			c.unsuref("git --exec-path decides which programs git runs")
		}
	}
}

// gitEmptied are settings that run a program, unless they are switched off.
var gitEmptied = wordset.New("core.pager core.fsmonitor diff.external core.untrackedcache credential.helper pager.log pager.diff pager.show pager.branch")

// gitMovesOn is why a rule with an open end does not cover a moved branch: the files are not
// touched now, yet a later checkout brings in what nobody has seen.
const gitMovesOn = "moves a branch or its commits without a look at the files, and the next command may bring them in"

// onlyLooksAt is for subcommands that only look when they are given at most n operands.
func onlyLooksAt(n int) func(*call) {
	return func(c *call) {
		if len(c.rest) > n {
			c.exactf("%s %s", c.name, gitMovesOn)
		}
	}
}

// gitReset: to an earlier commit of the branch itself nothing new comes in. A word with a
// dot or a slash is taken for a file, as most are.
func gitReset(c *call) {
	if len(c.rest) == 0 || c.ended && c.words[0].Text == "--" {
		return
	}
	to := c.rest[0].Text
	if earlier().MatchString(to) || !c.has("--soft") && (len(c.rest) > 1 && !c.ended || strings.ContainsAny(to, "./")) {
		return
	}
	c.exactf("%s %s", c.name, gitMovesOn)
}

// earlier is a commit before the one that is checked out.
var earlier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(HEAD|@)([~^][0-9]*)*$`)
})

// gitGuard is for subcommands that only the options of others endanger.
func gitGuard(c *call) {
	if c.name == "git mv" {
		moveOps(c)
	}
}

// gitDiff: names outside the repository are read as plain files.
func gitDiff(c *call) {
	for _, w := range c.rest {
		if faraway(w) || strings.HasPrefix(w.Text, "/") || c.has("--no-index") {
			c.reads(w)
		}
	}
}

// gitRemote looks for addresses that run a program: ext::sh -c … and its like.
func gitRemote(c *call) {
	for _, w := range append(c.values("--repo", "--remote"), c.rest...) {
		if strings.Contains(w.Text, "::") {
			c.unsuref("%s has an address that runs a helper", c.name)
		}
		if strings.HasPrefix(w.Text, "-") {
			c.exactf("%s has an address that looks like an option", c.name)
		}
	}
	if c.name == "git fetch" || c.name == "git pull" {
		gitFetch(c)
	}
	if c.name == "git pull" {
		gitStrategy(c)
		gitPull(c)
	}
	if (c.name == "git push" || c.name == "git pull") && len(c.rest) > 0 && isAddress(c.rest[0]) {
		c.exactf("%s works with an address in place of a remote", c.name)
	}
}

// gitFetch: what is fetched goes to where the remotes' branches are, or a tag; a branch of this
// repository is not moved.
func gitFetch(c *call) {
	moves := c.has("-u", "--update-head-ok", "--stdin") || slices.ContainsFunc(c.values("--refmap"), func(w Word) bool { return w.Text != "" })
	for _, w := range c.after(1) {
		_, to, _ := strings.Cut(w.Text, ":")
		// "main:main" writes a branch of this repository by hand.
		moves = moves || to != "" && !strings.HasPrefix(to, "refs/remotes/") && !strings.HasPrefix(to, "refs/tags/")
	}
	if moves {
		c.exactf("%s %s", c.name, gitMovesOn)
	}
}

// gitRemotes: a remote by name is pushed to without a further question.
func gitRemotes(c *call) {
	gitRemote(c)
	if sub := c.operand(0); sub == "add" || sub == "set-url" || sub == "rename" {
		c.exactf("git remote %s changes where git fetches from and pushes to", sub)
	}
}

// gitClone: a local source is read, and the second operand is the folder that is made.
func gitClone(c *call) {
	gitRemote(c)
	if len(c.rest) > 0 && (c.rest[0].Tilde || begins(c.rest[0].Text, "/", ".")) {
		c.readsTree(c.rest[0])
	}
	if len(c.rest) > 1 {
		c.file(c.rest[1], File{Write: true, Tree: true})
	}
}

// isAddress reports whether a word names a repository elsewhere, not a remote by name.
func isAddress(w Word) bool {
	return w.Text == "." || strings.Contains(w.Text, ":") || faraway(w)
}

// gitPull: an interactive rebase opens an editor, which is a program that a variable names.
func gitPull(c *call) {
	for _, w := range c.values("-r", "--rebase") {
		if strings.HasPrefix("interactive", w.Text) {
			c.exactf("git pull --rebase=interactive opens an editor")
		}
	}
}

// gitMail: the parts of a mail go to the files that the words name.
func gitMail(c *call) {
	c.exactf("git mailinfo writes files")
	writeAll(c)
}

// gitWorktreeMove: a worktree is moved like a folder, and may not leave this one unnoticed.
func gitWorktreeMove(c *call) {
	moveOps(c)
	if slices.ContainsFunc(c.rest, outside) {
		c.exactf("git worktree moves a folder outside this one")
	}
}

// gitStrategies come with git.
var gitStrategies = wordset.New("ours recursive resolve octopus subtree ort")

// gitStrategy: -s NAME runs git-merge-NAME.
func gitStrategy(c *call) {
	if anyBut(c.values("-s", "--strategy"), gitStrategies) {
		c.unsuref("%s -s runs a program of that name", c.name)
	}
}

// gitForeach: the words are a script for a shell in each submodule; $1 and its like are set
// there.
func gitForeach(c *call) {
	if len(c.rest) > 0 {
		c.exactf("git submodule foreach runs its words through a shell")
		c.Scripts = append(c.Scripts, Script{Text: joined(c.rest), args: true})
	}
}

// gitGrep: within the repository its words are patterns and names of tracked files.
func gitGrep(c *call) {
	if c.has("--no-index") {
		grepOps(c)
	}
}

// archiveFormats are those that need no other program but gzip.
var archiveFormats = wordset.New("tar zip tgz tar.gz")

// gitArchive: other formats are commands from the settings.
func gitArchive(c *call) {
	if anyBut(c.values("--format"), archiveFormats) {
		c.exactf("git archive --format runs what the settings say")
	}
}

// gitConfig: reading is harmless, a setting may make every later git run a program.
func gitConfig(c *call) {
	if c.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color", "--get-colorbool") && !c.has("--add", "--unset", "--replace-all") {
		return
	}
	if len(c.rest) > 0 && (c.rest[0].Text == "get" || c.rest[0].Text == "list") && c.rest[0].Known {
		return
	}
	if len(c.rest) == 1 && strings.Contains(c.rest[0].Text, ".") && onlyReads(c) {
		return
	}
	c.exactf("git config changes settings, which may run programs later")
}

// onlyReads says whether no option asks for a change.
func onlyReads(c *call) bool {
	for _, g := range c.opts {
		switch g.name {
		case "--global", "--local", "--system", "--worktree", "--type", "--bool", "--int", "--path", "--null", "-z", "--show-origin", "--show-scope", "--includes", "--no-includes", "--default", "--name-only", "-f", "--file", "--bool-or-int", "--expiry-date":
		default:
			return false
		}
	}
	return true
}

// gitClean deletes only with -f and without -n, which --no-dry-run takes back.
func gitClean(c *call) {
	if c.has("-n", "--dry-run") && !c.hasLong("--no-dry-run") || !c.has("-f", "--force") && !c.hasLong("--force") {
		return
	}
	c.files(orHere(c.rest), File{Write: true, Deletes: true, Tree: true})
}

// gitRemove: with --cached or -n the files stay.
func gitRemove(c *call) {
	for _, w := range c.rest {
		if !c.has("--cached", "-n", "--dry-run") || c.hasLong("--no-cached") || c.hasLong("--no-dry-run") {
			c.file(w, File{Write: true, Deletes: true, Tree: c.has("-r")})
		}
	}
}

// gitWorktree: "worktree add" makes a folder with all files of a commit.
func gitWorktree(c *call) {
	for _, w := range c.first() {
		c.file(w, File{Write: true, Tree: true})
		if !isBelow(w.Text) {
			c.exactf("git worktree makes a folder outside this one")
		}
	}
}

// gitTrailers: interpret-trailers changes its files only in place.
func gitTrailers(c *call) {
	c.files(c.rest, File{Write: c.has("--in-place")})
}

// mergeFileOps: the result goes to the first of three files.
func mergeFileOps(c *call) {
	c.files(c.first(), File{Write: !c.has("-p", "--stdout")})
	c.reads(c.after(1)...)
}

// gitBundle: its first operand is the file that is made.
func gitBundle(c *call) {
	c.exactf("git bundle create writes a file")
	writeFirst(c)
}
