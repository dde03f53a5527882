package risk

import (
	"encoding/json"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

func TestSafeCommands(t *testing.T) {
	for _, line := range []string{
		"ls", "ls -la src", "cat a.go b.go", "head -n 20 a", "tail -5 a", "wc -l a", "grep -rn foo src", "grep /api src/a.go", "rg -n foo", "find . -name '*.go' -type f", "git status", "git status -sb",
		"git diff --stat HEAD~1", "git log --oneline -5", "git --no-pager log main..dev", "git show HEAD:a.go", "git branch", "git branch -a", "git branch --list x", "git rev-parse HEAD", "git ls-files", "git blame a.go", "git stash list", "git remote -v",
		"pwd", "echo hello", "which go", "file a", "stat a", "du -sh .", "df -h", "date +%s", "uname -a", "whoami", "jq .a a.json", "sort -u a", "uniq -c a", "cut -d: -f1 a", "tr a b", "diff a b", "tree -L 2", "sed -n 1,20p a", "sed -n -E 1p a", "sed -r -n 1p a", "sed -n '$p' a",
		"node --version", "python3 --version", "sed s/a/b/ a", "awk 1 a", "ls /usr/include", "cat /home/u/src/app/a.go", "test -f a", "sleep 1", "base64 a",
	} {
		if r := assessLine(run(line)); r.Class != Safe || r.Why == "" {
			t.Errorf("%s: %v %+v", line, r.Class, r.Findings)
		}
	}
	for _, line := range []string{
		"make", "npm test", "go version", "go env GOPATH", "go list ./...", "cargo --version", "npm outdated", "npm view x", "awk -f p a", "rm a", "cat /tmp/x", "grep x /etc/passwd", "sed -n 1p /etc/passwd", "jq . /etc/passwd", "touch a", "cat /etc/passwd", "cat ../other/a", "ls ~", "head --bytes=5 /etc/passwd", "grep -f/etc/passwd a", "find . -delete", "find . -exec ls {} +", "find . -fprint x", "rg --pre x foo", "rg --pr x foo", "sort -o a b", "sort -uo a b",
		"sort --out=a b", "sort --compress-prog=x a", "uniq a b", "tree -o a", "date -s now", "git checkout x", "git branch x", "git branch -d x", "git tag v1", "git remote add a b", "git stash", "git diff --output=a", "git diff --outp=a", "git diff --no-index /etc/passwd a",
		"git grep -O x", "git -C /other status", "git -c a.b=c status", "git diff --ext-diff", "git config --list", "git fetch", "git stash pop", "git worktree add x", "sed -i 1p a", "sed -n w a", "sed -n 1e a", "go env -w A=b", "go build", "go vet", "go list -toolexec=x", "go test",
		"node a.js", "node --version a.js", "python3 -c x", "cargo build", "npm run ls", "npm ls", "npm ls --prefix /x", "./ls", "/bin/ls", "LS", "jq -f a b", "xxd -r a", "file -C a", "hostname x", "env ls", "''", "cat ''", "du --files0-from=a", "printf -v a b", "yq -i .a b",
	} {
		if r := assessLine(run(line)); r.Class == Safe {
			t.Errorf("%s: safe", line)
		}
	}
}

// Where no project is known nothing is inside of it.
func TestNothingIsSafeWithoutAProject(t *testing.T) {
	at := place()
	at.Project = ""
	for _, line := range []string{"ls", "pwd", "echo x", "git status"} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(run(line))}, at); r.Class == Safe {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

func TestSafeLines(t *testing.T) {
	exact, neutral := run("ls"), run("whatever")
	exact.Exact, neutral.Neutral = "code", true
	for _, c := range []struct {
		name string
		line []shell.Element
		want Class
	}{
		{"two readers", []shell.Element{run("ls"), run("cat a"), read("a")}, Safe},
		{"wrapped", []shell.Element{via(run("ls"), "timeout", "nice")}, Safe},
		{"through xargs", []shell.Element{via(run("cat"), "xargs")}, Normal},
		{"through a shell", []shell.Element{via(run("ls"), "bash -c")}, Normal},
		{"neutral", []shell.Element{neutral, run("ls")}, Safe},
		{"reads outside", []shell.Element{run("cat x"), read("/home/u/other/x")}, Normal},
		{"reads through a link", []shell.Element{run("cat x"), read("link/x")}, Normal},
		{"reads shared files", []shell.Element{run("cat x"), read("/usr/share/dict/words")}, Safe},
		{"writes", []shell.Element{run("echo x"), write("a")}, Normal},
		{"writes to nothing", []shell.Element{run("ls"), write("/dev/null")}, Safe},
		{"one is not", []shell.Element{run("ls"), run("make")}, Normal},
		{"exact", []shell.Element{exact}, Normal},
		{"cd below", []shell.Element{in("src", run("ls"))}, Safe},
		{"cd outside", []shell.Element{in("/etc", run("ls"))}, Normal},
		{"cd up", []shell.Element{in("..", run("ls"))}, Normal},
		{"cd home", []shell.Element{in("~", run("ls"))}, Normal},
		{"cd nobody knows where", []shell.Element{lost(run("ls"))}, Normal},
		{"a .. after a link", []shell.Element{run("cat x"), read("link/../a")}, Normal},
		{"nothing", nil, Normal},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, assessLine(c.line...), c.want, "") })
	}
}

func TestSafeNeedsMore(t *testing.T) {
	l := lineOf(run("ls"))
	for name, c := range map[string]Call{
		"unknown parameter": {Tool: "Bash", Line: l, Input: json.RawMessage(`{"command":"ls","env":{"A":"b"}}`)},
		"another folder":    {Tool: "Bash", Line: l, Input: json.RawMessage(`{"command":"ls","cwd":"/"}`)},
		"no sandbox":        {Tool: "Bash", Line: l, Input: json.RawMessage(`{"command":"ls","dangerouslyDisableSandbox":true}`)},
		"not read":          {Tool: "Bash", Line: &shell.Line{Raw: "ls", Elements: l.Elements}},
		"no line":           {Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
	} {
		if r := Assess(c, place()); r.Class != Normal {
			t.Errorf("%s: %v", name, r.Class)
		}
	}
	fine := Call{Tool: "Bash", Line: l, Input: json.RawMessage(`{"command":"ls","description":"x","timeout":5}`)}
	check(t, Assess(fine, place()), Safe, "")
	at := place()
	at.Project = ""
	check(t, Assess(fine, at), Normal, "")
	at = place()
	at.CWD = "/home/u"
	check(t, Assess(fine, at), Normal, "")
}
