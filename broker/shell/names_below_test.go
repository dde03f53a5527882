package shell

import (
	"cmp"
	"testing"
)

// xargs may hand files to a reader that something else than a search here has named.
func TestNamesBelow(t *testing.T) {
	for line, known := range map[string]bool{
		"find . -name '*.go' | xargs cat":                  true,
		"find src -type f -print0 | xargs -0 wc -l":        true,
		"ls src/*.go | xargs wc -l":                        true,
		"git ls-files '*.md' | xargs grep -n install":      true,
		"git diff --name-only main | xargs cat":            true,
		"rg -l x | sort | head -5 | xargs cat":             true,
		"grep -rl x src | grep -v y | xargs -n1 head":      true,
		"a | xargs echo":                                   true,
		"a | xargs cat":                                    false,
		"echo /etc/shadow | xargs cat":                     false,
		"find / -name id_rsa | xargs cat":                  false,
		"find ~ -name id_rsa | xargs cat":                  false,
		"find .. | xargs cat":                              false,
		"find {.,/etc} | xargs cat":                        false,
		"find src/{a,../../b} | xargs cat":                 false,
		"find a/../.. | xargs cat":                         false,
		"find -L . | xargs cat":                            false,
		"find . -printf /etc/shadow | xargs cat":           false,
		"find . -exec echo /etc/shadow ';' | xargs cat":    false,
		"find $X | xargs cat":                              false,
		"find . | xargs cat < names":                       false,
		"find . | tr a / | xargs cat":                      false,
		"find . | grep -o s | xargs cat":                   false,
		"find . | head -c 9 | xargs cat":                   false,
		"find . | cut -c2- | xargs cat":                    false,
		"find . | sed s,^,/, | xargs cat":                  false,
		"find . | { cat; echo /etc/shadow; } | xargs cat":  false,
		"(find .; echo /etc/shadow) | xargs cat":           false,
		"find() { echo /etc/shadow; }; find . | xargs cat": false,
		"ls -l | xargs cat":                                false,
		"ls / | xargs cat":                                 false,
		"git log | xargs cat":                              false,
		"git diff --no-index --name-only / /a | xargs cat": false,
		"git -C / ls-files | xargs cat":                    false,
		"grep -r x . | xargs cat":                          false,
		"grep -rl x / | xargs cat":                         false,
		"grep -rlf names . | xargs cat":                    false,
		"xargs cat < names":                                false,
		"xargs -a names cat":                               false,
		"sort names | xargs cat":                           false,
		"find . | sort names | xargs cat":                  false,
		"find . | head names | xargs cat":                  false,
		"find . | grep -r x | xargs cat":                   false,
		"find . | grep x names | xargs cat":                false,
		"find . | sort -r | head -n 5 | xargs cat":         true,
		"ls -1 | xargs cat":                                true,
		"egrep -l x src | xargs cat":                       true,
		"fgrep -l x src | xargs cat":                       true,
		"grep --files-with-matches x src | xargs cat":      true,
		"grep -l --invert-match x src | xargs cat":         true,
		"grep -l --ignore-case x src | xargs cat":          true,
		"grep -l --null x src | xargs -0 cat":              true,
		"find . | sort --reverse | xargs cat":              true,
		"find . | grep rRe | xargs cat":                    true,
		"find . > f | xargs cat":                           false,
		"find . 2>/dev/null | xargs cat":                   true,
		"find . 2>f | xargs cat":                           false,
		"find . >/dev/null | xargs cat":                    false,
		"find . 2>>/dev/null | xargs cat":                  false,
		"find . </etc/shadow | xargs cat":                  false,
		"rg --files src | xargs cat":                       true,
		"grep -rlZ --include='*.go' x src | xargs -0 cat":  true,
		"find . | sort --files0-from=names | xargs cat":    false,
		"A=b find . | xargs cat":                           false,
		"A=b | xargs cat":                                  false,
		"git ls-files ~/x | xargs cat":                     false,
		"find '~' | xargs cat":                             false,
		"git | xargs cat":                                  false,
		"git diff | xargs cat":                             false,
		"git diff main | xargs cat":                        false,
		"git log --name-only | xargs cat":                  false,
		"sort | xargs cat":                                 false,
		"find . | rev | xargs cat":                         false,
		"find . | wc | xargs cat":                          false,
		"grep -l --only-matching x src | xargs cat":        false,
		"grep --null x src | xargs cat":                    false,
		"grep l src | xargs cat":                           false,
	} {
		doubt := ""
		for _, e := range Parse(line).Elements {
			if len(e.Via) > 0 || e.Argv != nil && e.Argv[0] == "xargs" {
				doubt = cmp.Or(doubt, e.Unsure)
			}
		}
		if (doubt == "") != known {
			t.Errorf("%s: %q", line, doubt)
		}
	}
}

// What is unsure for its names alone is told apart: whoever looks at the disk may know better.
func TestDoubtsAboutNames(t *testing.T) {
	for line, names := range map[string]bool{
		"rm *.log": true, "cp *.md docs": true, "git add *.md": true, "find . -exec gofmt -l {} +": true, "find . | xargs sed -n 1p": true,
		"rm *.log $X": false, "rm $X *.log": false, "a | xargs gofmt -l": false, "xargs gofmt -l": false, "tar cf h:a *": false, "sh -c \"rm $X\" *": false, "eval rm '*.log'": true,
		"kill *": true, "diff -r a b": true, "grep -R x a": true, "diff -r $X a": false, "mv a b && cat c": true, "ln -s a b && cat b": true, "test '$(x)' *": false, "sudo -u $X rm *.log": false, "a | xargs cat": false, "find . -exec sh -c x {} +": false,
	} {
		got, unsure := true, false
		for _, e := range Parse(line).Elements {
			unsure = unsure || e.Unsure != ""
			got = got && (e.Unsure == "" || e.Names)
			if e.Names && e.Unsure == "" {
				t.Errorf("%s: %s has no doubt", line, e.Text)
			}
		}
		if (got && unsure) != names {
			t.Errorf("%s: names alone %t", line, got)
		}
	}
}
