package effects

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Options that several rows allow.
const (
	goOptions    = "-v -race -short -cover -failfast -json -x -n -a -m -benchmem -trimpath -count: -run: -skip: -bench: -benchtime: -timeout: -tags: -shuffle: -parallel: -p: -cpu: -list: -covermode: -coverpkg: -coverprofile= -fuzz: -fuzztime: -o="
	cargoOptions = "--release --all --workspace --all-features --no-default-features --features: -F: -p: --package: --lib --bins --tests --examples --all-targets --doc --bin: --test: --example: -q -v --quiet --verbose --locked --offline --frozen -j: --no-run --no-fail-fast --message-format: --color: --check --no-deps"
	pytestWords  = "-v -q -x -s -l -a -r: -k: -m: -n: --verbose --quiet --lf --ff --last-failed --failed-first --sw --stepwise --co --collect-only --exitfirst --no-header --no-summary --maxfail: --tb: --durations: --cov: --cov-report: --no-cov --strict-markers --disable-warnings --color: --timeout:"
	scriptFlags  = " --coverage --watch=false --ci --fix --quiet --noEmit --check --write --bail" // for the script itself, and nothing to what runs it
	scriptWords  = "--silent -s --if-present --workspaces -w= --workspace="
	makeWords    = "-j -j: -k -s -n -B -C= --jobs: --directory= --keep-going --silent --quiet --dry-run --always-make --no-print-directory --version"
)

// checkRows are programs that run the project's own code, or tools that do what its settings say.
// They may do what that code does. The options here lead to no other code.
func checkRows() []row {
	check, serve, edit := Of(Check), Of(Check, Serve), Of(Check, Edit)
	return []row{
		{call: "go test|vet|build|list|generate|doc|version", does: check, whole: true, with: goOptions + " -all -src -c -f: -deps -e", only: noWord("@")},
		// Where modules come from may hold a password.
		{call: "go env", does: check, whole: true, with: "-json", only: each(hasOperands, noWord("PROXY", "AUTH", "FLAGS"))},
		{call: "go run", does: check, whole: true, with: "-race -tags:", stop: true, only: noWord("@")},
		{call: "go tool cover", does: check, whole: true, with: "-func= -o="},
		{call: "golangci-lint run", does: check, with: "-v --verbose --fast --timeout: --new-from-rev: -E: -D: --enable: --disable:"},
		{call: "golangci-lint run", does: edit, with: "-v --verbose --fast --timeout: --fix"},
		{call: "staticcheck|goimports|gofumpt", does: edit, whole: true, with: "-l -d -e -w -local: -checks: -tests"},

		{call: "npm|pnpm|yarn|bun run|run-script dev|start|serve|preview|watch|storybook", does: serve, with: scriptWords},
		{call: "npm|pnpm|yarn start", does: serve, with: scriptWords},
		{call: "npm|pnpm|yarn|bun run|run-script", does: check, with: scriptWords + scriptFlags, only: hasOperands},
		// It obeys the project's .npmrc, which can have node load a file first.
		{call: "npm ls|list|explain|why", does: check, with: "--all -a --json --long -l --depth: --omit: --include: --prod --dev", texts: true},
		{call: "npm|pnpm|yarn test|t", does: check, with: scriptWords + " --coverage --watch=false --ci --run"},
		{call: "pnpm|yarn lint|build|typecheck|type-check|check|format", does: check, with: scriptWords + scriptFlags},
		{call: "rails test|routes|about|stats|notes", does: check, with: "-v -n: -b -f"},
		{call: "bun test", does: check, with: "--coverage --bail --timeout:"},
		{call: "node --test", does: check, whole: true, deep: true, only: each(hasOperands, plainReporter), with: "--test-reporter: --test-name-pattern: --watch --no-warnings"},
		{call: "node", does: check, whole: true, with: "--check --enable-source-maps --no-warnings", stop: true, only: noDebugger},
		{call: "deno test|lint|check|fmt", does: edit | Of(Fetch), only: noWord(":")},
		{call: "npx|bunx --no-install|--no", does: check, lax: true, tool: true},
		{call: "npx|bunx", does: check, lax: true, tool: true},
		{call: "pnpm exec", does: check, lax: true, tool: true},

		{call: "pytest|py.test", does: check, with: pytestWords, only: noReportFile},
		{call: "python|python3 -m pytest", does: check, with: pytestWords, only: noReportFile},
		{call: "python|python3 -m unittest", does: check, with: "-v -q -f -b -k: discover -s= -p: -t="},
		{call: "python|python3 -m mypy|flake8|pylint|pyright|compileall|py_compile|pyflakes|pycodestyle", does: check, with: "-v -q --strict --verbose --quiet"},
		{call: "mypy|flake8|pylint|pyright", does: check, with: "-v -q --strict --verbose --quiet --no-cache --ignore-missing-imports --select: --ignore: --diff --check --statistics"},
		{call: "ruff check", does: check, with: "-v -q --select: --ignore: --diff --no-cache --statistics --no-fix"},
		{call: "ruff format", does: check, with: "-v -q --diff --check --no-cache", only: onlyTells},
		{call: "black|isort", does: check, with: "-v -q --check --diff --verbose --quiet -l: --line-length: --profile:", only: onlyTells},
		{call: "python|python3 -m black|isort", does: check, with: "-v -q --check --diff --verbose --quiet -l: --line-length: --profile:", only: onlyTells},
		{call: "ruff check|format", does: edit, with: "-v -q --fix --unsafe-fixes --select: --ignore: --diff --check --no-cache"},
		{call: "black|isort", does: edit, with: "-v -q --check --diff --verbose --quiet -l: --line-length: --profile:"},
		{call: "python|python3 -m black|isort", does: edit, with: "-v -q --check --diff --verbose --quiet -l: --line-length: --profile:"},
		{call: "python|python3 -m ruff check|format", does: edit, with: "-v -q --fix --select: --ignore: --diff --check"},
		{call: "python|python3", does: check, with: "-u -B -W:", stop: true},

		{call: "cargo test|build|check|clippy|doc|bench|tree|metadata", does: check, with: cargoOptions},
		{call: "cargo run", does: check, with: cargoOptions},
		{call: "cargo fmt", does: edit, with: "--all --check -v -q"},
		{call: "cargo|rustc|pnpm|yarn|rustfmt|java|javac", does: check, whole: true, with: "--version -V -v -version", only: asksVersion},
		{call: "make|gmake", does: check, with: makeWords, only: noWord("=")},
		{call: "bash|sh", does: check, with: "-e -u -x -eu -ex -eux", stop: true, only: scriptFile},
		{call: "source|.", does: check, stop: true, only: activates},
		{call: "rspec|rake|phpunit|mocha|tox|nox|just|task", does: check},
		{call: "mix|swift|zig|dotnet test|build", does: check},
	}
}

