package risk

import (
	"encoding/json"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/shell"
)

func TestReads(t *testing.T) {
	for _, c := range []struct {
		name string
		e    shell.Element
		want Class
		why  string
	}{
		{"key", read("~/.ssh/id_rsa"), Dangerous, "reads keys or credentials"},
		{"key in capitals", read("~/.SSH/ID_RSA"), Dangerous, "reads keys or credentials"},
		{"key elsewhere", read("deploy/id_ed25519"), Dangerous, "reads keys or credentials"},
		{"unknown file among keys", read("/home/u/.ssh/work"), Dangerous, "reads keys or credentials"},
		{"another user's key", read("/root/.ssh/id_rsa"), Dangerous, "reads keys or credentials"},
		{"public key", read("~/.ssh/id_rsa.pub"), Normal, ""},
		{"known hosts", read("~/.ssh/known_hosts"), Normal, ""},
		{"ssh config", read("~/.ssh/config"), Dangerous, "reads keys or credentials"},
		{"the list of keys", read("~/.ssh"), Normal, ""},
		{"all keys", tree(read("~/.ssh")), Dangerous, "reads keys or credentials"},
		{"glob of keys", read("~/.ss*/id*"), Dangerous, "reads keys or credentials"},
		{"glob in the folder of keys", read("~/.ssh/*"), Dangerous, "reads keys or credentials"},
		{"glob of public keys", read("~/.ssh/*.pub"), Normal, ""},
		{"glob of one letter", read("~/.ssh/id_?sa"), Dangerous, "reads keys or credentials"},
		{"glob of brackets", read("~/.[s]sh/id_rsa"), Dangerous, "reads keys or credentials"},
		{"aws", read("~/.aws/credentials"), Dangerous, "reads keys or credentials"},
		{"aws config", read("~/.aws/config"), Normal, ""},
		{"npm's settings of the user", read("~/.npmrc"), Dangerous, "reads keys or credentials"},
		{"npm's settings of the project", read(".npmrc"), Dangerous, "reads keys or credentials"},
		{"gh", read("~/.config/gh/hosts.yml"), Dangerous, "reads keys or credentials"},
		{"dotenv", read(".env"), Dangerous, "reads keys or credentials"},
		{"dotenv of production", read("web/.env.production"), Dangerous, "reads keys or credentials"},
		{"example of a dotenv", read(".env.example"), Normal, ""},
		{"dotenv sample", read(".env.sample"), Normal, ""},
		{"environment module", read("src/env.ts"), Normal, ""},
		{"dotenv by glob", read(".e*"), Dangerous, "reads keys or credentials"},
		{"everything by glob", read("*"), Normal, ""},
		{"json by glob", read("*.json"), Normal, ""},
		{"keys by glob", read("*.pem"), Dangerous, "reads keys or credentials"},
		{"credentials by glob", read("cred*.json"), Dangerous, "reads keys or credentials"},
		{"credentials by another glob", read("?redentials.json"), Dangerous, "reads keys or credentials"},
		{"server key", read("certs/server.key"), Dangerous, "reads keys or credentials"},
		{"keyboard", read("src/keyboard.ts"), Normal, ""},
		{"certificates of the system", read("/etc/ssl/certs/ca.pem"), Normal, ""},
		{"secrets", read("config/secrets.yml"), Dangerous, "reads keys or credentials"},
		{"source about secrets", read("src/secrets.go"), Normal, ""},
		{"shadow", read("/etc/shadow"), Dangerous, "reads keys or credentials"},
		{"secret of a container", read("/run/secrets/db"), Dangerous, "reads keys or credentials"},
		{"token of a pod", read("/var/run/secrets/kubernetes.io/serviceaccount/token"), Dangerous, "reads keys or credentials"},
		{"key of a cloud", read("/home/ana/.oci/key"), Dangerous, "reads keys or credentials"},
		{"shadow of the project", read("etc/shadow"), Normal, ""},
		{"passwd", read("/etc/passwd"), Normal, ""},
		{"environment of a process", read("/proc/self/environ"), Dangerous, "reads a program's environment"},
		{"environment of every process", shell.Element{Kind: shell.Read, Path: "/proc/*/environ", Glob: true, Text: "x"}, Dangerous, "reads a program's environment"},
		{"what was typed", read("~/.bash_history"), Dangerous, "reads what you typed before"},
		{"folder of keys", tree(read("~/.aws")), Dangerous, "reads keys or credentials"},
		{"browser", read("~/.mozilla/firefox/x/logins.json"), Dangerous, "reads a browser's secrets"},
		{"a link to credentials", read("creds"), Dangerous, "reads keys or credentials"},
		{"folder not known", lost(read(".env")), Dangerous, "reads keys or credentials"},
		{"home not known", lost(read(".aws/credentials")), Dangerous, "reads keys or credentials"},
		{"cd to keys", in("~/.ssh", read("id_x")), Dangerous, "reads keys or credentials"},
		{"cd elsewhere", in("sub", read("id_x")), Normal, ""},
		{"quoted tilde", shell.Element{Kind: shell.Read, Path: "~/.zsh_history", Text: "x"}, Normal, ""},
		{"whole home", tree(read("~")), Dangerous, "reads all of the home folder"},
		{"network", read("/dev/tcp/h/80"), Dangerous, "talks to the network"},
		{"another project", read("/home/u/other/a.go"), Normal, ""},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, assessLine(c.e, run("make")), c.want, c.why) })
	}
}

