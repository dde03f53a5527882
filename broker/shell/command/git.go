package command

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

const gitAlias = "an unknown subcommand may be an alias, which runs what the settings say"

// gitRows is git with its options before the subcommand; gitSubs has those after.
func gitRows() map[string]spec {
	return map[string]spec{"git": {
		stop: true, mild: true,
		ok: "-vhP -C= -c= --version --help --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path --exec-path? " +
			"--list-cmds= --attr-source= --namespace=",
		exact:  "-p --paginate --git-dir= --work-tree= --shallow-file= --super-prefix=",
		unsure: "--config-env=",
		ops:    gitGlobal, subs: gitSubs(), other: gitAlias,
	}, "gitk": {lax: true, whole: "opens a window"}, "tig": {lax: true, whole: "can run programs from its prompt"}, "lazygit": {lax: true, whole: "can run programs from its prompt"}}
}

// gitConfigSafe are settings that neither run anything nor say where something lies.
var gitConfigSafe = wordset.New("color.ui color.diff color.status color.branch core.quotepath core.autocrlf core.eol core.safecrlf core.ignorecase core.filemode core.abbrev core.precomposeunicode core.longpaths core.commentchar user.name user.email " +
	"init.defaultbranch pull.rebase pull.ff merge.ff merge.conflictstyle rebase.autostash rebase.autosquash fetch.prune push.default push.autosetupremote diff.renames diff.algorithm diff.colormoved diff.context diff.noprefix diff.mnemonicprefix log.date log.decorate log.follow status.short status.branch " +
	"status.showuntrackedfiles commit.gpgsign commit.verbose tag.gpgsign tag.sort branch.sort column.ui grep.linenumber grep.patterntype gc.auto maintenance.auto http.lowspeedlimit http.lowspeedtime http.postbuffer http.version submodule.recurse index.version feature.manyfiles checkout.defaultremote advice. rerere.enabled")

// gitGlobal looks at what stands before the subcommand.
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
			c.exactf("git -C works in another folder")
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

// gitPlain are subcommands with no option that runs a program of one's choice or writes
// outside the repository and its own files.
const gitPlain = `check-attr check-ignore check-mailmap check-ref-format checkout cherry column commit-graph
	count-objects describe fsck gc get-tar-commit-id init-db ls-files ls-tree merge-base merge-tree
	multi-pack-index name-rev pack-refs patch-id prune prune-packed reflog rerere restore rev-parse shortlog
	show-branch show-index show-ref sparse-checkout stage stash status stripspace switch
	update-server-info var verify-commit verify-pack verify-tag version write-tree mv`

// gitExact are subcommands that run what the settings or their words say, open an
// editor or a window, or serve others.
const gitExact = `archimport bugreport citool credential credential-cache credential-store cvsexportcommit cvsimport cvsserver daemon diagnose
	env--helper fast-import filter-branch for-each-repo fsmonitor--daemon gitweb gui hook http-backend http-fetch http-push imap-send instaweb
	maintenance merge-index mergetool p4 quiltimport receive-pack remote-ext remote-fd remote-http remote-https send-email send-pack
	sh-i18n shell svn upload-archive upload-pack web--browse lfs bisect--helper submodule--helper rebase--interactive`

