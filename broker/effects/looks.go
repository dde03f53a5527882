package effects

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell/little"
)

// lookRows are programs that only look, or look at too much. A program is here only if all its options are known, on
// Linux and macOS. Not here is what may fetch another version of itself because a file of the project
// says so, even to tell its own: go, cargo, rustc, pnpm and yarn.
func lookRows() []row {
	look := Of(Look)
	return []row{
		{call: "ls|cat|head|tail|cut|tr|cmp|comm|nl|tac|rev|fold|paste|join|expand|unexpand|stat|df|readlink|realpath|od|test|[|column", does: look, lax: true},
		{call: "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|shasum|sum|cksum", does: look, lax: true, not: "-c --check"},
		{call: "hexdump", does: look, lax: true, not: "-f"},
		// A word such as @FILE is for strings a file with more words.
		{call: "strings", does: look, lax: true, only: noWord("@")},
		{call: "pwd|echo|which|whoami|basename|dirname|true|false|sleep|seq|type|arch|nproc|uptime|uname|id|groups|free", does: look, lax: true, texts: true},
		{call: "find", does: look, lax: true, only: findLooks},
		{call: "fd|fdfind", does: look, lax: true, not: "-x -X --exec --exec-batch", first: true},
		{call: "grep|egrep|fgrep", does: look, lax: true, first: true},
		{call: "rg", does: look, lax: true, not: "--pre --pre-glob --hostname-bin -z --search-zip", first: true},
		{call: "sort", does: look, lax: true, not: "-o --output --compress-program -T --temporary-directory --files0-from"},
		{call: "jq", does: look, lax: true, not: "-f --from-file -L --library-path --slurpfile --rawfile --argfile", first: true},
		// There are two programs of this name, with other options.
		{call: "yq", does: look, with: "-r -y -Y -c -e -S -P -C -M -N -j -o: -p: -I: --raw-output --yaml-output --compact-output --exit-status --no-colors --sort-keys", first: true, only: noWord("load", "env", "ENV", "system", "eval", "include", "import", "input")},
		// Package shell has read the programs of sed and awk, and doubts what writes or runs anything.
		{call: "sed", does: look, with: "-n -E -r -s -z", first: true, only: sedPrints},
		{call: "sed", does: look, with: "-n -E -r -s -z -e:", only: sedPrints},
		{call: "awk|gawk|mawk", does: look, with: "-F: -v:", first: true},
		{call: "date", does: look, lax: true, not: "-s --set -r --reference -f --file", texts: true},
		{call: "tree", does: look, lax: true, not: "-o --output --fromfile"},
		{call: "uniq", does: look, lax: true, only: oneOperand},
		{call: "file", does: look, lax: true, not: "-C --compile -m --magic-file -z -Z -f --files-from -p --preserve-date"},
		{call: "ps", does: Of(Secrets), lax: true, texts: true, why: "shows how other programs were called, which may tell a token"},
		{call: "hostname", does: look, lax: true, not: "-F --file -b --boot", only: noOperands},
		{call: "du", does: look, lax: true, not: "--files0-from -X --exclude-from"},
		{call: "wc", does: look, lax: true, not: "--files0-from"},
		{call: "diff", does: look, lax: true, not: "--from-file --to-file"},
		{call: "xxd", does: look, lax: true, not: "-r", only: oneOperand},
		{call: "printf", does: look, lax: true, not: "-v", texts: true},
		{call: "base64", does: look, lax: true, not: "-o --output"},
		{call: "node|python|python3|python2|ruby|npm|deno|bun|gcc|g++|clang|cmake|make|docker|gh|pip|pip3|uv|poetry|perl|npx|tsc|swift|zig", does: look, lax: true, texts: true, only: asksVersion},
	}
}

// The questions that rows ask besides: findLooks and those below.
func findLooks(a cmdline.Command) bool {
	return !a.AnyWord(func(w string) bool {
		return cmdline.Matches("-delete|-exec|-execdir|-ok|-okdir|-fprint*|-fls|-files0-from|-newer*", w)
	})
}

func oneOperand(a cmdline.Command) bool { return len(a.Operands()) <= 1 }

func noWord(parts ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return !a.AnyWord(mentions(parts...)) }
}

func asksVersion(a cmdline.Command) bool {
	if len(a.Words) != 1 {
		return false
	}
	switch a.Words[0] {
	case "--version", "-V", "-version":
		return true
	case "-v":
		return a.Name == "node" || a.Name == "ruby" || a.Name == "npm"
	case "version":
		return a.Name == "zig"
	}
	return false
}

func noOperands(a cmdline.Command) bool { return len(a.Operands()) == 0 }

// mentions is a test for a word that holds one of the parts.
func mentions(parts ...string) func(string) bool {
	return func(w string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(w, p) })
	}
}

// sedPrints reports whether the programs of sed among the words only print.
func sedPrints(a cmdline.Command) bool {
	texts := a.Values("-e")
	if ops := a.Operands(); len(texts) == 0 && len(ops) > 0 {
		texts = ops[:1]
	}
	for _, text := range texts {
		acts, ok := little.Sed(text)
		if !ok || len(acts) > 0 {
			return false
		}
	}
	return len(texts) > 0
}
