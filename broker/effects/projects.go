package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// Options that several of the rows below allow.
const (
	flake8Words   = "--max-line-length: --extend-ignore: --extend-exclude: --exclude: --max-complexity: --count --show-source --statistics --select: --ignore: -v -q"
	compilerWords = "-c -g -S -E -O -O0 -O1 -O2 -O3 -Os -Og -Wall -Wextra -Werror -Wpedantic -Wshadow -Wconversion -pedantic -pthread -fPIC -shared -fsyntax-only -MMD -MP -lm -lpthread -ldl -o= -I= -L= -D: " +
		"-fsanitize=address -fsanitize=undefined -fsanitize=address,undefined -std=c89 -std=c99 -std=c11 -std=c17 -std=c23 -std=gnu11 -std=gnu17 -std=c++11 -std=c++14 -std=c++17 -std=c++20 -std=c++23"
	cmakeWords = "-B= -S= -G: -DCMAKE_BUILD_TYPE=Debug -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DBUILD_TESTING=ON -DBUILD_TESTING=OFF"
)

// projectRows are programs of one kind of project, or of one form that is common: what they ask
// besides is longer than the row. Those that load a module of the working folder, as python -m does, are
// checks whatever they do, since the folder may have a module of that name.
func projectRows() []row {
	look, check, edit := Of(Look), Of(Check), Of(Edit)
	return append([]row{
		// Who listens at a port is told. All open files, or with whom the machine talks, is nobody's business.
		{call: "lsof", does: look, lax: true, texts: true, only: asksPort},
		{call: "ss|netstat", does: look, lax: true, texts: true, only: allWords(`-[tunp]*l[ltunp]*`)},
		{call: "tar", does: look, lax: true, only: tarLists},
		{call: "tar", does: edit, lax: true, only: tarPacks},
		{call: "unzip -l", does: look, only: zipsOnly},
		{call: "clear", does: look, only: noOperands},
		{call: "openssl rand", does: look, with: "-hex -base64", texts: true},
		{call: "composer test|lint", does: check, only: noOperands},
		{call: "composer run-script|run", does: check, with: "-n --no-interaction", texts: true, only: operandsOf("test", "lint", "check", "format")},
		{call: "terraform validate", does: check, with: "-no-color -json", only: noOperands},
		{call: "npm pkg get", does: check, texts: true},
		{call: "npm run|run-script", does: check, only: noOperands},
		{call: "protoc|shellcheck|clang-format|clang-tidy|ctest", does: look, lax: true, texts: true, only: asksVersion},
		{call: "clang-format", does: edit, with: "-i -n --dry-run -Werror --Werror", only: noLists},
		{call: "sed", does: edit, with: "-i.bak -i.orig -E -n -r", first: true, only: sedKeeps},
		{call: "sed", does: edit, with: "-i.bak -i.orig -E -n -r -e:", only: sedBacksUp},

		{call: "go clean -testcache", does: check, only: noOperands},
		{call: "pnpm -r|--recursive build|test|lint|typecheck|check|format", does: check, only: noOperands},
		{call: "pnpm -r|--recursive run build|test|lint|typecheck|check|format", does: check, only: noOperands},
		{call: "vite|next build", does: check, with: "--mode:", only: operandsBut(0, "--mode")},
		{call: "webpack", does: check, with: "--mode:", only: operandsBut(0, "--mode")},
		{call: "rollup", does: check, with: "-c --config", only: noOperands},
		{call: "kill", does: check, lax: true, texts: true, only: allWords(`%[0-9]+`)},
		{call: "bash|sh -n", does: check},
		{call: "shellcheck", does: check, with: "-x -a -s: -e: -f: -S: --shell: --exclude: --format: --severity:"},
		{call: "clang-tidy", does: check, with: "-p= --checks: --quiet -quiet", only: noLists},
		{call: "gcc|g++|cc|c++|clang|clang++", does: Of(Check, Edit), with: compilerWords, only: noLists},
		{call: "cmake --build", does: check, with: "-j -j1 -j2 -j4 -j8 -j16 --parallel --target: -t: --config: -v --verbose --clean-first", only: noLists},
		{call: "cmake", does: check, with: cmakeWords, only: hasWord("-B")},
		{call: "ctest", does: check, with: "--test-dir= --output-on-failure -V -VV -N -Q -R: -E: -L: -j: -C: --rerun-failed"},
		{call: "mvn", does: check, with: "-q -o -B -e -ntp --quiet --offline --batch-mode -DskipTests", texts: true, only: operandsOf("clean", "validate", "compile", "test-compile", "test", "package", "verify")},
		{call: "mvn", does: check, lax: true, texts: true, only: asksVersion},
		{call: "gradle", does: check, with: "-q --quiet --offline --no-daemon --stacktrace --info --parallel --continue -x:", texts: true, only: operandsOf("clean", "build", "test", "check", "assemble", "classes", "compileJava", "compileKotlin")},
		{call: "javac", does: Of(Check, Edit), with: "-d= -g -parameters -Xlint -Xlint:all --release: -encoding:", only: noLists},
		{call: "rustfmt", does: Of(Check, Edit), with: "--check --edition: -v -q"},
		{call: "ruby", does: check, with: "-c -w -W0 -W1 -W2 -I=", stop: true, only: oneFolderEach},
		{call: "php -l", does: check},
		{call: "rubocop", does: check, with: "-P --parallel -D --display-cop-names -f: --only: --except:", only: plainFormat},
		{call: "rubocop", does: Of(Check, Edit), with: "-a -A --autocorrect --autocorrect-all -P --parallel -D --display-cop-names -f: --only: --except:", only: plainFormat},
	}, slices.Concat(pythonRows(), webRows(), fetchRows())...)
}