func gitSubs() map[string]spec {
	diff := spec{lax: true, read: "-O?", spill: "--output=", exact: "--ext-diff --textconv", ops: gitDiff}
	fetch := spec{lax: true, ok: "-u --update-head-ok --stdin -o= -j= -X= -s= -r? --rebase? --server-option= --depth= --jobs= --refmap= --negotiation-tip= --strategy= --strategy-option= --shallow-since= --shallow-exclude=", unsure: "--upload-pack=", ops: gitRemote}
	merge := spec{lax: true, ok: "-m= -s= -X= -S? --strategy= --strategy-option= --gpg-sign? --into-name= --cleanup=", read: "-F= --file=", ops: gitStrategy}
	pick := spec{lax: true, ok: "-m= -X= -S? --strategy= --strategy-option= --gpg-sign? --cleanup= --mainline=", ops: gitStrategy} // -s is no strategy here
	rows := map[string]spec{
		"diff": diff, "log": diff, "show": diff, "whatchanged": diff, "diff-tree": diff, "diff-index": diff, "diff-files": diff, "rev-list": diff, "pickaxe": diff, "range-diff": diff,
		"format-patch": {lax: true, spill: "-o= --output= --output-directory=", read: "--signature-file= --description-file=", exact: "--ext-diff --textconv"},
		"fetch":        fetch, "pull": fetch, "ls-remote": {lax: true, ok: "-o= --sort= --server-option=", unsure: "--upload-pack= --exec=", ops: gitRemote},
		"fetch-pack": {lax: true, unsure: "--upload-pack= --exec=", ops: gitRemote},
		"push":       {lax: true, ok: "-o= --push-option= --repo= --signed? --force-with-lease? --recurse-submodules=", unsure: "--receive-pack= --exec=", ops: gitRemote},
		"clone": {
			lax: true, ok: "-b= -o= -j= --branch= --origin= --depth= --jobs= --filter= --server-option= --shallow-since= --shallow-exclude= --bundle-uri= --revision= --ref-format= --recurse-submodules? --recursive?",
			read: "--reference= --reference-if-able=", spill: "--separate-git-dir=", unsure: "-u= -c= --upload-pack= --config= --template=", ops: gitClone,
		},
		"init":      {lax: true, ok: "-b= --initial-branch= --object-format= --ref-format= --shared?", spill: "--separate-git-dir=", unsure: "--template=", ops: writeAll},
		"remote":    {lax: true, ok: "-t= -m=", ops: gitRemotes},
		"submodule": {lax: true, stop: true, subs: map[string]spec{"foreach": {stop: true, ok: "-q --quiet --recursive", ops: gitForeach}, "add": {lax: true, ok: "-b= --name= --depth=", read: "--reference=", ops: gitRemote}, "set-url": {lax: true, ops: gitRemote}, "update": {lax: true, ok: "-j= --depth= --jobs= --filter=", read: "--reference=", whole: "does what the settings of each submodule say"}}},
		"grep": {
			lax: true, ok: "-e= -m= -A= -B= -C= --max-depth= --max-count= --threads= --after-context= --before-context= --context= --color?",
			read: "-f=", exact: "--textconv --ext-grep", unsure: "-O? --open-files-in-pager?", ops: gitGrep,
		},
		"rebase": {lax: true, ok: "-s= -X= -C= -S? --onto= --strategy= --strategy-option= --whitespace= --empty= --gpg-sign? --root", exact: "-i --interactive --edit-todo", unsure: "-x= --exec=", ops: gitStrategy},
		"merge":  merge, "cherry-pick": pick, "revert": pick,
		"bisect":   {lax: true, stop: true, subs: map[string]spec{"run": {stop: true, wraps: true, whole: "runs a program again and again"}, "visualize": {lax: true, whole: "opens a window"}, "view": {lax: true, whole: "opens a window"}, "replay": {lax: true, whole: "does what a file says"}}},
		"difftool": {lax: true, exact: "-t= --tool= -g --gui", unsure: "-x= --extcmd=", whole: "runs the tool that the settings name"},
		"archive":  {lax: true, ok: "--format= --prefix= --mtime=", spill: "-o= --output=", read: "--add-file=", unsure: "--exec= --remote=", ops: gitArchive},
		"config":   {lax: true, ok: "--type= --default= --comment= --value= --url=", read: "-f= --file=", exact: "-e --edit --blob=", ops: gitConfig},
	}
	maps.Copy(rows, gitTreeSubs())
	maps.Copy(rows, gitRefSubs())
	rows["annotate"] = rows["blame"]
	same(rows, spec{lax: true, exact: "--edit-description --textconv --ext-diff", spill: "--output=", ops: gitGuard}, gitPlain)
	same(rows, spec{lax: true, whole: "runs what the settings or its words say"}, gitExact)
	return rows
}

const (
	gitMovesOn  = "moves a branch or its commits without a look at the files, and the next command may bring them in"
	gitPlumbing = "mktag mktree commit-tree read-tree checkout-index unpack-objects index-pack"
)

