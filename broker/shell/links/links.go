// Package links says whether a command may change what paths lead to: it makes links, moves
// files, or puts whole trees in place, in which there may be links.
//
// Where a path leads is looked up before a line runs. Behind such a command nobody knows it any
// more, so the paths of the rest of the line are doubted (package shell, moves.go). In doubt a
// command does: a needless yes costs a question, a wrong no would let a line write through a
// link that it has made itself.
//
// Most such programs are a kind of package programs (Relinks). Here are those that do it with
// some words and not with others. It looks at the words alone, never at the disk.
package links

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Moves reports whether a command may change what paths lead to: it makes links, moves files or
// unpacks trees. argv has at least the program; words that are not known have no text, and are
// no reason.
func Moves(argv []command.Word) bool {
	name, words := path.Base(argv[0].Text), argv[1:]
	switch name {
	case "gln", "gmv", "gcp", "gtar":
		name = name[1:]
	}
	switch name {
	case "cp":
		return copiesLinks(words)
	case "tar", "bsdtar":
		return unpacks(words)
	case "unzip":
		return !command.OnlyShows(words)
	case "git":
		return gitMoves(words)
	// Some subcommands of theirs check out a branch.
	case "gh", "glab":
		return anyOf(words, "clone checkout sync download develop co")
	case "docker", "podman", "nerdctl", "kubectl", "oc":
		return anyOf(words, "cp rsync")
	}
	return programs.Is(programs.Relinks, name)
}

// anyOf looks for a subcommand anywhere, as these tools let options and groups stand before it.
func anyOf(words []command.Word, names string) bool {
	list := wordset.Map(names)
	for _, w := range words {
		if list[w.Text] {
			return true
		}
	}
	return false
}

// copiesLinks reports whether cp is given an option beyond those with which it makes
// plain files.
func copiesLinks(words []command.Word) bool {
	for i, w := range words {
		text, _, _ := strings.Cut(w.Text, "=")
		switch {
		case !strings.HasPrefix(text, "-") || text == "-":
		case text == "--":
			if i == 0 || !strings.HasPrefix(words[i-1].Text, "-") { // else it may be the value of -t
				return false
			}
		case strings.HasPrefix(text, "--"):
			if !copyPlain.Has(text) {
				return true
			}
		case strings.Trim(text[1:], "fivnpTuxbtZ") != "":
			return true
		}
	}
	return false
}

// copyPlain are the long options of cp with which a link is not copied as a link.
var copyPlain = wordset.New("--force --interactive --verbose --no-clobber --preserve --update --target-directory --no-target-directory --parents --backup --help --version")

// unpacks reports whether tar may be told to extract. Any x among the letters of an option
// counts, also one in its value.
func unpacks(words []command.Word) bool {
	for i, w := range words {
		name, _, _ := strings.Cut(w.Text, "=")
		switch {
		case strings.HasPrefix(name, "--"):
			if len(name) > 2 && (strings.HasPrefix("--extract", name) || strings.HasPrefix("--get", name)) {
				return true
			}
		case (i == 0 || strings.HasPrefix(name, "-")) && strings.Contains(name, "x"):
			return true
		}
	}
	return false
}

// gitStays are subcommands of git that leave the files of the project where they are.
var gitStays = wordset.New(`status diff log show add commit push fetch branch tag remote config rev-parse ls-files ls-remote
	ls-tree blame annotate grep describe shortlog clean rm notes cat-file rev-list merge-base for-each-ref check-ignore check-attr
	reflog init version help show-ref show-branch name-rev count-objects gc fsck archive format-patch var whatchanged diff-tree
	diff-index diff-files range-diff hash-object verify-commit verify-tag cherry update-index symbolic-ref update-ref
	prune pack-refs commit-graph maintenance --version --help -h -v`)

// gitMoves reports whether a git command may put other files in place. A subcommand that is not
// known may, and so may an alias from the settings.
func gitMoves(words []command.Word) bool {
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") && !gitStays.Has(words[0].Text) {
		// Options before the subcommand are stepped over; those that are not here have their
		// value attached, or none.
		takes := 1
		switch words[0].Text {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source":
			takes = 2
		}
		words = words[min(takes, len(words)):]
	}
	if len(words) == 0 {
		return false
	}
	second := ""
	if len(words) > 1 {
		second = words[1].Text
	}
	switch words[0].Text {
	case "stash":
		return second != "list" && second != "show"
	case "worktree":
		return second != "list"
	case "submodule":
		return second != "status" && second != "summary"
	case "restore":
		return !onlyIndex(words[1:], "--staged -S", "-q --quiet")
	case "reset":
		return !onlyIndex(words[1:], "", "-q --quiet --mixed --soft")
	}
	return !gitStays.Has(words[0].Text)
}

// onlyIndex reports whether the words behind git restore or git reset leave the files alone: each
// option is one of those named, and one of needed is there, if any is. Options may be shortened and
// clustered; such a one is none of them.
func onlyIndex(words []command.Word, needed, others string) bool {
	must, may := wordset.Map(needed), wordset.Map(others)
	ok := len(must) == 0
	for _, w := range words {
		switch {
		case !w.Known || w.Glob:
			return false
		case w.Text == "--":
			return ok
		case must[w.Text]:
			ok = true
		case strings.HasPrefix(w.Text, "-") && !may[w.Text]:
			return false
		}
	}
	return ok
}
