package rules

import "testing"

// Rules for plain programs do not let through what a line disguises: programs behind
// functions that do not take effect, and paths behind links that it makes or follows.
func TestDisguises(t *testing.T) {
	w := newWorld(t)
	var list []Rule
	for _, p := range []string{"ls *", "cat *", "ln *", "tee *", "cp *", "mv *", "grep *", "rg *", "find *", "sed *", "go fix *", "unset *", "diff *"} {
		list = append(list, rule(Allow, "Bash", "command", p))
	}
	rules := set(t, list...)
	for _, line := range []string{
		"rm() { ls; } | cat; rm -rf a",
		"rm() { ls; }; unset rm; rm -rf a",
		"rm() { ls; }; unset -- rm; rm -rf a",
		"rm() { ls; }; unset -v rm; rm -rf a",
		"rm() { ls; }; unset x rm; rm -rf a",
		"python3() { ls; } | cat; python3 evil.py",
		"function rm { ls; } | cat; rm a",
		"rm() (ls) | cat; rm a",
		"rm() if true; then ls; fi | cat; rm a",
		"! rm() { ls; }; rm a",
		"time rm() { ls; }; rm a",
		"rm() { ls; } |& cat; rm a",
		"{ rm() { ls; } | ls; }; rm a",
		"rm() { ls; unset rm; }; rm; rm -rf a",
		"ln -s /etc y && tee y/passwd",
		"ln -s .git y && tee y/hooks/pre-commit",
		"ln -s .. y && tee y/b",
		"mv src q; ln -s / src; tee src/b",
		"ln -s src y && cp go.mod y/x",
		"ln -s src y && cat y/etc/passwd",
		"ln -s src y && cd y && tee b",
		"ln -s src y && ls -R y",
		"cp -a src y && tee y/b",
		"ln -s /etc/passwd - && cat go.mod > -",
		"grep -R KEY .", "grep -nR KEY .", "grep --dereference-recursive KEY .", "rg -L x .", "rg --follow x", "rg -uuu x",
		"find -L . -name x", "find . -follow", "ls -LR", "ls -TLR", "diff -r src b", "cp -rL src b",
		"sed -i'/etc/*' s/a/b/ go.mod", "sed -i'src/*' s/a/b/ go.mod", "sed --in-place='*x' s/a/b/ go.mod",
		"go fix -fixtool x ./...", "go fix -fixtool=x ./...",
	} {
		if a := judge(t, rules, Prepare(w.bash(t, line))); a.Verdict != Ask {
			t.Errorf("%s: %s, want ask: %s", line, a.Verdict, a.Reason)
		}
	}
	for _, line := range []string{
		"tee y", "cp go.mod y", "mv go.mod b && ls", "mv go.mod b && ls src", "grep -r KEY .", "rg -u x", "find . -name x", "ls -R",
	} {
		if a := judge(t, rules, Prepare(w.bash(t, line))); a.Verdict != Allow {
			t.Errorf("%s: %s, want allow: %s", line, a.Verdict, a.Reason)
		}
	}
}
