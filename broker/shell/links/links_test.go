package links

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell/command"
)

// What makes links, moves files or unpacks trees may lead a later redirection elsewhere.
func TestRelinks(t *testing.T) {
	for _, line := range []string{
		"ln -s a b", "gln -s a b", "/bin/ln a b", "mv a b", "gmv a b", "rsync a b", "cpio -i", "7z x a.7z",
		"cp -a a b", "gcp -a a b", "cp -R a b", "cp -fr a b", "cp --archive a b", "cp --no-dereference a b", "cp -t -- -a a", "cp -f -- -a a", "cp - -a b",
		"tar xf a", "gtar xf a", "tar -xf a", "bsdtar -xf a", "tar -v -xf a", "tar --extract -f a", "tar --ex -f a", "tar --get -f a", "tar --g -f a", "tar -f a --ext",
		"unzip a", "unzip -q a", "unzip -q1 a", "unzip -o a", "unzip a -d -l", "unzip -d -l a", "unzip -P -l a", "unzip -o -P -l a", "unzip a -x -p", "unzip - a", "unzip", "unzip -l --l a", "unzip -l -d b -q-l a",
		"git checkout a", "git -C d checkout a", "git -c a=b pull", "git --git-dir d merge a", "git --git-dir=d merge a", "git --work-tree log merge", "git --namespace log merge",
		"git --exec-path log merge", "git --super-prefix log merge", "git --config-env log merge", "git --attr-source log merge", "git -c log merge", "git -C log merge",
		"git -p apply a", "git zzz", "git stash", "git stash pop", "git worktree add a", "git submodule", "git submodule update", "git restore a", "git restore --staged --worktree a", "git restore -SW a", "git restore -- --staged", "git restore --staged -p", "git reset --hard", "git reset --har", "git reset --merge x", "git reset --recurse-submodules", "git submodule --quiet status",
		"gh pr checkout 1", "glab repo clone a", "docker cp a:b c", "podman cp a:b c", "nerdctl cp a:b c", "kubectl cp a:b c", "oc rsync a:b c",
	} {
		if !Moves(asWords(line)) {
			t.Errorf("%s is not known to move files", line)
		}
	}
	for _, line := range []string{
		"a", "cat a", "cp a b", "gcp a b", "cp -f a b", "cp -- -a b", "cp a -- -a b", "cp - b", "cp --force --preserve=mode a b", "cp -fivnpTuxbtZ a b", "tar cf a b", "tar -cf a b", "tar tf ax", "tar -t --exclude=b -f a", "tar -- a",
		"unzip -l a", "unzip -q -l a", "unzip -ql a", "unzip -t a", "unzip -v a", "unzip -p a", "unzip -z a", "unzip -Z1 a", "unzip -c a", "unzip -l a-b", "unzip -cq a",
		"git status", "git -C checkout status", "git -c checkout log", "git --no-pager log", "git --version", "git", "git -C", "git stash list", "git stash show", "git worktree list", "git submodule status", "git submodule summary", "git restore --staged .", "git restore -S -q a", "git reset", "git reset -q --soft HEAD~1", "git reset -- a",
		"gh pr list", "docker ps", "kubectl get cp-1", "gcat ln",
	} {
		if Moves(asWords(line)) {
			t.Errorf("%s is said to move files", line)
		}
	}
}

func asWords(line string) []command.Word {
	var words []command.Word
	for _, text := range strings.Fields(line) {
		words = append(words, command.Word{Text: text, Known: true, Raw: text})
	}
	return words
}