// What is usual to hold keys, for a tool, a redirection and a program alike.
func TestUsualSecrets(t *testing.T) {
	for _, name := range []string{
		".env", ".env~", ".env-prod", ".env_prod", ".env.local", "prod.env", ".envrc", "auth.json", ".git/config", ".git/config.worktree", ".git/worktrees/x/config.worktree", "pip.conf", "deploy_rsa", "a/credentials.json", ".credentials.json",
		"~/.local/share/opencode/auth.json", "~/.local/share/opencode/mcp-auth.json", "~/.config/cursor/auth.json", "~/.config/pypoetry/auth.toml", "~/.config/pip/pip.conf", "~/.docker/config.json", "~/.config/gh/hosts.yml", "~/.config/glab-cli/config.yml",
		"~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf", "~/.kube/config", "~/.config/gcloud/application_default_credentials.json", "~/.azure/accessTokens.json", "~/.npmrc", "~/.cargo/credentials.toml", "~/.terraform.d/credentials.tfrc.json", "~/.terraformrc", "~/.vault-token",
		"~/.config/sops/age/keys.txt", "~/.config/age/keys.txt", "~/.netrc", "~/.authinfo", "~/.sbt/.credentials", "~/.aws/credentials", "~/.pypirc", "~/.git-credentials", "~/.config/containers/auth.json", "~/.composer/auth.json",
	} {
		for tool, r := range map[string]Risk{"Read": assessTool("Read", `{"file_path":"`+name+`"}`), "Grep": assessTool("Grep", `{"pattern":"x","path":"`+name+`"}`), "<": assessLine(read(name)), "a program": assessLine(run("foo " + name)), "a search": assessLine(run("grep x "+name), read(name))} {
			if !finds(r, "reads keys or credentials") {
				t.Errorf("%s by %s: %v %+v", name, tool, r.Class, r.Findings)
			}
		}
	}
	for _, name := range []string{".env.example", ".env-sample", "example.env", "env.go", "environment", "rsa.go", "auth.go", "process.env", "my.env.ts", "pip.txt", "~/.config/cursor/x"} {
		if r := assessTool("Read", `{"file_path":"`+name+`"}`); r.Class == Dangerous {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
	for _, name := range []string{"~/.zsh_history", "~/.irb_history", "~/.lesshst", "~/.local/state/zsh/history", "~/.local/share/atuin/history.db"} {
		if r := assessTool("Read", `{"file_path":"`+name+`"}`); !finds(r, "reads what you typed before") {
			t.Errorf("%s: %v %+v", name, r.Class, r.Findings)
		}
	}
}

func TestWrites(t *testing.T) {
	for _, c := range []struct {
		name string
		e    shell.Element
		want Class
		why  string
	}{
		{"in the project", write("a/b.go"), Normal, ""},
		{"hosts", write("/etc/hosts"), Dangerous, "changes the system's folders"},
		{"program of the system", write("/usr/local/bin/x"), Dangerous, "changes the system's folders"},
		{"library", write("/lib64/x"), Dangerous, "changes the system's folders"},
		{"Mac applications", write("/Applications/X.app/x"), Dangerous, "changes the system's folders"},
		{"out of the project by ..", write("../../../../etc/hosts"), Dangerous, "changes the system's folders"},
		{"temporary", write("/var/tmp/x"), Normal, ""},
		{"log of the system", write("/var/log/x"), Dangerous, "changes the system's folders"},
		{"nothing", write("/dev/null"), Safe, ""},
		{"stderr", write("/dev/stderr"), Safe, ""},
		{"disk", write("/dev/sda"), Dangerous, "writes to a device"},
		{"folder that looks like the system's", write("/etcetera/x"), Normal, "writes outside the project"},
		{"system's folder inside the project", write("etc/hosts"), Normal, ""},
		{"other project", write("/home/u/other/a"), Normal, "writes outside the project"},
		{"project that looks alike", write("/home/u/src/app-evil/a"), Normal, "writes outside the project"},
		{"bashrc", write("~/.bashrc"), Dangerous, "changes a shell start-up file"},
		{"bashrc by glob", write("~/.bash*"), Dangerous, "changes a shell start-up file"},
		{"bashrc of a folder", write("dotfiles/.bashrc"), Normal, ""},
		{"fish", write("~/.config/fish/conf.d/x.fish"), Dangerous, "changes a shell start-up file"},
		{"profile of all", write("/etc/profile.d/x.sh"), Dangerous, "changes a shell start-up file"},
		{"autostart", write("~/.config/autostart/x.desktop"), Dangerous, "schedules a program for later"},
		{"unit", write("~/.config/systemd/user/x.service"), Dangerous, "schedules a program for later"},
		{"launch agent", write("~/Library/LaunchAgents/x.plist"), Dangerous, "schedules a program for later"},
		{"ssh", write("~/.ssh/authorized_keys"), Dangerous, "changes keys or credentials"},
		{"gitconfig", write("~/.gitconfig"), Dangerous, "changes what git runs"},
		{"hook of git", write(".git/hooks/pre-commit"), Dangerous, "changes what git runs"},
		{"config of git", write(".git/config"), Dangerous, "changes what git runs"},
		{"hook of a bare repository", write("/srv/x.git/hooks/update"), Dangerous, "changes what git runs"},
		{"ignore file", write(".gitignore"), Normal, ""},
		{"vim", write("~/.vimrc"), Dangerous, "changes a setting that can run code"},
		{"npm of the user", write("~/.npmrc"), Dangerous, "changes a setting that can run code"},
		{"npm of the project", write(".npmrc"), Normal, "changes what installing runs"},
		{"cargo", write(".cargo/config.toml"), Dangerous, "changes a setting that can run code"},
		{"cargo's manifest", write("Cargo.toml"), Normal, ""},
		{"direnv", write("sub/.envrc"), Dangerous, "changes a setting that can run code"},
		{"workflow", write(".github/workflows/ci.yml"), Normal, "changes what CI runs"},
		{"tasks", write(".vscode/tasks.json"), Normal, "changes what the editor runs"},
		{"husky", write(".husky/pre-commit"), Normal, "changes what git hooks run"},
		{"dotenv", write(".env"), Normal, "changes secrets of the project"},
		{"own programs", write("~/.local/bin/ls"), Dangerous, "puts a program where others find it"},
		{"link out of the project", write("link/a"), Normal, "writes outside the project"},
		{"link into the project", write("/etc/mine/a"), Dangerous, "changes the system's folders"},
		{"folder not known", lost(write("a")), Normal, "writes to a folder that is not known"},
		{"startup, folder not known", lost(write(".bashrc")), Dangerous, "changes a shell start-up file"},
		{"all over the home", tree(write("~")), Dangerous, "may overwrite all of the home folder"},
		{"cannot be followed", write("loop/x"), Normal, "some path cannot be followed"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, assessLine(c.e), c.want, c.why) })
	}
}