// pythonRows are tools of a project in Python, and what its environment tells of itself.
func pythonRows() []row {
	check := Of(Check)
	rows := []row{
		{call: "pip|pip3 list", does: Of(Check, Fetch, Secrets), with: "--format: -l --local --user --not-required --exclude-editable -v", only: operandsBut(0, "--format"), why: "pip asks the registry for a newer pip, with the keys for that"},
		{call: "pip|pip3 show", does: check, with: "-f --files -v", texts: true},
		{call: "pip|pip3 freeze", does: check, with: "--local -l --all --user --exclude-editable", only: noOperands},
		{call: "pip|pip3 check", does: check, only: noOperands},
		{call: "pytest|py.test", does: check, with: pytestWords + " -p:", only: pluginsOff},
		{call: "flake8", does: check, with: flake8Words},
		{call: "pylint", does: check, with: "-v -E --errors-only --disable: --enable: -d: -e: --score:"},
	}
	for _, r := range rows {
		programs, call, _ := strings.Cut(r.call, " ")
		name, _, _ := strings.Cut(programs, "|")
		r.call = strings.TrimSuffix("python|python3 -m "+name+" "+call, " ")
		rows = append(rows, r)
	}
	return append(rows, []row{
		{call: "python|python3 -m pip --version", does: check, only: noOperands},
		{call: "python|python3 -m build", does: Of(Check, Fetch), with: "-s -w -n --sdist --wheel --no-isolation", only: noOperands},
		{call: "python|python3 -m json.tool", does: check, with: "--sort-keys --indent: --compact --no-ensure-ascii --json-lines", only: operandsBut(1, "--indent")},
		{call: "coverage run -m pytest", does: check, with: pytestWords},
		{call: "coverage run -m unittest", does: check, with: "-v -q -f -b -k: discover -s= -p: -t="},
		{call: "coverage run", does: check, with: "--branch --source: -p --parallel-mode", stop: true},
		{call: "coverage report|html|xml|json", does: check, with: "-m --show-missing --skip-covered --skip-empty --fail-under: -i --include: --omit: -d= -o="},
		{call: "tox", does: Of(Check, Fetch), with: "-e: -q -v -r -p:"},
		{call: "nox", does: Of(Check, Fetch), with: "-s: -r -R"},
	}...)
}

