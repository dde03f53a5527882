package risk

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell"
)

// What is secret stands in this file alone: the tools that read, the programs of a command
// line and the look below a folder all ask here.

// credentials are files whose content opens something.
var credentials = sync.OnceValue(func() *table {
	return newTable(
		rows("reads keys or credentials",
			".ssh/", ".gnupg/", ".aws/credentials", ".aws/sso/", ".aws/cli/cache/", "~/.config/gcloud/", "~/.azure/",
			".kube/config", "kubeconfig", "*.kubeconfig", ".docker/config.json", ".dockercfg", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc",
			".git-credentials", ".git/config", ".git/config.worktree", ".git/modules/*/config", "~/.config/git/credentials", "~/.config/gh/hosts.yml", "~/.config/hub",
			"~/.cargo/credentials*", "~/.gem/credentials", "~/.terraform.d/credentials*", "*.tfstate", "*.tfstate.backup", ".terraformrc", ".vault-token",
			"~/.password-store/", "~/.config/op/", ".pgpass", ".my.cnf", "~/.config/rclone/rclone.conf", ".boto",
			".s3cfg", "~/.m2/settings.xml", "~/.gradle/gradle.properties", "~/.config/sops/", "~/.age/",
			"~/Library/Keychains/", "/Library/Keychains/", "~/.local/share/keyrings/",
			"/etc/shadow*", "/etc/gshadow*", "/etc/master.passwd", "/etc/ssl/private/", "/etc/ssh/ssh_host_*_key",
			".env", ".env.*", ".envrc.local", ".dev.vars", ".secrets", "*.ppk", "*.p8", "*.keytab", "*.ovpn", "*.kdb", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*",
			"*.p12", "*.pfx", "*.keystore", "*.jks", "*.kdbx", "credentials.json", "credentials.yml.enc", "secrets.*",
			"service-account*.json", "service_account*.json", "/run/secrets/", "/var/run/secrets/", "/etc/sudoers*", "/etc/krb5.keytab", "/etc/wireguard/",
			"/etc/NetworkManager/system-connections/", "/etc/letsencrypt/", ".vault_pass*", ".htpasswd", "~/.config/containers/auth.json",
			"~/.config/doctl/", "~/.fly/", "~/.config/stripe/", "~/.config/heroku/", "~/.config/netlify/", "~/.local/share/com.vercel.cli/",
			"~/.pulumi/credentials.json", "~/.oci/", "~/.aliyun/", ".databrickscfg", "~/.snowflake/", "~/.kaggle/", "~/.cache/huggingface/token",
			".sentryclirc", "~/.composer/auth.json", "~/.config/composer/auth.json", "~/.config/github-copilot/", "~/.config/configstore/", "~/.dbt/profiles.yml",
			"~/.config/helm/registry/", "~/.config/Bitwarden CLI/", "~/.local/share/kwalletd/", "~/.bitcoin/", "~/.ethereum/", "~/.config/solana/"),
		rows("reads what was typed before", "~/.bash_history", "~/.zsh_history", "~/.sh_history", "~/.history", "~/.local/share/fish/fish_history",
			"~/.python_history", "~/.node_repl_history", "~/.psql_history", "~/.mysql_history", "~/.sqlite_history", "~/.rediscli_history"),
		rows("reads a browser's secrets",
			"~/.mozilla/firefox/", "~/.config/google-chrome/", "~/.config/chromium/", "~/.config/BraveSoftware/",
			"~/.config/microsoft-edge/", "~/snap/firefox/", "~/Library/Application Support/Google/Chrome/",
			"~/Library/Application Support/Firefox/", "~/Library/Application Support/BraveSoftware/", "~/Library/Cookies/"),
		rows("reads a program's environment", "/proc/*/environ", "/proc/*/task/*/environ", "/proc/*/mem", "/dev/mem", "/proc/kcore"),
	)
})

// sourceEnds are endings of programs and texts; secrets.go is no secret.
var sourceEnds = []string{
	".go", ".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".rb", ".rs", ".java", ".kt", ".c", ".h", ".cpp", ".cs", ".php",
	".swift", ".md", ".html", ".css", ".sh", ".tf", ".example", ".sample", ".template", ".dist",
}