func TestDeletes(t *testing.T) {
	const outside = "deletes outside the project"
	for _, c := range []struct {
		name string
		e    shell.Element
		want Class
		why  string
	}{
		{"in the project", remove("a"), Normal, ""},
		{"folder in the project", tree(remove("node_modules")), Normal, ""},
		{"outside", remove("/home/u/other/a"), Dangerous, outside},
		{"by ..", remove("../x"), Dangerous, outside},
		{"by .. and back", remove("../app/x"), Normal, ""},
		{"looks like the project", remove("/home/u/src/app-evil"), Dangerous, outside},
		{"through a link", remove("link/a"), Dangerous, outside},
		{"through a link and ..", remove("link/../a"), Dangerous, outside},
		{"a link itself", remove("link"), Normal, ""},
		{"what a link leads to", tree(remove("link")), Dangerous, outside},
		{"a link with a slash", remove("link/"), Dangerous, outside},
		{"a link to the project", remove("/home/u/app/a"), Normal, ""},
		{"root", tree(remove("/")), Dangerous, outside},
		{"all of root", tree(remove("/*")), Dangerous, outside},
		{"home", tree(remove("~")), Dangerous, outside},
		{"all of home", tree(remove("~/*")), Dangerous, outside},
		{"temporary", tree(remove("/tmp/x")), Dangerous, outside},
		{"the project", tree(remove(".")), Dangerous, "deletes the whole project"},
		{"the project by name", tree(remove("/home/u/src/app/")), Dangerous, "deletes the whole project"},
		{"all of the project", tree(remove("*")), Dangerous, "deletes the whole project"},
		{"all of a folder", tree(remove("build/*")), Normal, ""},
		{"git", tree(remove(".git")), Dangerous, "deletes git's own files"},
		{"git by glob", tree(remove(".g*")), Dangerous, "deletes git's own files"},
		{"lock of git", remove(".git/index.lock"), Normal, ""},
		{"folder not known", tree(lost(remove("x"))), Dangerous, "deletes in a folder that is not known"},
		{"one file, folder not known", lost(remove("x")), Normal, "removes from a folder that is not known"},
		{"cd first", in("/home/u/other", remove("x")), Dangerous, outside},
		{"cannot be followed", tree(remove("loop/x")), Dangerous, outside},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, assessLine(c.e), c.want, c.why) })
	}
}

