package rules

import (
	"os"
	"syscall"
	"testing"
)

// everydayRules are rules of somebody who trusts plain programs.
func everydayRules(t *testing.T) *Set {
	t.Helper()
	var list []Rule
	for _, p := range []string{"go *", "./go *", "cp *", "mkdir *", "mv *", "git status", "ls *", "tr *", "xargs *", "rm *", "echo *", "cat *", "sort *", "find *"} {
		list = append(list, rule(Allow, "Bash", "command", p))
	}
	return set(t, list...)
}

// wants checks the verdicts of lines that a trusted session asks about.
func wants(t *testing.T, w world, want Verdict, lines ...string) {
	t.Helper()
	rules := everydayRules(t)
	for _, line := range lines {
		q := w.bash(t, line)
		q.Trusted = true
		if a := judge(t, rules, Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s, want %s: %s", line, a.Verdict, want, a.Reason)
		}
	}
}

// A subcommand of go is no file, though the project has a file of that name: here env
// is a link to .env.
func TestSubcommandOfGo(t *testing.T) {
	w := newWorld(t)
	wants(t, w, Allow, "go env GOPATH", "go env", "go version")
	wants(t, w, Ask, "go run env", "go vet env", "go doc .env", "./go env", "go .env", "go -C . env", "go envy .env")
}

// link makes a link in the project.
func (w world) link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, w.project+"/"+name); err != nil {
		t.Fatal(err)
	}
}

// A copy that makes a folder below the project runs by the rule about cp.
func TestCopyMakesFolder(t *testing.T) {
	w := newWorld(t)
	w.place.Own = nil
	w.link(t, "src", "code")
	wants(t, w, Allow,
		"cp -r templates/base new-project", "cp -r src new", "cp -R src new", "cp -a src new/", "cp -rp src "+w.project+"/new", "cp --recursive src new",
		"cp -r src/. new", "cp -r templates src", "cp -r templates code", "mkdir -p a/b && cp -r src a/b", "cp -r src new && ls",
	)
}