// credential says whether and why t holds keys or credentials.
func credential(t target) (string, bool) {
	for _, f := range t.forms {
		if e, ok := credentials().findForm(f); ok && !harmlessKey(f.names) {
			return e.why, true
		}
	}
	return "", false
}

// harmlessKey reports whether a path is known to lie among credentials without being
// one.
func harmlessKey(names []string) bool {
	last := names[len(names)-1]
	parent := ""
	if len(names) > 1 {
		parent = names[len(names)-2]
	}
	switch {
	case strings.HasSuffix(last, ".pub"):
		return true
	case parent == ".ssh":
		return strings.HasPrefix(last, "known_hosts") || strings.HasPrefix(last, "authorized_keys")
	case strings.HasPrefix(last, ".env."):
		return endsIn(last, ".example", ".sample", ".template", ".dist", ".defaults")
	case strings.HasPrefix(last, "secrets."):
		return endsIn(last, sourceEnds...)
	case strings.HasSuffix(last, ".pem"):
		return names[0] == "usr" || samePrefix([]string{"etc", "ssl", "certs"}, names) || last == "cacert.pem"
	}
	return false
}

func endsIn(s string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// SecretAt returns a function that says whether a file, by its absolute path, holds keys or
// credentials. It is for one goroutine.
func SecretAt(at Place) func(file string) bool {
	j := newJudge(at)
	return func(file string) bool {
		_, yes := credential(target{forms: []form{j.newForm(file, false)}})
		return yes
	}
}

// holdsSecrets judges that what lies below t, or fits it as a pattern, is shown or packed,
// but for what is left out.
func (j *judge) holdsSecrets(t target, left leaves) {
	if j.at.Secrets == nil || left.all() {
		return
	}
	for _, r := range t.reals {
		dir, pattern := r, ""
		if i := strings.IndexAny(r, "*?[{"); t.glob && i >= 0 {
			i = strings.LastIndexByte(r[:i], '/')
			dir, pattern = r[:i], r[i+1:]
		}
		if below("/usr", dir) {
			continue
		}
		found, whole := j.at.Secrets(either(dir, "/"))
		for _, f := range found {
			rel := strings.TrimPrefix(strings.TrimPrefix(f, dir), "/")
			if (pattern == "" || fitsBelow(pattern, rel)) && !left.out(rel) {
				j.danger("reads keys or credentials: " + clip(either(rel, path.Base(f))))
				return
			}
		}
		if !whole && (pattern == "" || strings.Contains(pattern, "/")) {
			j.danger("reads a folder too large for a look whether keys or credentials are in it")
			return
		}
	}
}

// fitsBelow reports whether a shell's pattern may stand for a file, or a folder above it.
func fitsBelow(pattern, file string) bool {
	want, got := strings.Split(fold(pattern), "/"), split(file)
	for i, w := range want {
		switch {
		case w == "**":
			return true
		case i >= len(got), strings.HasPrefix(got[i], ".") && !strings.HasPrefix(w, ".") && !strings.ContainsAny(w[:min(1, len(w))], "[{"), !meet(w, literal(got[i])):
			return false
		}
	}
	return len(want) == len(got)
}

// leaves is what a search or an archive leaves out.
type leaves struct {
	only   []string // when there are some, files that fit none of them
	not    []string // files and folders that fit one of them
	hidden bool     // what begins with a dot
	code   bool     // all that is no source text
}

// all reports whether no secret can remain: sources are none.
func (l leaves) all() bool {
	return l.code || len(l.only) > 0 && !slices.ContainsFunc(l.only, func(p string) bool { return !endsIn(p, sourceEnds...) })
}

// out reports whether a file, as seen from the folder of the search, is left out.
func (l leaves) out(file string) bool {
	names := split(file)
	if l.hidden && slices.ContainsFunc(names, func(n string) bool { return n[0] == '.' }) {
		return true
	}
	for _, p := range l.not {
		if slices.ContainsFunc(names, func(n string) bool { return sureMatch(p, n) }) || sureMatch(p, strings.Join(names, "/")) {
			return true
		}
	}
	base := ""
	if len(names) > 0 {
		base = names[len(names)-1]
	}
	return len(l.only) > 0 && !slices.ContainsFunc(l.only, func(p string) bool {
		return strings.Contains(strings.TrimPrefix(p, "**/"), "/") || meet(fold(strings.TrimPrefix(p, "**/")), literal(base))
	})
}

// sureMatch reports whether a pattern surely stands for a name: only stars are understood.
func sureMatch(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "**/"), "/")
	ok, err := path.Match(strings.TrimSuffix(pattern, "/**"), name)
	return err == nil && ok && !strings.ContainsAny(pattern, "[{\\")
}