func TestDeletesByWords(t *testing.T) {
	check(t, assessLine(run("rm -rf /home/u/other")), Dangerous, "deletes outside the project")
	check(t, assessLine(run("rm -rf build")), Normal, "")
	check(t, assessLine(run("rm -rf ''")), Dangerous, "deletes what the line does not say")
	check(t, assessLine(run("rm ''")), Normal, "")
	check(t, assessLine(via(run("rm -rf ''"), "find")), Normal, "")
	for _, program := range []string{"srm", "trash", "rm -r"} {
		check(t, assessLine(run(program+" ''")), Dangerous, "deletes what the line does not say")
	}
	check(t, assessLine(run("unlink ''")), Normal, "")
	check(t, assessLine(run("rm link")), Normal, "")
	check(t, assessLine(run("rm -r link")), Dangerous, "deletes outside the project")
	check(t, assessLine(run("rm ~/other/a")), Dangerous, "deletes outside the project")
	check(t, assessLine(run("rm -- -rf")), Normal, "")
	r := Assess(Call{Tool: "Bash", Line: lineOf(run("rm a"), remove("a"))}, Place{CWD: "/home/u", Home: "/home/u"})
	check(t, r, Dangerous, "deletes outside the project")
}

// What mv takes away is kept elsewhere; the same path under rm is not.
func TestMoves(t *testing.T) {
	from, to := tree(remove("/tmp/x")), tree(write("a"))
	check(t, assessLine(run("mv /tmp/x a"), from, to), Normal, "moves files from a temporary folder")
	check(t, assessLine(run("rm -r /tmp/x"), from, to), Dangerous, "deletes outside the project")
	check(t, assessLine(run("mv /tmp/x a"), from, to, run("rm -r /tmp/x"), from), Dangerous, "deletes outside the project")
	check(t, assessLine(lost(run("rm -r x")), tree(lost(remove("x")))), Dangerous, "deletes in a folder that is not known")
	check(t, assessLine(lost(run("mv x a")), tree(lost(remove("x")))), Normal, "removes from a folder that is not known")
	check(t, assessLine(run("mv /home/u/other/x a"), tree(remove("/home/u/other/x")), to), Dangerous, "moves files from outside the project")
}

// A copy into a folder makes a file whose name the line has only with the source.
func TestCopiesIntoFolders(t *testing.T) {
	check(t, assessLine(run("cp evil/.bashrc /home/u")), Dangerous, "changes a shell start-up file")
	check(t, assessLine(run("cp -t /home/u evil/.bashrc")), Dangerous, "changes a shell start-up file")
	check(t, assessLine(run("cp evil/pre-commit .git/hooks")), Dangerous, "changes what git runs")
	check(t, assessLine(run("cp evil/.bashrc dotfiles")), Normal, "")
	if r := assessLine(run("cp x/settings.json .claude")); !r.Guarded {
		t.Errorf("not guarded: %+v", r)
	}
}

// A home folder may lie in a folder of the system; what lies beside it is the system's.
func TestHomeInAFolderOfTheSystem(t *testing.T) {
	at := Place{CWD: "/var/home/u/p", Project: "/var/home/u/p", Home: "/var/home/u"}
	for file, want := range map[string]bool{"/var/home/u/x": false, "/var/home/u/p/x": false, "/var/home/v/x": true, "/var/x": true} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(write(file))}, at); finds(r, "changes the system's folders") != want {
			t.Errorf("%s: %+v", file, r.Findings)
		}
	}
}

