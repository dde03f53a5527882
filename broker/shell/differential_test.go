package shell

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// pieces are what the lines of TestShellsAgree are made of.
var pieces = strings.Split(strings.ReplaceAll(
	"m1 ¦m2 ¦ m3¦m1 m2¦ ¦ ¦ ¦x¦y¦-a¦;¦;¦&&¦||¦|¦|&¦&¦\n¦'¦'¦\"¦\"¦\\¦\\¦$(¦`¦)¦)¦(¦{ ¦; }¦{¦}¦{a,b}¦{m1,m2}¦if m1; then ¦; then ¦; else ¦"+
		"; fi¦fi¦while m1; do ¦for i in a b; do ¦; done¦done¦do¦in¦case x in x) ¦;; esac¦esac¦$i¦${i}¦$x¦x=1¦x=m2¦x=m2;¦"+
		"$((1+2))¦((¦))¦[[ ¦]] ¦[ ¦] ¦#¦ #¦<<E\n¦<<'E'\n¦<<-E\n¦\nE\n¦\nE¦E¦<<<¦>f¦>&f¦&>f¦2>&1¦>¦<¦<(¦f() {¦f()¦f¦function g {¦"+
		"g¦!¦! ¦time ¦=¦$'¦$\"¦\\\n¦\t¦~¦[a]¦@(¦eval ¦command ¦exec ¦echo ¦printf '%s' ¦env ¦then¦else¦%¦,¦..¦1¦2¦{1..3}¦"+
		"${x:-¦true¦false¦set -- ¦$1¦\"$i\"¦'a b'¦\"a b\"¦a\\ b¦\\n¦-¦--¦+¦repeat 2 ¦noglob ¦always ¦[m1]¦m1[¦coproc ¦"+
		"until m1; do ¦elif m1; then ¦=m1¦x+=1¦$x[1]¦$#¦export x=m2; ¦local x¦cd f && ¦cd f; ¦break¦continue¦exit¦return¦"+
		"unset x; ¦>!f¦>|f¦0<f¦3>f¦10>f¦{v}>f¦$[1]¦<->¦\\'¦\\\"¦\\`¦\\$¦\\;¦\\&¦\\#¦!m1¦}m1¦{m1¦]m1¦(m1¦)m1¦;m1¦&m1¦|m1¦"+
		"\"m1¦'m1¦`m1¦$(m1¦\nm1¦#m1¦m1#¦\\\nm1¦m1\\\n", "\r", ""), "¦")

