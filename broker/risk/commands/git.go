package commands

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// gitRules are about work and history that git would lose, and about what it runs. What can be
// had back from the reflog is a note.
func gitRules() []rule {
	return []rule{
		// Several rows may fit one push; merge and the order of classes see to what is told.
		{names: "git", sub: "push", when: forcesPush, why: "forces a push", says: pushes("overwrites")},
		{names: "git", sub: "push", when: deletesRemote, why: "deletes on the remote", says: pushes("deletes")},
		{names: "git", sub: "filter-branch|filter-repo", why: "rewrites history"},
		{names: "git-filter-repo bfg", why: "rewrites history"},
		{names: "git", sub: "reset", when: option("--hard", "--merge", "--keep"), why: "throws away uncommitted work"},
		{names: "git", sub: "checkout|switch", when: option("-f", "--force", "--discard-changes"), why: "throws away uncommitted work"},
		// Behind -- stand files, whose changes are gone without a trace.
		{names: "git", sub: "checkout", when: func(a cmdline.Command) bool { return a.Plain < len(a.Words) || a.Exactly(".", "./", ":/") }, why: "throws away changes to files", note: true},
		// Only with --staged, and nothing else, the files on the disk stay as they are.
		{names: "git", sub: "restore", when: func(a cmdline.Command) bool { return !a.Surely("-S", "--staged") || a.Has("-W", "--worktree") }, why: "throws away changes to files", note: true},
		{names: "git", sub: "clean", when: without("-n", "--dry-run"), why: "deletes untracked files"},
		{names: "git", sub: "stash clear", why: "throws away stashed work"},
		{names: "git", sub: "stash drop", why: "throws away stashed work", note: true},
		{names: "git", sub: "branch", when: func(a cmdline.Command) bool { return a.Has("-D") || a.Has("-d", "--delete") && a.Has("-f", "--force") }, why: "deletes unmerged branches"},
		{names: "git", sub: "branch", when: option("-f", "-M", "--force"), why: "moves a branch by force", note: true},
		{names: "git", sub: "worktree remove", when: option("-f", "--force"), why: "throws away uncommitted work"},
		{names: "git", sub: "reflog expire|delete", why: "destroys history"},
		{names: "git", sub: "gc", when: func(a cmdline.Command) bool {
			return slices.ContainsFunc(a.Values("--prune"), func(v string) bool { return v == "now" || v == "all" })
		}, why: "destroys history"},
		{names: "git", sub: "prune", when: without("-n", "--dry-run"), why: "destroys history"},
		{names: "git", sub: "update-ref", when: option("-d", "--delete", "--stdin"), why: "destroys history"},
		{names: "git", sub: "rebase|replace", why: "rewrites local commits", note: true},
		{names: "git", sub: "commit", when: option("--amend"), why: "rewrites the last commit", note: true},
		{names: "git", sub: "config", when: func(a cmdline.Command) bool { return a.Has("--global", "--system") && writesConfig(a) }, why: "changes git's settings for all projects"},
		// The user's own settings, and a setting that names a program, reach far beyond this
		// call.
		{names: "git", sub: "config", when: func(a cmdline.Command) bool { return writesConfig(a) && a.AnyWord(runsCode) }, why: "changes what git runs"},
		{names: "git", sub: "config", when: writesConfig, why: "changes git's settings", note: true},
		// -c sets for one command what config sets for all.
		{names: "git", when: func(a cmdline.Command) bool { return slices.ContainsFunc(a.Values("-c", "--config-env"), runsCode) }, why: "makes git run a program"},
		{names: "git", when: func(a cmdline.Command) bool { _, ok := a.Value("--exec-path"); return ok }, why: "makes git run other programs", note: true},
		{names: "git", sub: "remote set-url|add|rename", why: "changes where git pushes to", note: true},
		{names: "git", sub: "credential|credential-*", why: "reads a stored password"},
		{names: "git-credential-* docker-credential-*", why: "reads a stored password"},
		{names: "git", sub: "send-email", why: "sends a file to the network"},
		{names: "git", sub: "push", why: "pushes to a remote", note: true},
	}
}

// forcesPush reports whether a push may overwrite, by an option or by a "+" before a branch.
func forcesPush(a cmdline.Command) bool {
	if a.Has("-f", "--force", "--mirror", "--force-with-lease", "--force-if-includes") {
		return true
	}
	return slices.ContainsFunc(a.Operands(), func(w string) bool { return strings.HasPrefix(w, "+") })
}

// deletesRemote reports whether a push takes a branch away, by an option or by ":branch".
func deletesRemote(a cmdline.Command) bool {
	if a.Has("-d", "--delete", "--prune") {
		return true
	}
	return slices.ContainsFunc(a.Operands(), func(w string) bool { return len(w) > 1 && strings.HasPrefix(w, ":") })
}

// writesConfig reports whether git config, with these words, changes anything. An option that
// only shows has to be there for sure.
func writesConfig(a cmdline.Command) bool {
	return !a.Surely(ConfigGets...) && (a.Has(ConfigSets...) || ConfigSetsKey(a))
}

// Options with which git config only shows settings, and with which it changes some.
var (
	ConfigGets = []string{"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color", "--get-colorbool"}
	ConfigSets = []string{"--add", "--unset", "--unset-all", "--replace-all", "--rename-section", "--remove-section", "-e", "--edit"}
)

// ConfigSetsKey reports whether the operands of git config are a key and a value for it.
func ConfigSetsKey(a cmdline.Command) bool {
	ops := a.Operands()
	if file, ok := a.Value("-f", "--file"); ok && len(ops) > 0 && ops[0] == file {
		ops = ops[1:]
	}
	if len(ops) == 0 || ops[0] == "get" || ops[0] == "list" {
		return false
	}
	return len(ops) > 1 || ops[0] == "edit"
}

// runsCode reports whether a setting of git, with or without its value, names a program to run
// or a place for more settings. Keys are compared by their section or by their last name, as
// git's are made of both.
func runsCode(word string) bool {
	key := pathtable.Fold(word)
	key, value, _ := strings.Cut(key, "=")
	// A pager that only shows is how agents keep git from waiting.
	if value == "cat" || value == "less" {
		return false
	}
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	if section == key {
		return false
	}
	switch section {
	case "alias", "include", "includeif", "filter", "credential", "pager", "sequence", "man", "browser", "sendemail":
		return true
	}
	switch last {
	case "hookspath", "sshcommand", "pager", "editor", "fsmonitor", "gitproxy", "askpass", "command", "textconv", "driver",
		"cmd", "program", "proxy", "uploadpack", "receivepack", "vcs", "helper", "external", "pushurl", "insteadof",
		"pushinsteadof", "worktree", "attributesfile", "templatedir", "alternaterefscommand", "diffcommand", "difffilter":
		return true
	}
	return false
}
