package risk

import (
	"os"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

// variable is the assignment that line is, if it is one.
func variable(line string) (e shell.Element, ok bool) {
	name, value, ok := strings.Cut(line, "=")
	return set1(name, value), ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

// Each program, subcommand and option that somebody has to look at is one of a line's
// dangers, and what only looks like it is none.
func TestDangers(t *testing.T) {
	for file, want := range map[string]bool{"dangers.txt": true, "harmless.txt": false} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		why, n := "", 0
		for row := range strings.Lines(string(data)) {
			row = strings.TrimSpace(row)
			if head, ok := strings.CutPrefix(row, "= "); ok {
				why = head
				continue
			}
			if strings.HasPrefix(row, "#") {
				continue
			}
			for _, line := range lines(row) {
				e, ok := variable(line)
				if !ok {
					e = run(line)
				}
				if r := assessLine(e); finds(r, why) != want {
					t.Errorf("%s: %s: %v %+v; %s: %v", file, line, r.Class, r.Findings, why, !want)
				}
				n++
			}
		}
		if n < 280 {
			t.Errorf("only %d lines in %s", n, file)
		}
	}
}

// lines cuts a list of lines at semicolons and at the ends of its own lines.
func lines(list string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.ReplaceAll(list, "\n", ";"), ";") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Programs that only look are safe inside the project, each of them, and no longer so with
// an option by which they do more.
func TestProgramsThatOnlyLook(t *testing.T) {
	for _, line := range lines(`find .; fd x; fdfind x; grep x a; egrep x a; fgrep x a; rg x; sort a; jq . a; yq . a; sed -n 1p a; date; tree; uniq a; file a; hostname; uname; id; git status;   test -f a; [ -f a ]; du .; wc a; diff a b; xxd a; printf x; column a; base64 a; ls; cat a; head a; tail a; cut a; tr a b; cmp a b; comm a b; nl a; tac a; rev a; fold a
		paste a; join a b; expand a; unexpand a; stat a; df; readlink a; realpath a; md5sum a; sha1sum a; sha256sum a; sha512sum a; cksum a; od a; hexdump a; strings a; pwd; echo x; which x; whoami; basename x
		dirname x; true; false; sleep 1; seq 1; type x; arch; nproc; uptime; node --version; python --version; python3 -V; python2 -V; ruby -v;  deno -V; bun --version;
		gcc --version; g++ --version; clang --version; cmake --version; make --version; docker --version;  gh --version; pip -V; pip3 -V; uv --version
		poetry --version;  perl --version; npx --version; tsc --version;  swift --version; zig version; node -v; npm -v
		git diff; git log; git show; git rev-parse HEAD; git ls-files; git blame a; git ls-tree HEAD; git describe; git shortlog
		git merge-base a b; git rev-list HEAD; git name-rev HEAD; git cat-file -p HEAD; git for-each-ref; git count-objects; git check-ignore a; git grep x; git diff-tree HEAD; git diff-index HEAD; git whatchanged
		git version; git --version; git -P log; git --no-pager log; git --no-optional-locks status; git branch; git branch -a; git branch -r; git branch -v; git branch -vv; git tag -l; git tag -n; git branch --list x
		git branch --all; git branch --remotes; git branch --verbose; git branch --show-current; git branch --sort=x; git branch --format=x; git branch --column; git branch --no-color; git branch --color=x
		git branch --merged x; git branch --no-merged x; git branch --contains x; git tag --points-at x; git remote; git remote -v; git remote --verbose; git remote get-url o; git stash list; git stash show
		git worktree list; git reflog; git reflog show; git submodule status; git diff -- a; ls /usr/share/x; ls /usr/include/x; ls /usr/lib/x`) {
		if r := assessLine(run(line)); r.Class != Safe {
			t.Errorf("%s: %v %+v", line, r.Class, r.Findings)
		}
	}
	for _, line := range lines(`fd -x a b; fd -X a b; fd --exec a; fd --exec-batch a; fdfind -x a b; fdfind -X a b; fdfind --exec a; fdfind --exec-batch a; rg --pre a b; rg --pre-glob a b; rg --hostname-bin a b; rg -z a; rg --search-zip a; sort -o a b; sort --output a
		sort --compress-program a b; sort -T a b; sort --temporary-directory=a b; sort --files0-from=a; jq -f a b; jq --from-file a b; jq -L a b; jq --library-path a b; jq --slurpfile a b; jq --rawfile a b
		jq --argfile a b; yq -i . a; yq --inplace . a; yq -f a b; yq --from-file a b; yq -s a b; yq --split-exp a b; yq 'load("x")' a; yq 'env(x)' a; yq 'system("x")' a; date -s x; date --set x; date -r x
		date --reference=x; date -f x; date --file=x; tree -o x; tree --output x; tree --fromfile x; uniq a b; file -C a; file --compile a; file -m a b; file --magic-file a b; file -z a; file -Z a; file -f a
		file --files-from a; hostname -F a; hostname --file=a; hostname -b; hostname --boot; hostname x; du --files0-from=a; du -X a; du --exclude-from=a; wc --files0-from=a; diff --from-file=a b; diff --to-file=a b
		xxd -r a; xxd a b; printf -v x y; base64 -o a b; base64 --output a b; find . -exec a; find . -execdir a; find . -ok a; find . -okdir a; find . -fprint a; find . -fprintf a; find . -fls a; find . -delete
		find . -files0-from a; find . -newer a; git diff --output=a; git diff --ext-diff; git diff --no-index a b; git diff --textconv; git log --output=a; git log --ext-diff; git log --textconv; git show --output=a
		git show --ext-diff; git show --textconv; git rev-parse --parseopt; git rev-parse --sq-quote a; git ls-files -X a; git ls-files --exclude-from=a; git blame --contents a b; git blame -S a b
		git blame --ignore-revs-file a b; git shortlog --output=a; git cat-file --textconv a; git cat-file --filters a; git cat-file --batch-command; git for-each-ref --shell; git for-each-ref --perl
		git for-each-ref --python; git for-each-ref --tcl; git grep -O x; git grep --open-files-in-pager x; git grep -f a; git grep --no-index x; git grep --textconv x; git diff-tree --output=a; git diff-tree --ext-diff
		git diff-tree --textconv; git diff-index --output=a; git diff-index --ext-diff; git diff-index --textconv; git whatchanged --output=a; git whatchanged --ext-diff; git whatchanged --textconv; git diff /x
		git diff ../x; git diff --x=/y; git diff --x=~/y; git; git branch x; git branch -d x; git tag x; git branch -m x; git remote add x y; git remote -v update; git stash; git stash pop; git worktree add x
		git reflog expire; git submodule update; git --version x; git config -l; go; go build; go env -w A=b; go env -u A; go env A=b; go list -toolexec=x; go list -overlay=x; go list -modfile=x; go list -mod=mod
		go list -exec=x; go list -pkgdir=x; go list -C x; go list -export; go list -u; go list -compiled; go list -test; go list -vcs; go list --x; npm ls --prefix x; npm ls --globalconfig x; npm ls --userconfig x
		npm ls --registry x; npm ls -C x; npm ls --dir x; npm; npm test; node; node x; node -v x; python -v; make -v; sed -n; go version; cargo --version; pnpm ls; rustc -V; rustup -V; yarn -v; kubectl --version; terraform version; php -v; dotnet --version; pnpm -v; npm outdated; npm view x; npm info x; go doc x; go env; go env GOPATH; go list; go list -m all; sed -n 1p -i a; cat -- ../../x; unknown; cat /home/u/x; ls ~/x; ls a/../../x`) {
		if r := assessLine(run(line)); r.Class == Safe {
			t.Errorf("%s: safe", line)
		}
	}
	for _, front := range []string{"time", "timeout", "nice", "command", "env", "stdbuf", "ionice"} {
		if r := assessLine(via(run("ls"), front)); r.Class != Safe {
			t.Errorf("%s ls: %v", front, r.Class)
		}
	}
	for _, v := range lines("LANG=C; LANGUAGE=en; LC_ALL=C; LC_CTYPE=C; LC_COLLATE=C; LC_MESSAGES=C; LC_NUMERIC=C; LC_TIME=C; TZ=UTC; TERM=dumb; COLUMNS=80; LINES=9; NO_COLOR=1; CLICOLOR=0; FORCE_COLOR=1; GIT_OPTIONAL_LOCKS=0; GIT_TERMINAL_PROMPT=0; PAGER=cat; GIT_PAGER=less; MANPAGER=more; PAGER=true; PAGER=:; PAGER=/bin/cat; PAGER=/bin/true; PAGER=/usr/bin/cat; PAGER=/usr/bin/true; PAGER=nano; PAGER=vi; PAGER=vim") {
		if e, _ := variable(v); assessLine(e).Class != Safe {
			t.Errorf("%s: %v", v, assessLine(e).Class)
		}
	}
}

// What the network or an encoding hands to a program that runs its input is a danger, from
// each and to each of them.
func TestSourcesAndInterpreters(t *testing.T) {
	const net, hidden = "runs what comes from the network", "runs a text that is hidden by encoding"
	for _, source := range lines("curl x; wget x; fetch x; nc x 1; ncat x 1; netcat x 1; socat x; ssh x; aria2c x; http x; https x; xh x; httpie x; lynx x; w3m x; links x; telnet x; ftp x; gh x; glab x; aws x; gsutil x; scp x; rsync x; openssl s_client") {
		if r := assessLine(piped(1, run(source)), piped(-1, run("sh"))); !finds(r, net) {
			t.Errorf("%s | sh: %+v", source, r.Findings)
		}
	}
	for _, source := range lines("base64 -d; base64 -D; base64 --decode; base32 -d; basenc -d; xxd -r; uudecode; openssl -d; gpg --decrypt; gpg -d") {
		if r := assessLine(piped(1, run(source)), piped(-1, run("sh"))); !finds(r, hidden) {
			t.Errorf("%s | sh: %+v", source, r.Findings)
		}
	}
	for _, source := range lines("cat x; base64 x; xxd x; gpg --verify x; openssl x509") {
		if r := assessLine(piped(1, run(source)), piped(-1, run("sh"))); finds(r, net) || finds(r, hidden) {
			t.Errorf("%s | sh: %+v", source, r.Findings)
		}
	}
	for _, to := range lines("sh; bash; zsh; dash; ksh; mksh; ash; fish; csh; tcsh; rbash; python; pypy; node; nodejs; deno run -; bun -; bun run -; perl; ruby; php; lua; tclsh; osascript; rscript; pwsh; powershell; busybox sh; busybox ash -s; source; .; sqlite3; psql; mysql") {
		if r := assessLine(piped(1, run("curl x")), piped(-1, run(to))); !finds(r, net) {
			t.Errorf("curl x | %s: %+v", to, r.Findings)
		}
	}
	for _, sh := range lines("sh; bash; zsh; dash; ksh; mksh; ash; fish; csh; tcsh; rbash; pwsh; powershell") {
		if r := assessLine(piped(1, run("curl x")), piped(-1, run(sh+" -s a"))); !finds(r, net) {
			t.Errorf("curl x | %s -s a: %+v", sh, r.Findings)
		}
	}
	for _, asks := range lines("pgrep aoctl; pidof aoctl; ps aoctl; lsof aoctl; fuser aoctl; grep aoctl; awk /aoctl/; ss aoctl; pidwait aoctl; cat aoctl.pid") {
		for _, kill := range lines("kill 1; pkill 1; killall 1") {
			if r := assessLine(run(asks), run(kill)); !finds(r, "ends or stops aoctl") {
				t.Errorf("%s; %s: %+v", asks, kill, r.Findings)
			}
		}
	}
	for _, program := range lines("mysql; mariadb; psql; sqlite3; duckdb; clickhouse-client; sqlcmd; cockroach; mongosh; mongo; usql") {
		e := run(program)
		e.Stdin = "text"
		l := lineOf(e)
		l.Raw = program + " <<E\nDROP TABLE users;\nE"
		if r := Assess(Call{Tool: "Bash", Line: l}, place()); !finds(r, "deletes data in a database") {
			t.Errorf("%s: %+v", program, r.Findings)
		}
	}
}

// A file that runs something is found among the words of a program that nobody knows, and
// not among those of one whose files are known.
func TestWordsOfPrograms(t *testing.T) {
	const why = "may change a file that runs something"
	for _, program := range lines(`cat; head; tail; less; more; bat; batcat; wc; diff; cmp; file; cp; mv; ln; install; rsync; scp; sftp; tar; zip; git; sed; gsed; awk; gawk; rm; vim; vi; nvim; nano; emacs; code; source; .; bash; sh; zsh
		dash; chmod; chown; tee; readlink; realpath; md5sum; shasum; sha1sum; sha256sum; jq; yq; xxd; od; strings; base64; cut; sort; uniq; find; fd; tree; du; dd; curl; wget; ssh; ssh-keygen; ssh-add; ssh-copy-id; gpg; python; node
		ruby; perl; npm; pnpm; yarn; direnv; set; export; env; sudo; xargs; visudo; crontab; systemctl; launchctl; kubectl; docker; pip; shellcheck; prettier; eslint
		echo; printf; grep; egrep; fgrep; rg; ag; ack; ls; test; [; [[; stat; touch; mkdir; which; basename; dirname; cd; pushd; true; false; :; read; type; kill; pgrep; pkill; ps; sleep; seq; date; tr`) {
		if r := assessLine(run(program + " ~/.bashrc")); finds(r, why) {
			t.Errorf("%s ~/.bashrc: %+v", program, r.Findings)
		}
	}
	for _, line := range lines("mytool ~/.bashrc; mytool --out=~/.bashrc; mytool x:~/.bashrc; mytool @~/.bashrc; mytool -o~/.bashrc; mytool file:///home/u/.bashrc; mytool .git/hooks/x") {
		if r := assessLine(run(line)); !finds(r, why) {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
	for _, line := range lines("echo; printf; grep; egrep; fgrep; rg; ag; ack; ls; test; [; [[; stat; touch; mkdir; which; basename; dirname; cd; pushd; true; false; :; read; type; kill; pgrep; pkill; ps; sleep; seq; date; tr; chmod; chown; export") {
		if r := assessLine(run(line + " .claude/settings.json ~/.aws/credentials")); r.Guarded || finds(r, "reads keys or credentials") {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
	for _, line := range lines("mytool .claude/settings.json; cat .claude/settings.json; find .claude -delete; find .claude -exec x; find .claude -execdir x; find .claude -ok x; find .claude -okdir x; find .claude -fprint x; find .claude -fprintf x; find .claude -fls x") {
		if r := assessLine(run(line)); !r.Guarded {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
	if r := assessLine(run("find .claude")); r.Guarded {
		t.Errorf("find .claude: %+v", r.Findings)
	}
	for word := range strings.FieldsSeq("bug build clean doc env fix fmt generate get help install list mod run telemetry test tool version vet work") {
		at := place()
		at.Own = []string{at.CWD + "/" + word}
		if r := Assess(Call{Tool: "Bash", Line: lineOf(run("go " + word))}, at); r.Guarded {
			t.Errorf("go %s: %+v", word, r.Findings)
		}
		if r := Assess(Call{Tool: "Bash", Line: lineOf(run("mytool " + word))}, at); !r.Guarded {
			t.Errorf("mytool %s: %+v", word, r.Findings)
		}
	}
	for _, line := range lines("rm ~/.aws/credentials; unlink ~/.aws/credentials; shred ~/.aws/credentials; tee ~/.aws/credentials; truncate ~/.aws/credentials; cp a ~/.aws/credentials; mv a ~/.aws/credentials; ln a ~/.aws/credentials; install a ~/.aws/credentials") {
		if r := assessLine(run(line)); finds(r, "reads keys or credentials") {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
	for _, line := range lines("cp ~/.aws/credentials a; mv ~/.aws/credentials a; mytool ~/.aws/credentials; cp ~/.aws/credentials") {
		if r := assessLine(run(line)); !finds(r, "reads keys or credentials") {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
}

// Folders of the system, devices, and files by which a change makes something run.
func TestPlacesThatRunSomething(t *testing.T) {
	for why, list := range map[string]string{
		"changes the system's folders": `/etc/x; /usr/x; /bin/x; /sbin/x; /lib/x; /lib32/x; /lib64/x; /libx32/x; /boot/x; /opt/x; /var/x; /sys/x; /proc/x; /efi/x; /Library/x; /System/x; /Applications/x; /private/etc/x; /private/var/x; /ETC/x`,
		"writes to a device":           "/dev/sda; /dev/mem",
		"talks to the network":         "/dev/tcp/h/1; /dev/udp/h/1",
		"changes a shell start-up file": `~/.bashrc; ~/.bash_profile; ~/.bash_login; ~/.bash_logout; ~/.bash_aliases; ~/.bashrc.d/x; ~/.profile; ~/.zshrc; ~/.zshenv; ~/.zprofile; ~/.zlogin; ~/.zlogout; ~/.zsh/x; ~/.oh-my-zsh/x
			~/.config/fish/x; ~/.config/zsh/x; ~/.config/bash/x; ~/.inputrc; ~/.kshrc; ~/.cshrc; ~/.tcshrc; ~/.login; ~/.xprofile; ~/.xinitrc; ~/.xsessionrc; ~/.tmux.conf; ~/.config/tmux/x; ~/.screenrc; ~/.pam_environment
			~/.config/environment.d/x; /etc/profile; /etc/profile.d/x; /etc/bash.bashrc; /etc/bashrc; /etc/zsh/x; /etc/zshrc; /etc/zshenv; /etc/environment`,
		"schedules a program for later": `~/.config/autostart/x; ~/.config/systemd/x; ~/.local/share/systemd/x; ~/Library/LaunchAgents/x; /Library/LaunchAgents/x; /Library/LaunchDaemons/x; /etc/systemd/x; /etc/cron.d/x; /etc/crontab
			/var/spool/cron/x; /var/spool/at/x; /etc/init.d/x; /etc/rc.local; /etc/xdg/autostart/x`,
		"changes keys or credentials": `.ssh/x; .gnupg/x; .aws/x; .kube/config; .docker/config.json; ~/.netrc; .git-credentials; ~/.pypirc; ~/.config/gcloud/x; ~/.azure/x; ~/.config/gh/x; /etc/shadow; /etc/passwd; /etc/sudoers; /etc/sudoers.d/x; /etc/pam.d/x`,
		"changes what git runs":       `~/.gitconfig; ~/.config/git/x; .git/hooks/x; x.git/hooks/y; .git/config; .git/config.worktree; .git/info/attributes; .git/modules/x; x.git/config; /etc/gitconfig`,
		"changes a setting that can run code": `~/.vimrc; ~/.vim/x; ~/.config/nvim/x; ~/.emacs; ~/.emacs.d/x; ~/.config/emacs/x; ~/.nanorc; ~/.npmrc; ~/.yarnrc.yml; ~/.bunfig.toml; ~/.config/pip/x; ~/.pip/x; pip.conf; ~/.condarc; .cargo/config; .cargo/config.toml
			~/.gdbinit; ~/.lldbinit; ~/.irbrc; ~/.pryrc; ~/.curlrc; ~/.wgetrc; ~/.envrc; .envrc; ~/.config/direnv/x; ~/.direnvrc; ~/.m2/settings.xml; ~/.gradle/init.gradle; ~/.gradle/init.d/x; ~/.gradle/gradle.properties
			~/.config/Code/User/x; ~/Library/Application Support/Code/User/x; ~/.vscode/x; ~/.config/mise/x; ~/.asdfrc; ~/.config/zed/x; ~/.config/helix/x; sitecustomize.py; usercustomize.py`,
		"puts a program where others find it": `~/.local/bin/x; ~/bin/x; ~/.cargo/bin/x; ~/go/bin/x; ~/.bun/bin/x; ~/.deno/bin/x`,
		"changes what CI runs":                ".github/workflows/x; .github/actions/x; .gitlab-ci.yml; .circleci/x; Jenkinsfile; .travis.yml; azure-pipelines.yml",
		"changes what the editor runs":        ".vscode/tasks.json; .vscode/settings.json; .vscode/launch.json; .idea/x; .devcontainer/x",
		"changes what git hooks run":          ".husky/x; .pre-commit-config.yaml; lefthook.yml; .gitattributes; .gitmodules",
		"changes git's own files":             ".git/x",
		"changes what installing runs":        ".npmrc; .yarnrc.yml",
		"changes secrets of the project":      ".env; .env.local",
	} {
		for _, file := range lines(list) {
			if r := assessLine(write(file)); !finds(r, why) {
				t.Errorf("writing %s: %+v; want %s", file, r.Findings, why)
			}
		}
	}
	for _, file := range lines("/dev/null; /dev/zero; /dev/full; /dev/stdin; /dev/stdout; /dev/stderr; /dev/tty; /dev/fd/3; /proc/self/fd/3") {
		if r := assessLine(run("ls"), write(file)); r.Class != Safe {
			t.Errorf("writing %s: %+v", file, r.Findings)
		}
	}
}