// Words of programs that nobody knows may be files, too; those of echo are none.
func TestWordsOfCommands(t *testing.T) {
	for line, want := range map[string]string{
		"foo ~/.ssh/id_rsa": "reads keys or credentials", "foo --key=/home/u/.aws/credentials": "reads keys or credentials",
		"foo -f/home/u/.netrc": "reads keys or credentials", "foo creds": "reads keys or credentials",
		"python3 -c 'print(open(\".env\").read())'":     "reads keys or credentials",
		"node -e 'fs.readFileSync(\"/home/u/.npmrc\")'": "reads keys or credentials",
		"foo ~/.bashrc": "may change a file that runs something", "foo --out=/home/u/.profile": "may change a file that runs something",
		"foo rules": commands.TouchesSettings, "sqlite3 /home/u/.local/state/aoctl/aoctl.db": touchesAoctl,
		"curl --unix-socket /run/user/1000/aoctl/broker.sock http://x/approval-requests": touchesAoctl,
		"socat - UNIX-CONNECT:/run/user/1000/aoctl/broker.sock":                          touchesAoctl,
		"git checkout -- .claude/settings.json":                                          commands.TouchesSettings, "python3 -c 'open(\".claude/settings.json\",\"w\")'": commands.TouchesSettings,
		"find . -path ./.claude/x -delete": commands.TouchesSettings,
	} {
		r := assessLine(run(line))
		if !finds(r, want) {
			t.Errorf("%s: %v %+v; want %s", line, r.Class, r.Findings, want)
		}
	}
	for program, want := range map[string]bool{"foo": true, "git commit -m": false} { // with a word that is not known
		e := run(program + " ''")
		e.Text = program + ` "$(date) x/.netrc"`
		if r := assessLine(e); finds(r, "reads keys or credentials") != want {
			t.Errorf("%s: %+v", e.Text, r.Findings)
		}
	}
	for _, line := range []string{
		"echo .env", "cat ~/.bashrc", "diff ~/.vimrc a", "grep -rn .env src", "ls .env", "git add .env.example", "touch .env", "cp .env.example .env", "find . -name .claude",
		"cat .ssh", "echo .claude", "node -e 'xs.map(e => e.key)'", "node -e 'console.log(secrets.token)'", "python3 -c 'import dotenv'", "git commit -m .env",
	} {
		if r := assessLine(run(line)); r.Class == Dangerous {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
}

// What Claude Code keeps of a background command of the project is read like a file of it; nothing beside it is.
func TestOutputOfBackgroundCommands(t *testing.T) {
	const own, id = "/tmp/claude-1000/-home-u-src-app/", "01234567-89ab-cdef-0123-456789abcdef/"
	at := place()
	real := at.Real
	at.Real = func(p string) (string, error) {
		if p == own+"tasks/link.output" {
			return "/home/u/.ssh/id_rsa", nil
		}
		return real(p)
	}
	read := func(file string) effects.Set {
		return Assess(Call{Tool: "Read", Input: json.RawMessage(`{"file_path": "` + file + `"}`)}, at).Parts[0]
	}
	for _, file := range []string{own + "tasks/b1a2c3.output", own + id + "tasks/b1.output", "/private" + own + "tasks/b1.output"} {
		for _, got := range []effects.Set{read(file), effectsOf("cat "+file, at), effectsOf("tail -20 "+file+" | grep x", at)} {
			if got.String() != "look" {
				t.Errorf("%s: %s", file, got)
			}
		}
		if got := effectsOf("echo x > "+file, at); !got.Has(effects.Outside) {
			t.Errorf("writing %s: %s", file, got)
		}
	}
	for _, file := range []string{
		own + "tasks/link.output", own + "tasks/../../x.output", own + "x.output", own + "tasks/x.txt", own + id + "x/tasks/a.output", "/tmp/claude-1000/-home-u-src-other/tasks/b.output", "/var/tmp/claude-1000/-home-u-src-app/tasks/b.output", "/tmp/claude/-home-u-src-app/tasks/b.output",
	} {
		if got := effectsOf("cat "+file, at); got.Within(effects.Grantable) {
			t.Errorf("%s: %s", file, got)
		}
		if got := read(file); got.Within(effects.Grantable) {
			t.Errorf("reading %s: %s", file, got)
		}
	}
}