// allWords asks that all words fit a pattern, each as a whole, and that there is one.
func allWords(pattern string) func(cmdline.Command) bool {
	fits := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(` + pattern + `)$`) })
	return func(a cmdline.Command) bool {
		return len(a.Words) > 0 && !a.AnyWord(func(w string) bool { return !fits().MatchString(w) })
	}
}

// noLists asks that no word is read from a file, as @FILE is, and that nothing stands behind --, which
// may be for another program.
func noLists(a cmdline.Command) bool {
	return !a.AnyWord(func(w string) bool { return w == "--" || strings.HasPrefix(w, "@") })
}

// hasWord asks for a word that begins so.
func hasWord(start string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool {
		return noLists(a) && a.AnyWord(func(w string) bool { return strings.HasPrefix(w, start) })
	}
}

// operandsOf asks that each word that is no option is one of those, and that there is one. The value of an
// option counts as such a word.
func operandsOf(names ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool {
		ops := a.Operands()
		return len(ops) > 0 && !slices.ContainsFunc(ops, func(w string) bool { return !slices.Contains(names, w) })
	}
}

// tarLists reports whether tar only lists one archive: what its name has before a colon is another
// machine to it.
func tarLists(a cmdline.Command) bool { return tarDoes(a, 't') }

// tarPacks reports whether tar makes one archive of what it is given by name. @FILE is an archive
// to some, which may say what else to read.
func tarPacks(a cmdline.Command) bool {
	return tarDoes(a, 'c') && len(a.Words) > 2 && !slices.ContainsFunc(a.Words[2:], func(w string) bool { return strings.HasPrefix(w, "@") })
}

// tarDoes reports whether the first word of tar is letters that end in the f of the archive, which
// follows, and one of them says what it does. No other word is an option.
func tarDoes(a cmdline.Command, what byte) bool {
	if len(a.Words) < 2 || strings.Contains(a.Words[1], ":") || a.Words[1] == "-" && what == 'c' {
		return false
	}
	letters := strings.TrimPrefix(a.Words[0], "-")
	rest := strings.Replace(letters, string(what), "", 1)
	return len(rest) == len(letters)-1 && strings.HasSuffix(rest, "f") && strings.Trim(rest[:len(rest)-1], "zjJv") == "" &&
		!slices.ContainsFunc(a.Words[1:], func(w string) bool { return w != "-" && strings.HasPrefix(w, "-") })
}

// zipsOnly asks for one file that has the end of its name: unzip tries others that end so.
func zipsOnly(a cmdline.Command) bool {
	return len(a.Words) == 1 && cmdline.Matches("*.zip|*.jar|*.whl", a.Words[0])
}

// sedKeeps is for sed with a backup of each file, and sedBacksUp for one with its programs behind -e.
func sedKeeps(a cmdline.Command) bool   { return a.Exactly("-i.bak", "-i.orig") }
func sedBacksUp(a cmdline.Command) bool { return sedKeeps(a) && a.Exactly("-e") }

// oneFolderEach asks that each -I names one folder.
func oneFolderEach(a cmdline.Command) bool {
	named := a.AnyWord(func(w string) bool { return strings.HasPrefix(w, "-I") })
	return !named || !a.AnyWord(mentions(":"))
}

// pluginsOff asks that each -p of pytest takes a plugin away. Where one is in a cluster, nobody asks
// what it loads.
func pluginsOff(a cmdline.Command) bool {
	off := false
	for i, w := range a.Words {
		at := strings.IndexByte(w, 'p')
		switch {
		case !strings.HasPrefix(w, "-") || strings.HasPrefix(w, "--") || at < 0:
			continue
		case w == "-p" && i+1 < len(a.Words) && strings.HasPrefix(a.Words[i+1], "no:"), strings.HasPrefix(w, "-pno:"):
			off = true
		default:
			return false
		}
	}
	return off
}

// operandsBut asks for so many operands at most, beside the values of an option.
func operandsBut(most int, option string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool {
		n := len(a.Operands())
		for i, w := range a.Words {
			if w == option && i+1 < len(a.Words) && !strings.HasPrefix(a.Words[i+1], "-") {
				n--
			}
		}
		return n <= most
	}
}

// asksPort reports whether lsof is asked about one port, or several.
func asksPort(a cmdline.Command) bool {
	return allWords(`-[tnP]+i?|-i|-[tnP]*i(tcp|udp|TCP|UDP)?:[0-9]+|(tcp|udp|TCP|UDP)?:[0-9]+|-sTCP:LISTEN`)(a) &&
		a.AnyWord(func(w string) bool { return strings.Contains(w, ":") && w != "-sTCP:LISTEN" }) && a.AnyWord(func(w string) bool { return strings.HasPrefix(w, "-") && strings.Contains(w, "i") })
}
