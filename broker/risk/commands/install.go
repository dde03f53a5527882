package commands

import (
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

const fromURL = "installs from a URL"

// installRules are about code that comes from nowhere that anybody checks, or that stays on the
// machine. A package from a registry, into the project, has no row.
func installRules() []rule {
	return []rule{
		{names: "npm pnpm yarn bun", sub: "i|install|add|in|ins|isntall|update|up|link|global", when: func(a cmdline.Command) bool { return namesRepository(a, true) }, why: fromURL},
		// Of these only the first word names what runs; the rest is for the program.
		{names: "npx pnpx bunx uvx", when: func(a cmdline.Command) bool { return namesRepository(a, false) }, why: "runs a program from a URL"},
		{names: "pnpm yarn npm bun", sub: "dlx|exec|x", when: func(a cmdline.Command) bool { return namesRepository(a, false) }, why: "runs a program from a URL"},
		{names: "pip pipx", sub: "install|download|wheel|run", when: anyWord(urlOfCode), why: fromURL},
		{names: "python", when: func(a cmdline.Command) bool { return a.Exactly("pip") && a.Exactly("install") && a.AnyWord(urlOfCode) }, why: fromURL},
		{names: "uv poetry pdm", sub: "add|pip|tool|install|run", when: anyWord(urlOfCode), why: fromURL},
		{names: "cargo", sub: "install", when: option("--git"), why: fromURL},
		{names: "gem", sub: "install", when: anyWord(urlOfCode), why: fromURL},
		{names: "brew rpm dpkg apt apt-get dnf yum snap pacman", when: anyWord(PlainURL), why: fromURL},
		// Perhaps the address is only an argument, so that it is a note.
		{names: "deno node bun tsx", when: func(a cmdline.Command) bool { return a.AnyWord(PlainURL) && !a.Surely("--version") }, why: "runs a program from a URL", note: true},
		{names: "deno", sub: "run|install|x", when: anyWord(PlainURL), why: "runs a program from a URL"},
		{names: "npm pnpm yarn bun", sub: "i|install|add|remove|uninstall|update", when: option("-g", "--global"), why: "installs for all projects", note: true},
		{names: "yarn", sub: "global", why: "installs for all projects", note: true},
		{names: "pip pipx brew apt apt-get dnf yum pacman apk snap zypper port gem", sub: "install|i|add|remove|purge|uninstall|upgrade", why: "installs or removes programs", note: true},
		{names: "cargo go", sub: "install", why: "installs or removes programs", note: true},
	}
}

// PlainURL reports whether a word is, or has after an option, the address of a file. It may
// stand anywhere in the word.
func PlainURL(w string) bool {
	return strings.Contains(w, "http://") || strings.Contains(w, "https://") || strings.Contains(w, "ftp://")
}

// urlOfCode reports whether pip and its like would take the code from an address.
func urlOfCode(w string) bool {
	if strings.HasPrefix(w, "--index-url") || strings.HasPrefix(w, "--extra-index-url") {
		return true
	}
	return PlainURL(w) || strings.Contains(w, "git+") || strings.HasPrefix(w, "git@")
}

// namesRepository reports whether npm and its like would take the code from an address:
// a URL, or the short name of a repository. With all, every word may name a package,
// else only the first; the value of an option is none.
func namesRepository(a cmdline.Command, all bool) bool {
	for i, w := range a.Words {
		switch {
		case urlOfCode(w) || strings.HasPrefix(w, "git:") || strings.Contains(w, "ssh://"):
			return true
		case strings.HasPrefix(w, "-") || i > 0 && strings.HasPrefix(a.Words[i-1], "-") && all:
		case shortRepository(w):
			return true
		case !all:
			return false
		}
	}
	return false
}

// shortRepository reports whether w is "owner/name", maybe after the name of a host.
// "@scope/name" is a package and "./name" a folder.
func shortRepository(w string) bool {
	for _, host := range []string{"github:", "gitlab:", "bitbucket:", "gist:"} {
		if strings.Contains(w, host) {
			return true
		}
	}
	owner, name, ok := strings.Cut(w, "/")
	return ok && owner != "" && name != "" && !strings.ContainsAny(owner, "@.~:") && !strings.ContainsAny(name, "/")
}
