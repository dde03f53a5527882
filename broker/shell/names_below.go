package shell

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
	"mvdan.cc/sh/v3/syntax"
)

// namesBelow reports whether a part of a pipeline prints nothing but names of files that lie
// below the folder it works in: a search there, or, when it reads such names, a filter that
// passes on whole lines. What has more than plain words does not count.
//
// With it "find . -name '*.go' | xargs wc -l" is no doubt: xargs appends words that nobody
// knows, but each of them is a file of the project. The lists here are short on purpose; what
// is missing is only asked about.
func (src *source) namesBelow(s *syntax.Stmt, reads bool) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || marked(s) || slices.ContainsFunc(s.Redirs, redirects) || len(call.Assigns) > 0 {
		return false
	}
	argv := make([]string, len(call.Args))
	for i, word := range call.Args {
		a := src.value(word)
		if braces(word)[0] != word || !a.sure() || a.Tilde {
			return false
		}
		argv[i] = a.Text
	}
	name, args := argv[0], argv[1:]
	switch {
	// The line may have its own find.
	case src.functions[name]:
		return false
	case reads && passing.Has(name) && passesLines(name, args):
		return true
	case name == "find":
		return !slices.ContainsFunc(args, leadsAway) && !slices.ContainsFunc(args, findPrints.Has)
	case name == "ls":
		return !slices.ContainsFunc(args, leadsAway) && !slices.ContainsFunc(args, lsTells)
	// Both print paths below the folder in which they start, or below the repository's.
	case name == "git":
		return len(args) > 0 && args[0] == "ls-files" || len(args) > 1 && args[0] == "diff" && slices.Contains(args, "--name-only") && !slices.Contains(args, "--no-index")
	case name == "grep" || name == "egrep" || name == "fgrep" || name == "rg":
		return !slices.ContainsFunc(args, leadsAway) && slices.ContainsFunc(args, listsFiles) && !slices.ContainsFunc(args, cutsLines)
	}
	return false
}

var (
	// passing are filters that drop and order lines.
	passing = wordset.New("grep egrep fgrep head tail sort uniq")
	// findPrints are actions of find that print other things than names, or run something.
	findPrints = wordset.New("-printf -fprintf -ls -fls -exec -execdir -ok -okdir -files0-from -L -follow")
)

// redirects reports whether a redirection is any other than that of complaints to nowhere.
func redirects(r *syntax.Redirect) bool {
	return r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" || r.Word.Lit() != "/dev/null"
}

// leadsAway reports whether a word may name a place that is not below the folder.
func leadsAway(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") || slices.Contains(strings.Split(word, "/"), "..")
}

// cutsLines reports whether a filter's option makes it print parts of lines, or read
// another file.
func cutsLines(word string) bool {
	if strings.HasPrefix(word, "--") {
		return !strings.HasPrefix(word, "--files-with") && word != "--files" && !strings.HasPrefix(word, "--include=") && !strings.HasPrefix(word, "--exclude=") && !strings.HasPrefix(word, "--exclude-dir=") && word != "--invert-match" && word != "--ignore-case" && word != "--reverse" && word != "--null"
	}
	return strings.HasPrefix(word, "-") && strings.ContainsAny(word[1:], "obcf")
}

// passesLines reports whether a filter passes on whole lines of what it reads, and opens
// no file itself.
func passesLines(name string, args []string) bool {
	operands := 0
	if strings.HasSuffix(name, "grep") {
		operands = -1 // the pattern
	}
	for _, a := range args {
		if cutsLines(a) || strings.HasPrefix(a, "-") && strings.ContainsAny(a, "rRe") && name != "sort" {
			return false
		}
		if !strings.HasPrefix(a, "-") && strings.Trim(a, "0123456789") != "" {
			operands++
		}
	}
	return operands <= 0
}

// listsFiles reports whether an option makes grep print the names of files alone.
func listsFiles(word string) bool {
	return strings.HasPrefix(word, "--files-with-matches") || word == "--files" || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word[1:], "lL")
}

// lsTells reports whether an option makes ls print more than names.
func lsTells(word string) bool {
	return strings.HasPrefix(word, "-") && strings.Trim(word[1:], "1aAtrRSd") != ""
}
