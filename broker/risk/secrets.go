package risk

import (
	"cmp"
	"path"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/leaves"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// What is secret stands in this file alone: the tools that read, the programs of a command
// line and the look below a folder all ask here.

// credentials are files whose content opens something. To read one is dangerous because what an
// agent reads leaves the machine.
var credentials = sync.OnceValue(func() *pathtable.Table {
	return pathtable.New(
		pathtable.Rows("reads keys or credentials",
			".ssh/", ".gnupg/", ".aws/credentials", ".aws/sso/", ".aws/cli/cache/", "~/.config/gcloud/", "~/.azure/",
			".kube/config", "kubeconfig", "*.kubeconfig", ".docker/config.json", ".dockercfg", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc",
			".git-credentials", ".git/config", ".git/config.worktree", ".git/modules/*/config", ".git/worktrees/*/config.worktree", "~/.config/git/credentials", "~/.config/gh/hosts.yml", "~/.config/hub",
			"~/.config/glab-cli/config.yml", "~/.cargo/credentials*", "~/.gem/credentials", "~/.bundle/config", "~/.config/pypoetry/auth.toml", "~/Library/Application Support/pypoetry/auth.toml", "~/.bunfig.toml", "~/.config/pnpm/rc",
			"~/.nuget/", "~/.config/NuGet/", "~/.hex/", "~/.config/dart/", "~/.terraform.d/credentials*", "*.tfstate", "*.tfstate.backup", ".terraformrc", "terraform.rc", ".vault-token",
			"~/.password-store/", "~/.config/op/", ".pgpass", ".pg_service.conf", ".my.cnf", ".mylogin.cnf", ".authinfo*", ".msmtprc", ".fetchmailrc", ".smbcredentials", "~/.config/rclone/rclone.conf", ".boto",
			".s3cfg", "~/.m2/settings.xml", "~/.gradle/gradle.properties", "~/.config/sops/", "~/.age/", "~/.config/age/", "*.agekey",
			"~/Library/Keychains/", "/Library/Keychains/", "~/.local/share/keyrings/",
			"/etc/shadow*", "/etc/gshadow*", "/etc/master.passwd", "/etc/ssl/private/", "/etc/ssh/ssh_host_*_key",
			".env", ".env.*", ".env-*", ".env_*", ".env~", "*.env", ".envrc", ".envrc.*", "pip.conf", "pip.ini", "auth.json", "mcp-auth.json", ".credentials", ".credentials.json", ".dev.vars", ".secrets", "*.ppk", "*.p8", "*.keytab", "*.ovpn", "*.kdb", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*", "*_rsa", "*_ed25519", "*_ecdsa",
			"*.p12", "*.pfx", "*.keystore", "*.jks", "*.kdbx", "credentials.json", "application_default_credentials.json", "client_secret*.json", "credentials.yml.enc", "secrets.*",
			"service-account*.json", "service_account*.json", "/run/secrets/", "/var/run/secrets/", "/etc/sudoers*", "/etc/krb5.keytab", "/etc/wireguard/",
			"/etc/NetworkManager/system-connections/", "/etc/letsencrypt/", ".vault_pass*", ".htpasswd",
			"~/.config/doctl/", "~/.fly/", "~/.config/stripe/", "~/.config/heroku/", "~/.config/netlify/", "~/.local/share/com.vercel.cli/",
			"~/.pulumi/credentials.json", "~/.config/ngrok/", "~/.ngrok2/", "~/.config/hcloud/", "~/.supabase/access-token", "~/.config/.wrangler/", "~/.wrangler/", "~/.cloudflared/", "~/.railway/", "~/.oci/", "~/.aliyun/", ".databrickscfg", "~/.snowflake/", "~/.kaggle/", "~/.cache/huggingface/token",
			".sentryclirc", "~/.config/github-copilot/", "~/.config/configstore/", "~/.dbt/profiles.yml",
			"~/.config/helm/registry/", "~/.config/Bitwarden CLI/", "~/.local/share/kwalletd/", "~/.bitcoin/", "~/.ethereum/", "~/.config/solana/"),
		pathtable.Rows("reads what you typed before", "~/.bash_history", "~/.zsh_history", "~/.sh_history", "~/.history", "~/.local/share/fish/fish_history",
			"~/.python_history", "~/.node_repl_history", "~/.psql_history", "~/.mysql_history", "~/.sqlite_history", "~/.rediscli_history", "~/.irb_history", "~/.pry_history", "~/.php_history", "~/.lesshst", "~/.duckdb_history", "~/.mongosh/",
			"~/.local/state/zsh/", "~/.zsh_sessions/", "~/.local/share/atuin/", "~/.config/nushell/history.*", "~/.local/share/powershell/PSReadLine/"),
		pathtable.Rows("reads a browser's secrets",
			"~/.mozilla/firefox/", "~/.config/google-chrome/", "~/.config/chromium/", "~/.config/BraveSoftware/",
			"~/.config/microsoft-edge/", "~/snap/firefox/", "~/Library/Application Support/Google/Chrome/",
			"~/Library/Application Support/Firefox/", "~/Library/Application Support/BraveSoftware/", "~/Library/Cookies/"),
		pathtable.Rows("reads a program's environment", "/proc/*/environ", "/proc/*/task/*/environ", "/proc/*/mem", "/dev/mem", "/proc/kcore"),
	)
})

// credential says whether and why t holds keys or credentials, by its names. The content is not
// looked at.
func credential(t target) (string, bool) {
	for _, f := range t.forms {
		if e, ok := credentials().FindForm(f); ok && !harmlessKey(f.Names) {
			return e.Why, true
		}
	}
	return "", false
}

// harmlessKey reports whether a path is known to lie among credentials without being one. Names
// are folded.
func harmlessKey(names []string) bool {
	last := names[len(names)-1]
	parent := ""
	if len(names) > 1 {
		parent = names[len(names)-2]
	}
	switch {
	case strings.HasSuffix(last, ".pub"):
		return true
	// These two have public keys and names of machines.
	case parent == ".ssh":
		return strings.HasPrefix(last, "known_hosts") || strings.HasPrefix(last, "authorized_keys")
	case strings.HasPrefix(last, ".env"):
		return pathtable.EndsIn(last, "example", "sample", "template", ".dist", ".defaults")
	case strings.HasSuffix(last, ".env"):
		return cmdline.Matches("example.env|sample.env|template.env|process.env|import.meta.env", last) // of which two are words of JavaScript
	case strings.HasPrefix(last, "secrets."):
		return pathtable.EndsIn(last, pathtable.SourceEnds...)
	case strings.HasSuffix(last, ".pem"):
		return names[0] == "usr" || pathtable.SamePrefix([]string{"etc", "ssl", "certs"}, names) || last == "cacert.pem"
	}
	return false
}

// SecretAt returns a function that says whether a file, by its absolute path, holds keys or
// credentials. It is for one goroutine. Package workspace searches folders with it, so that
// both mean the same files.
func SecretAt(at Place) func(file string) bool {
	j := newResolver(at)
	return func(file string) bool {
		_, yes := credential(target{forms: []pathtable.Form{j.newForm(file, false)}})
		return yes
	}
}

// secretJudge judges what shows, packs or hands on files with keys.
type secretJudge struct{ scene }

// holdsSecrets judges that what lies below t, or fits it as a pattern, is shown or packed, but
// for what is left out. One such file is enough, and its name is told. A folder that is too
// large to search counts as holding one.
func (j secretJudge) holdsSecrets(t target, left leaves.Leaves) {
	if j.at.Secrets == nil || left.All() {
		return
	}
	for _, r := range t.reals {
		dir, pattern := r, ""
		if i := strings.IndexAny(r, "*?[{"); t.glob && i >= 0 {
			i = strings.LastIndexByte(r[:i], '/')
			dir, pattern = r[:i], r[i+1:]
		}
		// No keys of anybody's lie there, and it is too large to search.
		if pathtable.Below("/usr", dir) {
			continue
		}
		found, whole := j.at.Secrets(cmp.Or(dir, "/"))
		for _, f := range found {
			rel := strings.TrimPrefix(strings.TrimPrefix(f, dir), "/")
			if (pattern == "" || fitsBelow(pattern, rel, left.Dotted)) && (rel == "" || !left.Out(rel)) {
				j.danger("reads keys or credentials: " + clip(cmp.Or(rel, path.Base(f))))
				return
			}
		}
		// A pattern for one folder's names needs no look further down.
		if !whole && (pattern == "" || strings.Contains(pattern, "/")) {
			j.danger("reads a folder too large to check for keys or credentials")
			return
		}
	}
}

// fitsBelow reports whether a pattern may stand for a file, or a folder above it. dotted: a
// star may stand for a dot in front, as it does to other programs than shells. file is as seen
// from the pattern's folder.
func fitsBelow(pattern, file string, dotted bool) bool {
	if strings.Contains(pattern, `\`) {
		return true
	}
	want, got := strings.Split(pathtable.Fold(pattern), "/"), pathtable.Split(file)
	for i, w := range want {
		switch {
		case w == "**":
			return true
		case i >= len(got), !dotted && strings.HasPrefix(got[i], ".") && !strings.HasPrefix(w, ".") && !strings.ContainsAny(w[:min(1, len(w))], "[{"), !pathtable.Meet(w, pathtable.Literal(got[i])):
			return false
		}
	}
	return len(want) == len(got)
}

// shows judges a read of a folder, or of a pattern of names, by the command whose operand it
// is, and by those that are handed what it finds. A command that only tells names shows
// nothing, unless it hands them on.
func (j secretJudge) shows(l *shell.Line, at int, t target) {
	e := l.Elements[at]
	if !e.Tree && !e.Glob {
		return
	}
	command := commandOf(l, at)
	if command < 0 {
		j.holdsSecrets(t, leaves.Leaves{})
		return
	}
	by := l.Elements[command]
	left := leaves.LeftOut(by)
	if programs.Is(programs.TellsNames, cmdline.Program(by.Argv[0])) && !passesOn(l, command) {
		return
	}
	j.holdsSecrets(t, left)
}

// handed judges a command that shows the files whose names git or ls hands it through a pipe.
// find is judged by its own folders (shows).
func (j secretJudge) handed(l *shell.Line, at int) {
	e := l.Elements[at]
	if e.Pipe == 0 || len(e.Argv) == 0 || !cmdline.Of(e).Through("xargs", "gxargs", "parallel") || programs.Is(programs.TellsNames, cmdline.Program(e.Argv[0])) {
		return
	}
	for _, from := range l.Elements[:at] {
		if from.Pipe != e.Pipe || from.Kind != shell.Command || len(from.Argv) == 0 {
			continue
		}
		switch a := cmdline.Of(from); a.Name {
		case "git":
			dir, b, sub := j.gitSub(a)
			j.gitKept(b, sub, dir)
		case "ls":
			j.handedByLs(a)
		}
	}
}

// handedByLs judges the files in the folders that ls lists.
func (j secretJudge) handedByLs(a cmdline.Command) {
	folders := a.Operands()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	l := leaves.Leaves{Hidden: !a.Has("-a", "-A", "-f", "--all", "--almost-all")}
	if !a.Has("-R", "--recursive") {
		l.Picks = []leaves.Pick{{Pattern: "*", Not: true, Of: leaves.FolderNames}}
	}
	for _, dir := range folders {
		j.holdsSecrets(j.resolve(dir, j.spotOf(a.Element, false)), l)
	}
}

// commandOf is the command whose operand element at is, -1 when there is none: the nearest one
// before it, as operands follow their command.
func commandOf(l *shell.Line, at int) int {
	for i := at - 1; i >= 0 && l.Elements[at].Operand; i-- {
		if e := l.Elements[i]; e.Kind == shell.Command && len(e.Argv) > 0 {
			return i
		}
	}
	return -1
}

// passesOn reports whether what a command finds is handed to another one that may show what is
// in it: by find -exec, or by a pipe to xargs. git counts as showing, as some of its
// subcommands do.
func passesOn(l *shell.Line, command int) bool {
	name, pipe := cmdline.Program(l.Elements[command].Argv[0]), l.Elements[command].Pipe
	for _, e := range l.Elements[command+1:] {
		if e.Kind != shell.Command || len(e.Argv) == 0 || programs.Is(programs.TellsNames, cmdline.Program(e.Argv[0])) && cmdline.Program(e.Argv[0]) != "git" {
			continue
		}
		if a := cmdline.Of(e); a.Through(name) || pipe > 0 && e.Pipe == pipe && a.Through("xargs", "gxargs", "parallel") {
			return true
		}
	}
	return false
}