// Attack: a copy puts settings into a folder where an agent is or looks for them.
func TestCopyBringsSettings(t *testing.T) {
	w := newWorld(t)
	w.place.Own = nil // in the project they would make many of these lines ask
	w.link(t, ".", "here")
	w.link(t, "..", "src/up")
	w.link(t, ".claude", "conf")
	w.link(t, ".github", "gh")
	w.link(t, w.root+"/shop-evil", "out")
	w.link(t, ".", "src/loose")
	w.link(t, "\u00e4", "umlaut")
	for _, dir := range []string{"/\u00e4", "/sub/deep", "/new/.claude", "/.config"} {
		if err := os.MkdirAll(w.project+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, w, Ask,
		"cp -r x .", "cp -r x/. .", "cp -r x "+w.project, "cp -r x ./", "cp -r x src/..", "cp -r x/. new", "cp -r x/ new", "cp -r x/.. new", "cp -r x/.claude new",
		"cp -r x here", "cp -r x/. here", "cp -r x here/.", "cp -r up src", "cp -r loose src", "cp -r x src/up", "cp -r x src/up/.github", "cp -r x conf", "cp -r x gh", "cp -r x out", "cp -r x out/y", "cp -r x umlaut/y",
		"cp -r x .claude", "cp -r x .claude/hooks", "cp -r x .github", "cp -r x .github/hooks", "cp -r x .vscode", "cp -r x .config/y", "cp -r x managed-settings.d", "cp -r .github src", "cp -r src/x/.claude new2",
		"cp -r x y new2", "cp -r x -t new2", "cp -rt new2 x", "cp -r --target-directory=new2 x", "cp -rT x new2", "cp -r --parents x new2", "cp -rL x new2",
		"cp x -r new2", "cp -r -- x new2", "cp -r x* new2", "cp -r x new*", "cp -r x $Y", "cp -r $X new2", "cp -r x ~/new2", "cp -r x '~/new2'", "cp -r x /tmp/new2", "cp -r x ../new2",
		"mkdir y && cd y && cp -r ../x/. .", "cp -r x y && cd y", "cp -r x y && cd y && git status", "cd sub && cp -r ../x y", "pushd src; cp -r x y",
		"ln -s . y; cp -r x y", "cp -a x y && cp -r z y/q", "mv here y && cp -r x y", "for i in 1 2; do cp -r x y; done", "echo x | xargs cp -r x y", "find . -maxdepth 1 -exec cp -r x y ';'", "find . -execdir cp -r x y ';'", "timeout 5 cp -r x y", "sh -c 'cp -r x y'", "cp -r x y | cp -r x y",
	)
	q := w.bash(t, "cp -r x new2")
	for name, change := range map[string]func(*Question){
		"nobody knows what is there":      func(q *Question) { q.Exists = nil },
		"the project holds the home":      func(q *Question) { q.Place.Home = q.Place.Project + "/sub" },
		"no home":                         func(q *Question) { q.Place.Home = "" },
		"no project":                      func(q *Question) { q.Place.Project = "" },
		"another project":                 func(q *Question) { q.Place.Project += "/src" },
		"aoctl's own files will be there": func(q *Question) { q.Place.Own = []string{w.project + "/new2/state"} },
		"the session is in that folder":   func(q *Question) { q.Place.CWD = w.project + "/new2" },
	} {
		changed := q
		change(&changed)
		if name == "the session is in that folder" {
			changed.Input = w.bash(t, "cp -r ../x/. .").Input
		}
		if a := judge(t, everydayRules(t), Prepare(changed)); a.Verdict != Ask {
			t.Errorf("%s: %s", name, a.Reason)
		}
	}
	deep := w.bash(t, "cp -r x/deep ..") // fills the session's folder
	deep.Place.CWD = w.project + "/sub/deep"
	if a := judge(t, everydayRules(t), Prepare(deep)); a.Verdict != Ask {
		t.Errorf("above the session: %s", a.Reason)
	}
}

// A file of the project that a line reads by < is as if Read had read it; what reads it
// needs its own rule.
func TestRedirectedReads(t *testing.T) {
	w := newWorld(t)
	wants(t, w, Allow,
		"tr a-z A-Z < go.mod", "xargs -n1 echo < go.mod", "sort < src/a.go | tr a b", "tr a b < "+w.project+"/go.mod", "tr a b < src/../go.mod",
	)
	q := w.bash(t, "tr a b < go.mod")
	if a := judge(t, everydayRules(t), Prepare(q)); a.Verdict != Ask {
		t.Errorf("not trusted: %s", a.Reason)
	}
}

// Attack: a redirection reads what the Read tool may not, or feeds what is not allowed.
func TestRedirectedReadsOfOthers(t *testing.T) {
	w := newWorld(t)
	w.link(t, w.root+"/shop-evil/x", "leak")
	w.link(t, w.root+"/home/ana/.ssh/id", "key")
	if err := syscall.Mkfifo(w.project+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	w.link(t, "pipe", "topipe")
	wants(t, w, Ask,
		"tr a b < leak", "tr a b < link/x", "tr a b < src/../link/x", "tr a b < key", "tr a b < loop", "tr a b < dangling", "tr a b < missing", "tr a b < ../shop-evil/x", "tr a b < "+w.root+"/shop-evil/x",
		"tr a b < .env", "tr a b < env", "tr a b < ~/.ssh/id", "tr a b < '~/.ssh/id'", "tr a b < .claude/settings.json", "tr a b < state/aoctl.db", "tr a b < state",
		"tr a b < /dev/tcp/h/80", "tr a b < /dev/sda", "tr a b < /proc/self/environ", "tr a b < pipe", "tr a b < topipe",
		"tr a b < go.*", "tr a b < $F", "tr a b < $(echo go.mod)", "tr a b <> go.mod", "tr a b < src/\u00e4.go", "tr a b < 'src/a.go '",
		"ln -s / y; tr a b < y/etc/passwd", "mv leak go.mod; tr a b < go.mod", "cp -a x src && tr a b < src/a.go", "echo x > link/n; tr a b < link/n", "cd src && cd ../link && tr a b < x", "cd $D && tr a b < x",
		"xargs rm < go.mod", "xargs < leak", "xargs sh -c < go.mod", "xargs -I{} rm {} < go.mod", "sh < go.mod", "python3 < go.mod", "while read l; do rm $l; done < go.mod", "wc < go.mod",
	)
}
