package risk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/brings"
	"github.com/aoctl/aoctl/broker/shell"
)

// Each tool that names files is judged by each parameter in which it does.
func TestToolsAndTheirPaths(t *testing.T) {
	for tool, params := range map[string]string{
		"Read": "file_path", "NotebookRead": "notebook_path", "LS": "path", "Glob": "path", "Grep": "path file_path", "read_file": "absolute_path file_path path", "read_many_files": "paths include",
		"list_directory": "path dir_path", "list_dir": "path dir_path", "grep_search": "path dir_path", "grep_files": "path", "search_file_content": "path dir_path", "read": "filePath path", "view": "path filePath",
		"grep": "path", "glob": "path dir_path", "list": "path",
	} {
		for param := range strings.FieldsSeq(params) {
			if r := assessTool(tool, fmt.Sprintf(`{%q: "~/.aws/credentials"}`, param)); !finds(r, "reads keys or credentials") {
				t.Errorf("%s by %s: %+v", tool, param, r)
			}
		}
		if r := assessTool(tool, `{"zz": "~/.aws/credentials"}`); r.Class == Dangerous {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	for tool, params := range map[string]string{
		"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path", "write_file": "file_path path", "replace": "file_path path", "write": "filePath path", "edit": "filePath path", "create": "path",
	} {
		for param := range strings.FieldsSeq(params) {
			if r := assessTool(tool, fmt.Sprintf(`{%q: "~/.bashrc"}`, param)); !finds(r, "changes a shell start-up file") {
				t.Errorf("%s by %s: %+v", tool, param, r)
			}
			shown := tool != "Write" && tool != "write_file" && tool != "write" && tool != "create"
			if r := assessTool(tool, fmt.Sprintf(`{%q: ".env"}`, param)); finds(r, "reads keys or credentials") != shown {
				t.Errorf("%s by %s: %+v", tool, param, r)
			}
		}
	}
	for tool, params := range map[string]string{"apply_patch": "input patch patchText command", "patch": "patchText input"} {
		for param := range strings.FieldsSeq(params) {
			if r := assessTool(tool, fmt.Sprintf(`{%q: "*** Begin Patch\n*** Update File: .codex/hooks.json\n+x"}`, param)); !r.Guarded {
				t.Errorf("%s by %s: %+v", tool, param, r)
			}
		}
	}
	for tool := range strings.FieldsSeq("TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList TaskOutput BashOutput ToolSearch ExitPlanMode EnterPlanMode AskUserQuestion") {
		if r := assessTool(tool, `{"path": "~/.aws/credentials"}`); r.Class != Safe {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	for tool := range strings.FieldsSeq("WebFetch web_fetch webfetch") {
		if r := assessTool(tool, `{"url": "http://169.254.169.254/"}`); !finds(r, "reaches the cloud's metadata") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
}

// Files that open something, and names like theirs.
func TestFilesThatOpenSomething(t *testing.T) {
	for why, list := range map[string]string{
		"reads keys or credentials": `.ssh/x; .gnupg/x; .aws/credentials; .aws/sso/x; .aws/cli/cache/x; ~/.config/gcloud/x; ~/.azure/x; .kube/config; kubeconfig; a.kubeconfig; .docker/config.json; .dockercfg; .netrc; _netrc; .npmrc; .yarnrc.yml
			.pypirc; .git-credentials; .git/config; .git/config.worktree; .git/modules/a/config; ~/.config/git/credentials; ~/.config/gh/hosts.yml; ~/.config/hub; ~/.cargo/credentials.toml; ~/.gem/credentials
			~/.terraform.d/credentials.tfrc.json; a.tfstate; a.tfstate.backup; .terraformrc; .vault-token; ~/.password-store/x; ~/.config/op/x; .pgpass; .my.cnf; ~/.config/rclone/rclone.conf; .boto; .s3cfg; ~/.m2/settings.xml
			~/.gradle/gradle.properties; ~/.config/sops/x; ~/.age/x; ~/Library/Keychains/x; /Library/Keychains/x; ~/.local/share/keyrings/x; /etc/shadow; /etc/gshadow-; /etc/master.passwd; /etc/ssl/private/x
			/etc/ssh/ssh_host_rsa_key; .env; .env.local; .envrc.local; .dev.vars; .secrets; a.ppk; a.p8; a.keytab; a.ovpn; a.kdb; a.pem; a.key; id_rsa; id_ed25519; id_ecdsa; id_dsa; a.p12; a.pfx; a.keystore; a.jks; a.kdbx
			credentials.json; credentials.yml.enc; secrets.yml; service-account-x.json; service_account.json; /run/secrets/x; /var/run/secrets/x; /etc/sudoers; /etc/krb5.keytab; /etc/wireguard/x
			/etc/NetworkManager/system-connections/x; /etc/letsencrypt/x; .vault_pass.txt; .htpasswd; ~/.config/containers/auth.json; ~/.config/doctl/x; ~/.fly/x; ~/.config/stripe/x; ~/.config/heroku/x
			~/.config/netlify/x; ~/.local/share/com.vercel.cli/x; ~/.pulumi/credentials.json; ~/.oci/x; ~/.aliyun/x; .databrickscfg; ~/.snowflake/x; ~/.kaggle/x; ~/.cache/huggingface/token; .sentryclirc
			~/.composer/auth.json; ~/.config/composer/auth.json; ~/.config/github-copilot/x; ~/.config/configstore/x; ~/.dbt/profiles.yml; ~/.config/helm/registry/x; ~/.config/Bitwarden CLI/x; ~/.local/share/kwalletd/x
			~/.bitcoin/x; ~/.ethereum/x; ~/.config/solana/x
			.git/worktrees/a/config.worktree; ~/.config/glab-cli/config.yml; ~/.bundle/config; ~/.config/pypoetry/auth.toml; ~/Library/Application Support/pypoetry/auth.toml; ~/.bunfig.toml; ~/.config/pnpm/rc; ~/.nuget/x; ~/.config/NuGet/x; ~/.hex/x; ~/.config/dart/x; terraform.rc; .pg_service.conf; .mylogin.cnf
			.authinfo; .authinfo.gpg; .msmtprc; .fetchmailrc; .smbcredentials; ~/.config/age/x; a.agekey; .env-a; .env_a; .env~; a.env; .envrc; pip.conf; pip.ini; mcp-auth.json; .credentials; .credentials.json; id_rsa.old; id_ed25519.old; id_ecdsa.old; id_dsa.old; a_rsa; a_ed25519; a_ecdsa
			application_default_credentials.json; client_secret_a.json; client_secret.json; service-account.json; service_account_a.json; /etc/sudoers.d; /etc/shadow-; /etc/gshadow; ~/.config/ngrok/x; ~/.ngrok2/x; ~/.config/hcloud/x; ~/.supabase/access-token; ~/.config/.wrangler/x; ~/.wrangler/x; ~/.cloudflared/x
			~/.railway/x; ~/.cargo/credentials`,
		"reads what you typed before": `~/.bash_history; ~/.zsh_history; ~/.sh_history; ~/.history; ~/.local/share/fish/fish_history; ~/.python_history; ~/.node_repl_history; ~/.psql_history; ~/.mysql_history; ~/.sqlite_history; ~/.rediscli_history; ~/.irb_history; ~/.pry_history; ~/.php_history; ~/.lesshst; ~/.duckdb_history; ~/.mongosh/x; ~/.local/state/zsh/x; ~/.zsh_sessions/x; ~/.local/share/atuin/x; ~/.config/nushell/history.txt; ~/.local/share/powershell/PSReadLine/x`,
		"reads a browser's secrets": `~/.mozilla/firefox/x; ~/.config/google-chrome/x; ~/.config/chromium/x; ~/.config/BraveSoftware/x; ~/.config/microsoft-edge/x; ~/snap/firefox/x; ~/Library/Application Support/Google/Chrome/x
			~/Library/Application Support/Firefox/x; ~/Library/Application Support/BraveSoftware/x; ~/Library/Cookies/x`,
		"reads a program's environment": "/proc/1/environ; /proc/1/task/2/environ; /proc/1/mem; /dev/mem; /proc/kcore",
	} {
		for _, file := range lines(list) {
			if r := assessLine(read(file)); !finds(r, why) {
				t.Errorf("reading %s: %+v; want %s", file, r.Findings, why)
			}
		}
	}
	for _, file := range lines(`secrets.go; secrets.py; secrets.pyi; secrets.js; secrets.jsx; secrets.ts; secrets.tsx; secrets.mjs; secrets.rb; secrets.rs; secrets.java; secrets.kt; secrets.c; secrets.h; secrets.cpp; secrets.cs; secrets.php
		secrets.swift; secrets.md; secrets.html; secrets.css; secrets.sh; secrets.tf; .env.example; .env.sample; .env.template; .env.dist; id_rsa.pub`) {
		if r := assessLine(read(file)); finds(r, "reads keys or credentials") {
			t.Errorf("reading %s: %+v", file, r.Findings)
		}
	}
}

// Of a folder in which keys lie these programs tell names only; others show them.
func TestProgramsThatTellNames(t *testing.T) {
	at := place()
	at.Secrets = func(dir string) ([]string, bool) { return []string{dir + "/.env"}, true }
	shows := func(line string) bool {
		e := tree(read("."))
		e.Operand = true
		for _, f := range Assess(Call{Tool: "Bash", Line: lineOf(run(line), e)}, at).Findings {
			if strings.HasPrefix(f.Why, "reads keys or credentials") {
				return true
			}
		}
		return false
	}
	for _, program := range lines(`ls; dir; vdir; eza; exa; lsd; tree; du; find; bfs; fd; fdfind; stat; wc; file; cloc; tokei; scc; chmod; chown; chgrp; touch; mkdir; rm; rmdir; unlink; mv; ln; test; [; md5sum; sha1sum; sha256sum; sha512sum; cksum; b2sum; git
		eslint; prettier; tsc; ruff; black; isort; flake8; mypy; pylint; golangci-lint; gofmt; goimports; gofumpt; stylelint; rubocop; shellcheck; clang-format; clang-tidy; pytest; py.test; jest; vitest; mocha; npx; make; cmake
		cd; pushd; open; trash; realpath; readlink; rg x; ag x; grep x --include=*.go; grep x --exclude=.env; grep x --exclude-dir . --exclude .env; rg -. x -g *.go; rg -. x --glob=*.go; rg -. x -g !.env; rg -. x -t go
		rg -. x --type go; rg -. x --type=go; rg -. x -tgo`) {
		if shows(program) {
			t.Errorf("%s shows what is in files", program)
		}
	}
	for kind := range strings.FieldsSeq("go py python js javascript ts typescript tsx jsx rust rs java kotlin c h cpp cs csharp php swift ruby rb md markdown html css sh") {
		if shows("rg -. x -t " + kind) {
			t.Errorf("rg -t %s shows more than sources", kind)
		}
	}
	for _, program := range lines("cat; ack x; rg -. x -t tf; grep -r x; rg --hidden x; rg -u x; rg -. x; rg --unrestricted x; rg -z x; rg --pre=y x; ag --hidden x; ack --hidden x; ag --all-types x; rg -. x -t yaml; grep -r x --exclude=a; grep -r x --include=.e*; zip a .; mytool; grep -- --include=*.go; rg -. x -g *") {
		if !shows(program) {
			t.Errorf("%s shows nothing", program)
		}
	}
}

// What git keeps is shown by these commands, but not by their short forms.
func TestGitShowsWhatItKeeps(t *testing.T) {
	at := place()
	at.Tracked = func(string) ([]string, bool) { return []string{"/home/u/src/app/.env"}, true }
	shows := func(line string) bool {
		for _, f := range Assess(Call{Tool: "Bash", Line: lineOf(run(line))}, at).Findings {
			if strings.HasPrefix(f.Why, "reads keys or credentials") {
				return true
			}
		}
		return false
	}
	for _, line := range lines(`git show; git diff; git grep x; git archive HEAD; git log -p; git log -u; git log --patch; git log -U; git log --unified=3; git log -c; git log --cc; git whatchanged -p; git diff --check; git format-patch x; git difftool; git show HEAD:.env; git cat-file -p HEAD:.env
		git blame .env; git annotate .env; git stash show -p .env; git log --stat -p; git diff --stat --patch; git diff -- .; git diff -- '*.e*'; git diff -- .env; git grep x -- :/`) {
		if !shows(line) {
			t.Errorf("%s shows nothing", line)
		}
	}
	for _, line := range lines(`git log; git show --stat; git diff --name-only; git diff --name-status; git diff --shortstat; git diff --numstat; git diff --summary; git diff --quiet; git whatchanged; git show HEAD:a.go; git blame a.go; git annotate a.go; git cat-file -p HEAD
		git stash show; git diff -- a.go; git diff -- src; git diff -- '*.go'; git status; git diff -- ':!.env' a.go`) {
		if shows(line) && !strings.Contains(line, "!") {
			t.Errorf("%s shows something", line)
		}
	}
}

// Commands that fill folders, each of them, and the forms in which they do not.
func TestMayBringFilesByEach(t *testing.T) {
	for want, list := range map[bool]string{
		true: `git switch x; git checkout x; git pull; git merge x; git rebase x; git cherry-pick x; git revert x; git am x; git apply x; git clone x; git submodule update; git read-tree x; git checkout-index x; git worktree add x; git sparse-checkout set x
			git bisect good; git subtree pull x; git reset --hard; git reset --merge; git reset --keep; hg up; jj new; sl goto x; bzr up; brz up; fossil up; darcs pull; pijul pull; jar -x; jar --extract; jar xf a; cp -r a b; cp -R a b; cp -a a b; cp --archive a b; gcp -r a b
			scp -r a b; tar -x; gtar -x; bsdtar -x; tar --get; tar --extract; tar xf a; tar xOf a -C b; tar xO; unzip a; rsync a b; cpio -i; cpio --extract; cpio -p; cpio --pass-through; dpkg-deb -x a; dpkg -x a; dpkg -X a; dpkg -R a; dpkg --extract a; dpkg --vextract a
			dpkg --raw-extract a; bsdcpio; 7z x a; 7za x a; 7zr x a; 7zz x a; unrar x a; unar a; unsquashfs a; ditto a b; stow a; patch; gpatch; gh co 1; gh pr checkout 1; gh pr co 1; gh pr merge 1; gh repo sync; gh repo clone x; gh repo fork; gh repo create x; gh issue develop 1
			gh gist clone x; gh run download; gh release download; gh codespace cp a b; gh cs cp a b; glab mr checkout 1; glab mr co 1; glab repo clone x; glab repo fork; glab repo create x; glab ci artifact x; glab job artifact x; svn checkout x; svn co x; svn update; svn up; svn switch x
			svn sw x; svn merge x; svn patch x; svn revert x; svn export x; docker cp a b; docker container cp a b; docker compose cp a b; podman cp a b; podman container cp a b; podman compose cp a b; nerdctl cp a b; nerdctl container cp a b; nerdctl compose cp a b; git restore a.; git checkout -- a.
			rsync -n --foo a b; rsync -n --exclude a b; rsync -n -e ssh a b; rsync -n - a; hg rebase`,
		false: `hg status; hg st; hg log; hg diff; hg show; jj describe; jj desc; hg commit; hg ci; hg annotate; hg blame; hg cat x; hg root; hg id; hg identify; hg summary; hg branches; hg tags; hg heads; hg paths; hg push; hg incoming; hg outgoing; hg files; hg manifest; hg help; hg version; hg
			jar tf a; tar tf a; tar xOf a; tar xOzf a; tar -xOf a; unzip -l a; unzip -t a; unzip -v a; unzip -p a; unzip -z a; unzip -Z a; unzip -lq a; rsync -n a b; rsync --dry-run a b; rsync --list-only a b; rsync -an a b; rsync -n --verbose --quiet --checksum --archive --recursive a b
			rsync -n --relative --update --links --perms --owner --group --times --delete --itemize-changes a b; rsync -n --stats --progress --human-readable --compress --partial --numeric-ids --cvs-exclude a b; rsync -n --exclude=x --include=x --filter=x --exclude-from=x --include-from=x a b
			rsync -n --chmod=x --info=x --out-format=x --max-size=1 --min-size=1 a b; git worktree list; git submodule status; git sparse-checkout list; git bisect log; git stash list; git stash show; git stash drop; git stash clear; git stash create; git stash store x; git apply --check x; git apply --stat x
			git apply --numstat x; git apply --summary x; git apply --check -v x; git apply --check --verbose x; git apply --check -R x; git apply --check --reverse x; git apply --check -p0 x; git apply --check -p1 x; git apply --check -p2 x; git checkout -b x; git switch -c x; git switch --create x
			git restore -q a.go; git restore --quiet a.go; git restore -W a.go; git restore --worktree a.go; git restore -SW a.go; git restore -WS a.go; git restore --source=x a.go; git restore -S x; git restore -Sq x; git restore --staged x; cp a b; scp a b; svn log; docker ps; gh pr list; glab mr list
				git restore -S --quiet x; git restore -S -q x; git restore -S -p x; git restore -Sp x; git restore -S -s y x; git restore -s y -S x; git restore -S --source=y x; git restore a.b.; gh gist list; gh repo list; gh run list; gh release list; gh codespace list; gh cs list; gh issue list; glab repo list
				glab ci list; glab job list; glab mr view; docker container ls; docker compose up; podman container ls; podman compose up; podman ps; nerdctl container ls; nerdctl compose up; nerdctl ps; tar; gtar; bsdtar; jar; hg`,
	} {
		for _, line := range lines(list) {
			if got := brings.Files(run(line)); got != want {
				t.Errorf("%s: %v", line, got)
			}
		}
	}
}

// Git talks to another repository by these subcommands, and puts other files into the tree
// by those, before which nobody knows what it will find.
func TestGitThatTalksOrMoves(t *testing.T) {
	at := place()
	at.Git = func(dir string) Git {
		if strings.HasSuffix(dir, "/other") {
			return Git{Foreign: "foreign", Nested: true}
		}
		return Git{Remote: "remote", Top: at.CWD}
	}
	use := func(line string, before ...shell.Element) Git {
		l := lineOf(append(before, run(line))...)
		return GitUse(l, len(before), at.CWD+"/sub", at)
	}
	for sub := range strings.FieldsSeq("fetch pull push remote ls-remote fetch-pack send-pack submodule archive clone") {
		if g := use("git " + sub + " x"); g.Remote == "" || g.Foreign != "" {
			t.Errorf("git %s x: %+v", sub, g)
		}
		if g := use("git " + sub + " -q --x=y ../other"); g.Foreign == "" {
			t.Errorf("git %s ../other: %+v", sub, g)
		}
		if g := use("git " + sub + " --receive=../other"); g.Foreign == "" {
			t.Errorf("git %s --receive=../other: %+v", sub, g)
		}
	}
	for sub := range strings.FieldsSeq("status log commit add") {
		if g := use("git " + sub + " ../other"); g.Remote != "" || g.Foreign != "" {
			t.Errorf("git %s ../other: %+v", sub, g)
		}
	}
	for sub := range strings.FieldsSeq("am apply checkout checkout-index cherry-pick clone merge mv pull read-tree rebase reset restore revert stash submodule switch worktree") {
		if g := use("git status", run("git "+sub+" x")); g.Foreign == "" {
			t.Errorf("git %s x && git status: %+v", sub, g)
		}
	}
	for _, before := range []shell.Element{run("git add x"), run("ls"), write("/home/u/src/app/x"), write("sub2/HEAD"), remove("x")} {
		if g := use("git status", before); g.Foreign != "" {
			t.Errorf("%s && git status: %+v", before.Text, g)
		}
	}
	for _, file := range []string{"sub/.git", "sub/HEAD", "HEAD", "objects", "refs", "commondir", ".git/config", "sub/.git/hooks/x"} {
		if g := use("git status", write(file)); g.Foreign == "" {
			t.Errorf("> %s && git status: %+v", file, g)
		}
	}
	for _, line := range lines("git --git-dir=x status; git --work-tree=x status; git --bare status; git -Cx status; git -C *x status; git -C ~x status; git -C [x status; git -C {x status; git -C; git --git-dir x status; git-status --git-dir=x") {
		if g := use(line); g.Foreign == "" {
			t.Errorf("%s: %+v", line, g)
		}
	}
	for _, line := range lines("git -c a=b status; git --namespace x status; git --config-env a=b status; git --super-prefix x status; git --attr-source x status; git --shallow-file x status; git -c; git --version; git version; git -C x status; git -C /home/u/src/app status; ls; git --paginate status") {
		if g := use(line); g.Foreign != "" {
			t.Errorf("%s: %+v", line, g)
		}
	}
}
