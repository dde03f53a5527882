package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// webRows are tools of projects for the web, and what asks a server on this machine. What a server answers,
// and does, is the business of whoever started it.
func webRows() []row {
	check, edit := Of(Check), Of(Check, Edit)
	return []row{
		{call: "curl", does: Of(Serve), texts: true, only: asksHere, with: "-s -S -f -i -I -v -k -N -o: -w: -m: -X: -H: --silent --show-error --fail --include --head --verbose --insecure --no-buffer --output: --write-out: --max-time: " +
			"--connect-timeout: --request: --header: --retry: --retry-delay: --retry-connrefused --compressed"},
		{call: "node --test", does: check, whole: true, deep: true, only: noOperands, with: "--test-reporter=spec --test-reporter=tap --test-reporter=dot --test-only --experimental-test-coverage --no-warnings"},
		{call: "tsc", does: check, whole: true, with: "--noEmit -p= --project= --pretty --skipLibCheck --strict", only: noLists},
		{call: "eslint", does: check, with: "--ext: --max-warnings: --quiet --color --no-color", only: noLists},
		{call: "eslint", does: edit, with: "--ext: --max-warnings: --quiet --color --no-color --fix", only: noLists},
		{call: "prettier", does: check, with: "-c --check -l --list-different", only: hasOperands},
		{call: "prettier", does: edit, with: "-c --check -l --list-different -w --write", only: hasOperands},
		{call: "jest|vitest", does: check, with: "--coverage --verbose --silent --ci --bail --runInBand -i -t: --passWithNoTests --run", only: noLists},
	}
}

// fetchRows are what gets, or asks about, the packages that a project declares. These tools obey the
// settings of the project, which may run programs. To ask about any other package tells a
// registry of it, so that is more; not here is what puts packages where other projects have theirs.
func fetchRows() []row {
	get, keep := Of(Check, Fetch), Of(Check, Edit, Fetch)
	return []row{
		{call: "npm|pnpm outdated", does: get, with: "--json -a --all -l --long", only: noOperands},
		{call: "npm|pnpm audit", does: get, with: "--json --audit-level: --omit: --production --prod", only: noOperands},
		{call: "npm|pnpm|yarn view|info|show", does: Of(Check, Network), lax: true, texts: true, why: "asks a registry about any package"},
		{call: "cargo update|generate-lockfile", does: keep, with: "-w --workspace --dry-run --offline -q -v --quiet --verbose", only: noOperands},
		{call: "uv lock", does: keep, with: "-U --upgrade --check --locked --offline -q -v", only: noOperands},
		{call: "poetry lock|update", does: keep, with: "--no-update --regenerate -n --no-interaction -q -v --dry-run", only: noOperands},
		{call: "composer install", does: keep, with: "-n --no-interaction --no-progress --prefer-dist --no-dev -q --no-scripts --no-plugins -o --optimize-autoloader --dry-run", only: noOperands},
		{call: "pre-commit run", does: keep, with: "-a --all-files -v --verbose --show-diff-on-failure --files="},
	}
}

var (
	// hereURL is an address of this machine. What stands behind the port is a path: anything else might
	// make what is before it a name or a password.
	hereURL = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?(?:/[!-~]*)?$`)
	})
	// plainHeader are headers that say what is wanted, and not who wants it.
	plainHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:accept|accept-language|content-type): ?[!-~][ -~]*$`)
	})
)

// controls are ports where programs of the machine listen that do more for whoever asks than to answer, or tell what
// is nobody's business: Docker, etcd, Kubernetes, Vault, Consul, Caddy, search engines, notebooks, debuggers of
// browsers and of Node.
var controls = []string{"2019", "2375", "2376", "2379", "4444", "4646", "6443", "8001", "8200", "8500", "8888", "9200", "9222", "9229", "10250", "10255"}

// asksHere reports whether curl does nothing but ask this machine. It follows no redirection, sends no data and
// writes nothing; of what it may write about the answer, %output names a file.
func asksHere(a cmdline.Command) bool {
	urls := 0
	for i := 0; i < len(a.Words); i++ {
		w := a.Words[i]
		if !strings.HasPrefix(w, "-") {
			m := hereURL().FindStringSubmatch(w)
			if urls++; m == nil || slices.Contains(controls, m[1]) {
				return false
			}
			continue
		}
		// Behind "--" all words are addresses.
		if w == "--" || strings.HasPrefix(w, "--") && strings.Contains(w, "=") {
			return false
		}
		name, value := curlOption(w)
		if name == "" {
			continue
		}
		if value == "" {
			if i++; i == len(a.Words) {
				return false
			}
			value = a.Words[i]
		}
		if !curlValue(name, value) {
			return false
		}
	}
	return urls > 0
}

// curlOption is an option of curl that has a value, and the value if it stands in the same word. name is empty
// for one that has none.
func curlOption(w string) (name, value string) {
	if strings.HasPrefix(w, "--") {
		switch w {
		case "--output", "--write-out", "--max-time", "--connect-timeout", "--request", "--header", "--retry", "--retry-delay":
			return w, ""
		}
		return "", ""
	}
	if i := strings.IndexAny(w, "owmXH"); i > 0 {
		return "-" + w[i:i+1], w[i+1:]
	}
	return "", ""
}

// curlValue reports whether the value of an option changes nothing.
func curlValue(name, value string) bool {
	switch name {
	case "-o", "--output":
		return value == "/dev/null"
	case "-w", "--write-out":
		return !strings.HasPrefix(value, "@") && !strings.Contains(value, "output")
	case "-X", "--request":
		return value == "GET" || value == "HEAD" || value == "OPTIONS"
	case "-H", "--header":
		return plainHeader().MatchString(value)
	}
	return value != "" && strings.Trim(value, "0123456789.") == ""
}

// plainFormat reports whether rubocop prints in a way of its own: any other name is a class that it loads.
func plainFormat(a cmdline.Command) bool {
	return !slices.ContainsFunc(a.Values("-f"), func(v string) bool {
		return !slices.Contains([]string{"p", "progress", "s", "simple", "c", "clang", "e", "emacs", "q", "quiet", "j", "json", "g", "github", "o", "offenses", "w", "worst"}, v)
	}) && noLists(a)
}

// plainReporter reports whether node prints what became of tests in a way of its own: any other name is a module
// that it loads.
func plainReporter(a cmdline.Command) bool {
	return !slices.ContainsFunc(a.Values("--test-reporter"), func(v string) bool { return !slices.Contains([]string{"spec", "tap", "dot", "junit", "lcov"}, v) })
}