// gitRefSubs are subcommands that change what a branch, the index or a commit is while
// the files stay as they are.
func gitRefSubs() map[string]spec {
	rows := map[string]spec{
		"branch":       {lax: true, ok: "-u= --set-upstream-to= --contains= --no-contains= --merged? --no-merged? --points-at= --sort= --format=", exact: "-f -M -C --force --edit-description"},
		"reset":        {lax: true, ops: gitReset},
		"symbolic-ref": {lax: true, ok: "-m=", exact: "-d --delete", ops: onlyLooksAt(1)},
		"update-index": {lax: true, ok: "--chmod= --index-version=", exact: "--cacheinfo? --index-info --stdin"},
		"replace":      {lax: true, ok: "-l --list --format=", exact: "-e --edit -d --delete --graft --convert-graft-file", ops: onlyLooksAt(1)},
	}
	same(rows, spec{lax: true, whole: gitMovesOn}, gitPlumbing+" update-ref")
	return rows
}

// onlyLooksAt is for subcommands that only look when they are given at most n operands.
func onlyLooksAt(n int) func(*call) {
	return noted("git-only-looks-at "+fmt.Sprint(n), func(c *call) {
		if len(c.rest) > n {
			c.exactf("%s %s", c.name, gitMovesOn)
		}
	})
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

// gitTreeSubs are subcommands that work on files and objects.
func gitTreeSubs() map[string]spec {
	return map[string]spec{
		"add":                {lax: true, ok: "--chmod=", read: "--pathspec-from-file=", exact: "-e --edit -i --interactive -p --patch"},
		"commit":             {lax: true, ok: "-m= -C= -c= -S? -u? --message= --author= --date= --cleanup= --fixup= --squash= --trailer= --reuse-message= --reedit-message= --gpg-sign? --untracked-files?", read: "-F= -t= --file= --template= --pathspec-from-file=", exact: "-p --patch --interactive"},
		"tag":                {lax: true, ok: "-m= -u= -n? --message= --local-user= --sort= --format= --contains= --points-at= --cleanup=", read: "-F= --file="},
		"notes":              {lax: true, ok: "-m= -C= -c= --ref=", read: "-F= --file=", exact: "edit"},
		"apply":              {lax: true, ok: "-p= -C= --directory= --exclude= --include= --whitespace=", spill: "--build-fake-ancestor=", exact: "--unsafe-paths", ops: readAll},
		"am":                 {lax: true, ok: "-p= -C= -S? --directory= --exclude= --include= --whitespace= --patch-format= --gpg-sign?", exact: "-i --interactive", ops: readAll},
		"clean":              {lax: true, ok: "-e= --exclude=", ops: gitClean},
		"rm":                 {lax: true, read: "--pathspec-from-file=", ops: gitRemove},
		"blame":              {lax: true, ok: "-L= -M? -C? --date= --abbrev= --ignore-rev=", read: "-S= --contents= --ignore-revs-file=", exact: "--textconv"},
		"cat-file":           {lax: true, exact: "--textconv --filters"},
		"hash-object":        {lax: true, ok: "-t= --path=", exact: "-w", ops: readAll},
		"for-each-ref":       {lax: true, ok: "--sort= --format= --count= --contains= --points-at= --exclude="},
		"bundle":             {lax: true, stop: true, subs: map[string]spec{"create": {lax: true, ops: gitBundle}, "verify": {lax: true, ops: readAll}, "list-heads": {lax: true, ops: readFrom(0)}, "unbundle": {lax: true, ops: readFrom(0)}}},
		"fast-export":        {lax: true, spill: "--export-marks=", read: "--import-marks= --import-marks-if-exists="},
		"pack-objects":       {lax: true, ops: writeFirst},
		"repack":             {lax: true, write: "--filter-to= --expire-to="},
		"fmt-merge-msg":      {lax: true, ok: "-m=", read: "-F= --file="},
		"interpret-trailers": {lax: true, ok: "--trailer= --where= --if-exists= --if-missing=", ops: gitTrailers},
		"merge-file":         {lax: true, ok: "-L= --marker-size=", ops: mergeFileOps},
		"mailinfo":           {lax: true, exact: "-n", ops: gitMail},
		"mailsplit":          {lax: true, spill: "-o=", ops: readAll},
		"unpack-file":        {lax: true},
		"help":               {lax: true, exact: "-w --web -i --info -m --man"},
		"worktree":           {lax: true, stop: true, subs: map[string]spec{"add": {lax: true, ok: "-b= -B= --reason=", ops: gitWorktree}, "move": {lax: true, ops: gitWorktreeMove}}},
		"request-pull":       {lax: true, ops: gitRemote},
	}
}

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
	for _, w := range c.rest[min(1, len(c.rest)):] {
		_, to, _ := strings.Cut(w.Text, ":")
		moves = moves || to != "" && !strings.HasPrefix(to, "refs/remotes/") && !strings.HasPrefix(to, "refs/tags/")
	}
	if moves {
		c.exactf("%s %s", c.name, gitMovesOn)
	}
}