// addGlob takes one of the patterns by which searches choose files: !x leaves x out.
func (l *leaves) addGlob(pattern string) {
	if not, ok := strings.CutPrefix(pattern, "!"); ok {
		l.not = append(l.not, not)
	} else if pattern != "" {
		l.only = append(l.only, pattern)
	}
}

// codeTypes are kinds of files, as ripgrep names them, that are sources.
var codeTypes = newWords("go py python js javascript ts typescript tsx jsx rust rs java kotlin c h cpp cs csharp php swift ruby rb md markdown html css sh tf")

// names are programs that tell of files their names, sizes and times, or judge them as
// sources, and do not show what is in them.
var namesOnly = newWords(`ls dir vdir eza exa lsd tree du find bfs fd fdfind stat wc file cloc tokei scc chmod chown chgrp touch mkdir rm rmdir unlink mv
	ln test [ md5sum sha1sum sha256sum sha512sum cksum b2sum git eslint prettier tsc ruff black isort flake8 mypy pylint golangci-lint gofmt goimports
	gofumpt stylelint rubocop shellcheck clang-format clang-tidy pytest py.test jest vitest mocha npx make cmake cd pushd open trash realpath readlink`)

// lookers are programs that search, and what they leave out by themselves.
var lookers = newWords("rg ag ack")

// leftOut reads from the words of a program what it leaves out.
func leftOut(argv []string) leaves {
	var l leaves
	if len(argv) == 0 {
		return l
	}
	name := program(argv[0])
	l.hidden = lookers.has(name)
	for i := 1; i < len(argv); i++ {
		w := argv[i]
		option, value, has := strings.Cut(w, "=")
		next := ""
		if i+1 < len(argv) {
			next = argv[i+1]
		}
		switch {
		case w == "--":
			return l
		case lookers.has(name) && (strings.HasPrefix("--hidden", w) && len(w) > 3 || strings.HasPrefix(w, "--unr") || w == "--all-types" || shortHas(w, "u") || shortHas(w, ".")):
			l.hidden = false
		case strings.HasPrefix(w, "-z") && name == "rg", strings.HasPrefix(w, "--pre"):
			l.hidden = false
		case option == "--include" || option == "--name" || option == "-name" || option == "-iname":
			if !has {
				value = next
			}
			l.only = append(l.only, value)
		case strings.HasPrefix(option, "--exclude") && !strings.HasPrefix(option, "--exclude-from"):
			if !has {
				value = next
			}
			l.not = append(l.not, value)
		case name == "rg" && (option == "-g" || option == "--glob"):
			if !has {
				value = next
			}
			l.addGlob(value)
		case name == "rg" && strings.HasPrefix(w, "-g"):
			l.addGlob(w[2:])
		case name == "rg" && (w == "-t" || w == "--type"):
			l.code = codeTypes.has(next)
		case name == "rg" && (option == "--type" || strings.HasPrefix(w, "-t")):
			l.code = codeTypes.has(either(value, strings.TrimPrefix(w, "-t")))
		case name == "zip" && w == "-x":
			l.not = append(l.not, argv[i+1:]...)
			return l
		case (name == "find" || name == "bfs") && (w == "-o" || w == "-or" || w == "!" || w == "-not" || w == ","):
			return leaves{} // which names remain is not plain
		}
	}
	return l
}

// shortHas reports whether w is short options, one of them letter.
func shortHas(w, letter string) bool {
	return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w[1:], letter)
}

