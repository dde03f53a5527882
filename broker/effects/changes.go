package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// changeRows are programs that change files by the words that they are given, get what the project
// declares, or reach further. What they are given is followed on the disk by package risk, which
// also knows what must not be changed. Those that nobody can grant are here so that a person is told more
// than that nobody knows.
func changeRows() []row {
	edit, fetch := Of(Edit), Of(Fetch)
	// These build what they get, and run its scripts and the project's.
	install := Of(Fetch, Check)
	return []row{
		{call: "mkdir", does: edit, with: "-p -v --parents --verbose"},
		{call: "touch", does: edit, with: "-a -m -c"},
		{call: "cp", does: edit, with: "-r -R -a -p -v -f -n -i -u --recursive --verbose --no-clobber --update"},
		{call: "mv", does: edit, with: "-v -f -n -i --verbose --no-clobber"},
		{call: "tee", does: edit, with: "-a --append"},
		{call: "chmod", does: edit, with: "-v", first: true, only: plainMode},
		{call: "sed", does: edit, with: "-i -E -n -r", first: true, only: each(word("-i"), sedPrints)},
		// In a folder it follows links to files, as builds do.
		{call: "gofmt", does: Of(Look), whole: true, with: "-l -d -s -e", only: goFiles},
		{call: "gofmt", does: edit, whole: true, with: "-l -d -s -e -w", only: goFiles},
		{call: "gofmt", does: Of(Check), whole: true, with: "-l -d -s -e"},
		{call: "gofmt", does: Of(Edit, Check), whole: true, with: "-l -d -s -e -w"},
		{call: "go fmt", does: Of(Edit, Check), whole: true, with: "-n -x"},

		{call: "go mod tidy|vendor", does: Of(Fetch, Edit), whole: true, with: "-v -x -e -o="},
		{call: "go mod download|verify|graph|why", does: fetch, whole: true, with: "-x -json", only: noWord("@")},
		{call: "npm ci|clean-install", does: install, with: installOptions, only: noOperands},
		{call: "npm|pnpm|yarn|bun install|i", does: install | edit, with: installOptions + " --frozen-lockfile --immutable", only: noOperands},
		{call: "cargo fetch", does: install, with: "--locked --offline"},
		{call: "uv sync", does: install, with: "--frozen --locked --all-extras --dev --no-dev --extra: --group:"},
		{call: "poetry install", does: install, with: "--no-root --no-interaction -n --sync"},

		{call: "npm|pnpm|yarn|bun install|i|add|link", does: Of(Network, Install), lax: true},
		{call: "go get|install", does: Of(Network, Install), lax: true},
		{call: "pip|pip3|pipx|gem|brew|apt|apt-get|dnf|yum|pacman|apk|cargo install|uninstall|add", does: Of(Network, Install), lax: true},
		{call: "python|python3 -m pip", does: Of(Network, Install), lax: true},
		{call: "curl|wget|ssh|scp|sftp|nc|ncat|telnet|ping|dig|host|nslookup|rsync|gh|aws|gcloud|az|kubectl", does: Of(Network), lax: true},
		{call: "npm|pnpm|yarn|cargo|poetry|twine|docker publish|push|upload", does: Of(Push), lax: true},
		// What it takes away is an element of its own, which is told apart by what git could bring back.
		{call: "rm", does: edit, with: "-f -r -R -v -d --force --recursive --verbose --dir"},
		{call: "rmdir", does: edit, with: "-v --verbose --ignore-fail-on-non-empty"}, // takes none but empty folders
		{call: "rmdir|unlink|rm|shred", does: Of(Delete), lax: true},
		{call: "sudo|doas|su|systemctl|launchctl|mount|umount|chown|useradd|usermod|passwd", does: Of(Privilege), lax: true},
	}
}

// installOptions change nothing of what an install gets.
const installOptions = "--no-audit --no-fund --silent --quiet -s --prefer-offline --offline --ignore-scripts --no-progress --legacy-peer-deps --dev --prod"

// goFiles reports whether all operands are files by their names.
func goFiles(a cmdline.Command) bool {
	return hasOperands(a) && !slices.ContainsFunc(a.Operands(), func(w string) bool { return !strings.HasSuffix(w, ".go") })
}

// modes are permissions that take nothing from others and give a program no rights of its owner.
var modes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(u?\+x|a\+x|0?[67][45][45])$`) })

func plainMode(a cmdline.Command) bool {
	ops := a.Operands()
	return len(ops) > 1 && modes().MatchString(ops[0])
}