// folder makes a folder that is gone after the test. Commands in the background may
// still write to it then, which is no failure.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "shell") //nolint:usetesting // TempDir fails when the folder is in use at the end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// recorders makes a folder of harmless programs that write down how they were called.
func recorders(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(folder(t), "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nx=$(printf '%s\\037' \"${0##*/}\" \"$@\"; printf '\\036')\nprintf %s \"$x\" >> \"$REC\"\n"
	for _, name := range []string{"m1", "m2", "m3"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"env", "cat"} {
		if p, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(p, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return bin
}

// ran runs a line in each shell, at the same time and in a folder of its own, and gives the
// commands that did run in each.
func ran(t *testing.T, shells [][]string, bin, line string) [][]string {
	t.Helper()
	all := make([][]string, len(shells))
	var wg sync.WaitGroup
	for i, shell := range shells {
		dir := folder(t)
		if err := os.Mkdir(filepath.Join(dir, "f"), 0o700); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { all[i] = ranIn(t.Context(), dir, shell, bin, line) })
	}
	wg.Wait()
	return all
}

// ranIn runs a line in a shell and a folder. The line may wait for input or loop for ever,
// so it gets little time.
func ranIn(ctx context.Context, dir string, shell []string, bin, line string) []string {
	rec := filepath.Join(filepath.Dir(bin), fmt.Sprint("rec", rand.Uint64()))
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, shell[0], append(shell[1:], line)...)
	c.Dir, c.WaitDelay = dir, time.Second
	c.Env = []string{"PATH=" + bin, "HOME=/nowhere", "REC=" + rec}
	_ = c.Run() // most of these lines fail; what has run before is what counts
	out, err := os.ReadFile(rec)
	if err != nil {
		return nil
	}
	var commands []string
	for _, one := range strings.Split(string(out), "\036") {
		if one != "" {
			commands = append(commands, strings.TrimSuffix(one, "\037"))
		}
	}
	return commands
}

// sure gives the commands of a line that nothing is unsure about.
func sure(line string) (commands map[string]bool, ok bool) {
	commands = make(map[string]bool)
	l := Parse(line)
	for _, e := range l.Elements {
		if e.Unsure != "" {
			return nil, false
		}
		if e.Kind == Command {
			commands[strings.Join(e.Argv, "\037")] = true
			commands[strings.ReplaceAll(strings.Join(e.Argv, "\037"), "~", "/nowhere")] = true
		}
	}
	return commands, l.Parsed
}

// TestShellsAgree runs random lines that Parse is sure about in the shells that are
// there: nothing may run that Parse did not list, word by word.
func TestShellsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many shells")
	}
	bin := recorders(t)
	var shells [][]string
	for _, s := range [][]string{{"bash", "-c"}, {"dash", "-c"}, {"zsh", "-fc"}} {
		if p, err := exec.LookPath(s[0]); err == nil {
			shells = append(shells, []string{p, s[1]})
		}
	}
	if len(shells) == 0 {
		t.Skip("no shell to compare with")
	}
	const seed = 7 // the same lines each time; another one finds other lines
	r := rand.New(rand.NewPCG(seed, 0))
	seen := 0
	for seen < 200 {
		var b strings.Builder
		for range 2 + r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(4) == 0 {
				b.WriteByte(' ')
			}
		}
		line := b.String()
		commands, ok := sure(line)
		if !ok || !strings.Contains(line, "m") {
			continue
		}
		for i, list := range ran(t, shells, bin, line) {
			s := shells[i]
			for _, one := range list {
				seen++
				if commands[one] || strings.HasSuffix(s[0], "dash") && strings.ContainsAny(one, "{$") {
					continue // a plain sh does not know braces and $'…': the words are harmless ones then
				}
				t.Errorf("seed %d: %s runs %q\nof the line %q", seed, s[0], one, line)
			}
		}
	}
}

// TestShellsRunThese runs lines in bash, to see that what the cases above say is so.
func TestShellsRunThese(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	bin := recorders(t)
	for _, line := range []string{
		"m1 a | m2 b && m3 c", "x=v; m1 $x \"$x\"", "for i in a b; do m1 \"$i\"; done", "m1 {a,b}{1..2} x{,.y}", "f() { m1; }; f",
		"m1 \"$(cat <<'E'\nx $(y)\n\nE\n)\"", "m1 'a b' \"c d\" e\\ f $'g\\th'", "m1 \\\n a", "eval 'm1 a' b", "if m1; then m2; fi",
		"env A=1 m1 x", "m1 $((2*(3+4)))", "m1 a#b '#' # c", "m1 a;m2 b&m3", "case a in a) m1;; esac", "m1 <<E\n$(m2)\nE",
		"cd f && m1", "! m1 || m2", "{ m1; (m2); }", "m1 \"$(m2)\" > f 2>&1", "x= ; m1 $x b", "m1 \"a\"'b'c\\d",
	} {
		l := Parse(line)
		listed := make(map[string]bool)
		for _, e := range l.Elements {
			listed[strings.Join(e.Argv, "\037")] = true
		}
		commands := ran(t, [][]string{{bash, "-c"}}, bin, line)[0]
		if len(commands) == 0 {
			t.Errorf("%q runs nothing", line)
		}
		for _, one := range commands {
			if !listed[one] && !strings.Contains(line, "$(m2)") {
				t.Errorf("%q runs %q, which is not in %s", line, one, show(l))
			}
		}
	}
}