// shows judges a read of a folder, or of a pattern of names, by the command whose operand
// it is, and by those that are handed what it finds.
func (j *judge) shows(l *shell.Line, at int, t target) {
	e := l.Elements[at]
	if !e.Tree && !e.Glob {
		return
	}
	command := commandOf(l, at)
	if command < 0 {
		j.holdsSecrets(t, leaves{})
		return
	}
	by := l.Elements[command]
	left := leftOut(by.Argv)
	if namesOnly.has(program(by.Argv[0])) && !passesOn(l, command) {
		return
	}
	j.holdsSecrets(t, left)
}

// commandOf is the command whose operand element at is, -1 when there is none.
func commandOf(l *shell.Line, at int) int {
	for i := at - 1; i >= 0 && l.Elements[at].Operand; i-- {
		if e := l.Elements[i]; e.Kind == shell.Command && len(e.Argv) > 0 {
			return i
		}
	}
	return -1
}

// passesOn reports whether what a command finds is handed to another one that may show
// what is in it: by find -exec, or by a pipe to xargs.
func passesOn(l *shell.Line, command int) bool {
	name, pipe := program(l.Elements[command].Argv[0]), l.Elements[command].Pipe
	for _, e := range l.Elements[command+1:] {
		if e.Kind != shell.Command || len(e.Argv) == 0 || namesOnly.has(program(e.Argv[0])) && program(e.Argv[0]) != "git" {
			continue
		}
		for _, v := range e.Via {
			v = program(firstWord(v))
			if v == name || pipe > 0 && e.Pipe == pipe && (v == "xargs" || v == "gxargs" || v == "parallel") {
				return true
			}
		}
	}
	return false
}

// gitShows judges what a git command shows of files that hold keys: those that its words
// name, and those that the repository keeps.
func (j *judge) gitShows(a args) {
	for _, sub := range []string{"show", "diff", "grep", "archive", "log", "cat-file", "blame", "annotate", "whatchanged", "format-patch", "difftool", "stash show"} {
		rest, ok := a.sub(sub)
		if !ok {
			continue
		}
		b := a.after(rest)
		if sub == "log" && !b.has("-p", "-u", "--patch", "-U", "--unified", "-c", "--cc") || b.has("--stat", "--name-only", "--name-status", "--shortstat", "--numstat", "--summary", "--check", "--quiet") && !b.has("-p", "-u", "--patch") {
			return
		}
		j.gitNames(b, sub != "cat-file" && sub != "blame" && sub != "annotate" && sub != "stash show")
		return
	}
}

// gitNames is gitShows for the words behind the subcommand. tree: without a name it shows
// what the repository keeps.
func (j *judge) gitNames(a args, tree bool) {
	dir := j.dirOf(a.e)
	var under []string
	for i, w := range a.words {
		if w == "--" || i < a.plain && strings.HasPrefix(w, "-") {
			continue
		}
		rev, file, named := strings.Cut(w, ":")
		if !named || rev == "" { // :/x and :(glob)x are places, too
			file = strings.TrimLeft(w, ":/!^")
		}
		if t := j.resolve(file, spot{dir: dir, glob: true}); file != "" {
			if why, ok := credential(t); ok && !strings.Contains(w, "!") && !strings.Contains(w, "exclude") {
				j.danger(why)
				return
			}
		}
		switch {
		case named && rev != "":
			tree = false // one file of a commit
		case i > a.plain:
			under = append(under, w)
		}
	}
	if !tree || j.at.Tracked == nil || dir == "" {
		return
	}
	found, whole := j.at.Tracked(dir)
	for _, f := range found {
		if gitUnder(dir, f, under) {
			j.danger("reads keys or credentials that the repository keeps: " + clip(path.Base(f)))
			return
		}
	}
	if !whole {
		j.note("git's list of files cannot be read")
	}
}

// gitUnder reports whether one of the places that a git command is kept to may hold file.
func gitUnder(dir, file string, under []string) bool {
	if len(under) == 0 {
		return true
	}
	for _, u := range under {
		full := path.Join(dir, u)
		if strings.HasPrefix(u, ":") || below(full, file) || hasGlob(u) && meet(fold(path.Base(u)), literal(fold(path.Base(file)))) {
			return true
		}
	}
	return false
}

// either is a unless it is empty.
func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