func hasOperands(a cmdline.Command) bool { return !noOperands(a) }

// noReportFile reports whether no report of pytest goes to a file of its own: "html:DIR" names one.
func noReportFile(a cmdline.Command) bool {
	return !a.AnyWord(func(w string) bool {
		kind, _, named := strings.Cut(strings.TrimPrefix(w, "--cov-report="), ":")
		return named && slices.Contains([]string{"html", "xml", "json", "lcov", "annotate"}, kind)
	})
}

// scriptFile reports whether a shell is given a file that is no program of the system: it looks for a plain
// name among these, too.
func scriptFile(a cmdline.Command) bool {
	ops := a.Operands()
	return len(ops) > 0 && (strings.Contains(ops[0], "/") || strings.HasSuffix(ops[0], ".sh") || strings.HasSuffix(ops[0], ".bash"))
}

// activates reports whether a shell reads in the environment of Python that a project has.
func activates(a cmdline.Command) bool {
	return len(a.Words) == 1 && strings.HasSuffix(a.Words[0], "/bin/activate")
}

// noDebugger reports whether node runs a file, and not its debugger, which opens a port.
func noDebugger(a cmdline.Command) bool {
	ops := a.Operands()
	return len(ops) > 0 && ops[0] != "inspect" && ops[0] != "debug"
}

// word asks for a word as it is.
func word(w string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return a.Exactly(w) }
}

// ofTool is what a tool of the project does. One that has rows of its own does what these say of its words,
// and any other is known only when it does nothing but check: many run what they are given, or reach far.
func (r row) ofTool(a cmdline.Command, words []string) (d Doing, ok bool) {
	tool := script(words)
	if tool == "" {
		return Doing{}, false
	}
	d, ok = Doing{Does: r.does, Files: words}, checkTools.Has(words[0])
	if len(rows()[words[0]]) > 0 {
		own := a.Element
		own.Argv = words
		d, ok = Known(cmdline.Of(own))
	}
	d.Does |= r.does
	d.Tool = tool
	return d, ok
}

// checkTools look at a project, test it or translate it, whatever their words. Those that run a program
// which they are given are not here, nor those that open a port.
var checkTools = wordset.New("mocha ava tap jasmine stylelint biome oxlint standard xo svelte-check vue-tsc tsup depcheck madge knip ts-prune cspell markdownlint markdownlint-cli2 commitlint typedoc jsdoc babel swc")

// Script is the name of a project's program that "npx NAME" runs, "" when it would fetch one: a
// plain name, without a version behind it.
func script(words []string) string {
	if len(words) == 0 || words[0] == "" || strings.ContainsAny(words[0], "@/\\:.~") || strings.HasPrefix(words[0], "-") {
		return ""
	}
	return "node_modules/.bin/" + words[0]
}

// Runner is what a wrapper adds that runs the programs of a project's environment, and perhaps fills
// that first. 0 for any other.
func Runner(wrapper string) Set {
	switch wrapper {
	case "bundle exec", "poetry run", "pipenv run", "hatch run", "pdm run", "rye run":
		return Of(Check)
	case "uv run":
		return Of(Check, Fetch)
	}
	return 0
}

// onlyTells reports whether a formatter only says what it would change.
func onlyTells(a cmdline.Command) bool { return a.Exactly("--check") || a.Exactly("--diff") }
