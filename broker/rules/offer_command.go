package rules

import (
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// offerLine drafts the exact line, and the beginnings of its commands.
func (c *Call) offerLine() []map[string]string {
	return []map[string]string{c.exactLine(), c.eachElement(exactWords), c.eachElement(commandPrefix)}
}

// exactLine names the whole line: by its words when it is one plain command, else
// character by character.
func (c *Call) exactLine() map[string]string {
	where := c.escapedParams()
	switch {
	case c.whole != nil:
		where[commandKey] = patterns.Quote(c.whole.Argv)
	case len(c.elems) == 1 && c.elems[0].kind == shell.Command && !c.elems[0].behind && len(c.line.Elements[0].Via) == 0:
		where[commandKey] = patterns.Quote(c.elems[0].spoken.Argv)
	default:
		where[commandKey] = patterns.LinePrefix + c.trimmed
	}
	return where
}

// eachElement drafts a rule with an alternative for every element that has a say. It allows
// nothing when there is none for one of them.
func (c *Call) eachElement(draft func(argv []string) string) map[string]string {
	where := c.escapedParams()
	for i := range c.elems {
		x := &c.elems[i]
		if x.operand || x.neutral && !c.noSay {
			continue
		}
		switch x.kind {
		case shell.Command:
			pattern := exactWords(x.spoken.Argv)
			if x.exact == "" {
				pattern = draft(x.spoken.Argv)
			}
			addAlternative(where, commandKey, pattern)
		case shell.Read:
			if !c.builtinAllows(x) {
				addAlternative(where, readKey, patterns.EscapePath(x.path.real))
			}
		case shell.Write:
			addAlternative(where, writeKey, patterns.EscapePath(x.path.real))
		case shell.Assign:
			addAlternative(where, assignKey, patterns.EscapeText(x.assign))
		case shell.Unknown, toolKind:
		}
	}
	return where
}

func exactWords(argv []string) string { return patterns.Quote(argv) }

// commandPrefix is a pattern for commands like this one: the program and its
// subcommands, with any words behind them. Of what runs code or other programs, takes
// things away or talks to other machines there is only the exact form.
func commandPrefix(argv []string) string {
	program := argv[0]
	if onlyExact[program] || strings.Contains(program, "/") {
		return patterns.Quote(argv)
	}
	if w, ok := scriptPrefix(argv); ok {
		return w
	}
	depth, known := subcommands[program]
	if !known && len(argv) > 1 && !operands[program] {
		depth = 1
	}
	n := 1
	for n < len(argv) && n <= depth && isSubcommand(argv[n]) {
		n++
	}
	if strings.HasPrefix(program, "python") || n <= depth && known || oneWay(program, argv[1:n]) {
		return patterns.Quote(argv)
	}
	return patterns.Quote(argv[:n]) + " *"
}

// scriptPrefix is the prefix of a script that a project's package file names: npm run
// test. The name of the script belongs to it.
func scriptPrefix(argv []string) (string, bool) {
	if len(argv) < 3 || !packageRunner[argv[0]] || argv[1] != "run" || !isSubcommand(argv[2]) {
		return "", false
	}
	return patterns.Quote(argv[:3]) + " *", true
}

var packageRunner = map[string]bool{"npm": true, "pnpm": true, "yarn": true, "bun": true}

// isSubcommand reports whether a word is neither an option nor an operand.
func isSubcommand(w string) bool {
	for i, r := range w {
		if !unicode.IsLower(r) && (i == 0 || !unicode.IsDigit(r) && r != '-' && r != ':' && r != '_') {
			return false
		}
	}
	return w != ""
}

// oneWay reports whether subcommands run other code or cannot be taken back, whatever
// follows them.
func oneWay(program string, sub []string) bool {
	for _, w := range sub {
		if notPrefix[w] || notPrefix[program+"_"+w] {
			return true
		}
	}
	return false
}

// subcommands says how many words after a program's name say what it does. Programs
// that are in neither list have one if it looks like a subcommand.
var subcommands = map[string]int{
	"git": 1, "npm": 1, "pnpm": 1, "yarn": 1, "bun": 1, "go": 1, "cargo": 1, "gh": 2, "glab": 2, "pip": 1, "pip3": 1, "uv": 1,
	"poetry": 1, "docker": 1, "podman": 1, "kubectl": 1, "helm": 1, "terraform": 1, "brew": 1, "apt": 1, "apt-get": 1,
	"systemctl": 1, "dotnet": 1, "swift": 1, "flutter": 1, "dart": 1, "mix": 1, "aws": 2, "gcloud": 3, "az": 2,
	"gem": 1, "bundle": 1, "rustup": 1, "deno": 1, "turbo": 1, "nx": 1, "composer": 1, "conda": 1, "svn": 1, "hg": 1,
}

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(names) {
		set[n] = true
	}
	return set
}

// operands are programs whose first word is what they work on.
var operands = nameSet(`ls cat head tail wc sort uniq cut tr grep egrep fgrep rg ag ack fd tree stat file du df diff cmp
	comm jq yq echo printf date basename dirname realpath readlink which type pwd touch mkdir pytest jest vitest tsc eslint
	prettier biome ruff black mypy flake8 pylint gofmt goimports golangci-lint rustfmt clippy shellcheck shfmt hadolint
	less more nl tac rev column paste join fold fmt test ps id whoami uname hostname md5sum sha1sum sha256sum cksum
	xxd od hexdump strings nm size ldd staticcheck gopls cspell markdownlint actionlint yamllint cd`)

// onlyExact are programs of which a beginning says nothing about what they do.
var onlyExact = nameSet(`sh bash zsh dash ksh fish ash csh tcsh pwsh env sudo doas su runuser node nodejs ruby perl php lua
	R Rscript julia osascript tclsh expect npx bunx pnpx uvx pipx make gmake just task rake ant gradle gradlew mvn mvnw
	xargs find parallel watch entr ssh scp sftp rsync nc ncat netcat socat telnet ftp curl wget http https xh aria2c
	eval exec source . command builtin nohup nice timeout time setsid stdbuf script strace ltrace gdb lldb valgrind
	awk gawk mawk nawk sed ed ex vi vim nvim emacs nano tee dd rm rmdir mv cp ln install shred truncate chmod chown chgrp
	kill pkill killall crontab at batch systemd-run launchctl mount umount mkfs fdisk tar unzip zip gzip bsdtar cpio
	psql mysql sqlite3 mongosh redis-cli tmux screen direnv dotenv op ansible ansible-playbook vagrant chroot nsenter
	unshare bwrap busybox toybox git-filter-repo tox nox invoke fab pre-commit lefthook husky trap alias export set`)

// notPrefix are subcommands, of one program or of all, that have only an exact form.
var notPrefix = nameSet(`exec x dlx run-script eval publish unpublish deploy login logout token install add i ci update upgrade
	remove uninstall rm delete destroy apply push reset clean rebase filter-branch config bisect submodule create
	generate tool run api ssh attach cp kill stop start restart edit prune link unlink init env set
	go_get`)