// gitRemotes: a remote by name is pushed to without a further question.
func gitRemotes(c *call) {
	gitRemote(c)
	if len(c.rest) > 0 && (c.rest[0].Text == "add" || c.rest[0].Text == "set-url" || c.rest[0].Text == "rename") {
		c.exactf("git remote %s changes where git fetches from and pushes to", c.rest[0].Text)
	}
}

func gitClone(c *call) {
	gitRemote(c)
	if len(c.rest) > 0 && (c.rest[0].Tilde || strings.HasPrefix(c.rest[0].Text, "/") || strings.HasPrefix(c.rest[0].Text, ".")) {
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

// gitPull: an interactive rebase opens an editor.
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

func gitWorktreeMove(c *call) {
	moveOps(c)
	for _, w := range c.rest {
		if !isBelow(w.Text) {
			c.exactf("git worktree moves a folder outside this one")
		}
	}
}

var gitStrategies = wordset.New("ours recursive resolve octopus subtree ort")

// gitStrategy: -s NAME runs git-merge-NAME.
func gitStrategy(c *call) {
	for _, w := range c.values("-s", "--strategy") {
		if !gitStrategies.Has(w.Text) {
			c.unsuref("%s -s runs a program of that name", c.name)
		}
	}
}

func gitForeach(c *call) {
	if len(c.rest) > 0 {
		c.exactf("git submodule foreach runs its words through a shell")
		c.m.Scripts = append(c.m.Scripts, Script{Text: joined(c.rest), args: true})
	}
}

func gitGrep(c *call) {
	if c.has("--no-index") {
		grepOps(c)
	}
}

var archiveFormats = wordset.New("tar zip tgz tar.gz")

// gitArchive: other formats are commands from the settings.
func gitArchive(c *call) {
	for _, w := range c.values("--format") {
		if !archiveFormats.Has(w.Text) {
			c.exactf("git archive --format runs what the settings say")
		}
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

func gitClean(c *call) {
	if c.has("-n", "--dry-run") && !c.hasLong("--no-dry-run") || !c.has("-f", "--force") && !c.hasLong("--force") {
		return
	}
	for _, w := range orHere(c.rest) {
		c.file(w, File{Write: true, Deletes: true, Tree: true})
	}
}

func gitRemove(c *call) {
	for _, w := range c.rest {
		if !c.has("--cached", "-n", "--dry-run") || c.hasLong("--no-cached") || c.hasLong("--no-dry-run") {
			c.file(w, File{Write: true, Deletes: true, Tree: c.has("-r")})
		}
	}
}

func gitWorktree(c *call) {
	c.first(func(w Word) {
		c.file(w, File{Write: true, Tree: true})
		if !isBelow(w.Text) {
			c.exactf("git worktree makes a folder outside this one")
		}
	})
}

func gitTrailers(c *call) {
	for _, w := range c.rest {
		c.file(w, File{Write: c.has("--in-place")})
	}
}

func mergeFileOps(c *call) {
	for i, w := range c.rest {
		c.file(w, File{Write: i == 0 && !c.has("-p", "--stdout")})
	}
}

func gitBundle(c *call) {
	c.exactf("git bundle create writes a file")
	c.first(c.writes)
}
