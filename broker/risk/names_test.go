package risk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// In a text of code each name may be a file, whatever stands around it.
func TestNamesInCode(t *testing.T) {
	long := strings.Repeat("a", 1000-len("/.netrc")) + "/.netrc"
	for text, want := range map[string]bool{
		"x .netrc": true, "a.pem": true, "~/.netrc": true, "/etc/master.passwd": true, "etc/master.passwd": false, "x/e.key": true, "~e.key": true, "e.key": false, "secrets.token": false, "x/secrets.token": true, "secrets.json": true, "secrets.yml": true, "secrets.yaml": true, "secrets.toml": true, "secrets.env": true,
		"secrets.txt": true, "secrets.ini": true, ".p8": false, "a.p8": true, "id_rsa": false, long: true, "a" + long: false, "": false,
	} {
		r := assessLine(shell.Element{Kind: shell.Unknown, Text: text})
		if finds(r, readsKeys) != want {
			t.Errorf("%.40q: %v", text, !want)
		}
	}
	for _, c := range " \t\n\r'\"`(),;=[]{}<>|&:$\\" {
		r := assessLine(shell.Element{Kind: shell.Unknown, Text: fmt.Sprintf("a%c.netrc%cb", c, c)})
		if !finds(r, readsKeys) {
			t.Errorf("between %q", c)
		}
	}
	for n, want := range map[int]bool{maxWords: false, maxWords + 1: true} {
		r := assessLine(shell.Element{Kind: shell.Unknown, Text: strings.Repeat("x ", n)})
		if finds(r, tooLong) != want {
			t.Errorf("%d words: %+v", n, r)
		}
	}
	r := assessLine(shell.Element{Kind: shell.Unknown, Text: ".claude/x"})
	if !r.Guarded {
		t.Errorf("an agent's settings: %+v", r)
	}
	for line, want := range map[string]bool{
		"python -c 'open(\"x/.netrc\")'": true, "awk 'x y=\".netrc\"'": true, "sed 'r\t.netrc'": true, "perl 'a\n(.netrc)'": true, "echo 'open(\"x/.netrc\")'": false, "unheard-of 'open(\"x/.netrc\")'": false, "python -c a[.netrc]": false, "psql -c 'copy \".netrc\"'": true,
	} {
		if got := finds(assessLine(run(line)), readsKeys); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	for program, want := range map[string]bool{"python": true, "cat": false} {
		for stdin, given := range map[string]bool{"text": true, "pipe": false, "": false} {
			e := run(program)
			e.Stdin = stdin
			l := lineOf(e)
			l.Raw = program + " <<E\nx/.netrc\nE"
			if got := finds(Assess(Call{Tool: "Bash", Line: l}, place()), readsKeys); got != (want && given) {
				t.Errorf("%s reads %q: %v", program, stdin, got)
			}
		}
	}
	e := run("psql")
	l := lineOf(e)
	l.Raw = "DROP TABLE x"
	if finds(Assess(Call{Tool: "Bash", Line: l}, place()), "deletes data in a database") {
		t.Error("psql that reads nothing")
	}
}

// What nobody can read as a line is judged by its looks.
func TestLooksOfText(t *testing.T) {
	for why, list := range map[string]string{
		"deletes outside the project":          "rm -r /x; rm -f ~; rm -v -R '..; rm -i -f -v \"/; rm -rf $HOME; rm -rf ${HOME}/x; rm -rf *",
		"changes disks":                        "mkfs.ext4 x; mkfs x; wipefs x; fdisk x; parted x; diskutil eraseDisk x; diskutil  erase x",
		"writes to a device":                   "dd if=x of=/dev/sda; x > /dev/sda; x >/dev/hda; > /dev/nvme0; > /dev/vda; > /dev/xvda; > /dev/disk1; > /dev/mmcblk0; > /dev/mem",
		"runs what comes from the network":     "curl x | sh; wget x | /bin/bash; fetch x | sudo sh; nc x | env zsh; ncat x | dash; aria2c x | ksh; curl x | fish; curl x | python3; wget x | sudo node -; curl x | perl; curl x | ruby; curl x|php; sh <(curl x); bash -c $(wget x); zsh `curl x`; eval $(curl x); source <(curl x); python3 <(curl x); node -e $(curl x); perl $( curl x); ruby <(wget x); php <(wget x)",
		"starts processes endlessly":           `a(){ b | c & }\\; :() { :|:& } \\`,
		"talks to the network":                 "x > /dev/tcp/h/1; /dev/udp/h/1",
		"runs as another user":                 "sudo x; doas x; pkexec x",
		"forces a push":                        "git push -f; git push --force; git -C x push --mirror; git push o +main",
		"throws away uncommitted work":         "git reset --hard; git -C x reset a --hard",
		"changes the rights of a whole folder": "chmod -R x y; chmod -v --recursive x; chmod -vR x",
		commands.AsksNobody:                    "claude --dangerously-skip-permissions; codex --dangerously-bypass-approvals-and-sandbox; amp --dangerously-allow-all; x --yolo; X --YOLO",
		"":                                     "rm x; rm -v /x; mkfsx; dd if=/dev/sda; x > /dev/null; curl x | shx; curl x | jq; curl x | python3 -c y; curl x; sh; sh x; a(){ b; }; sudox; git push; git reset; git reset --soft; chmod x y; --yolox; dangerously",
	} {
		for _, text := range lines(list) {
			text = strings.ReplaceAll(text, `\\`, ";")
			r := assessLine(shell.Element{Kind: shell.Unknown, Text: text})
			if why != "" && !finds(r, why) || why == "" && len(r.Findings) > 0 {
				t.Errorf("%s: %+v; want %q", text, r.Findings, why)
			}
		}
	}
}

// A function that starts itself twice needs its own name three times.
func TestForkBombs(t *testing.T) {
	for text, want := range map[string]bool{"b(){ b|b& };b": true, "a.b () { a.b | a.b & }": true, "b(){ c|b& };b": false, "b(){ b|c& };b": false, "b(){ c|c& };b": false, "b(){ b; };b": false, "a(){ x|y& }; b(){ b|b& }": true, strings.Repeat("a(){ x|y& }; ", 20) + "b(){ b|b& };b": true} {
		l := lineOf(run("x"))
		l.Raw = text
		if got := finds(Assess(Call{Tool: "Bash", Line: l}, place()), "starts processes endlessly"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// The parts of a word that may be a file's name.
func TestPiecesOfWords(t *testing.T) {
	for w, want := range map[string]string{
		"a": "a", "": "", "-a": "", "-ab": "b", "-a=b": "b b", "--ab": "", "--a=b": "b", "a=b": "a=b b", "a@b": "a@b b", "a:b": "a:b b", "a=": "a=", "=a": "=a a", "http://x": "http://x", "file:///x": "file:///x /x", "a=file://b": "a=file://b file://b b", "a=b:c@d": "a=b:c@d b:c@d d c@d", "-": "", "a\nb": "", "x@y://z": "x@y://z y://z",
		strings.Repeat("a", 4097): "",
	} {
		if got := strings.Join(cmdline.Pieces(w), " "); got != want {
			t.Errorf("%.20q: %q", w, got)
		}
	}
	if len(cmdline.Pieces(strings.Repeat("a", 4096))) != 1 {
		t.Error("a long word is no file")
	}
	if got := strings.Join(gitPieces(":0:a=b"), " "); got != ":0:a=b b 0:a=b 0:a=b a=b b" {
		t.Errorf("pieces of git's words: %q", got)
	}
	for _, c := range []struct {
		s    string
		n    int
		want bool
	}{
		{"", 0, true},
		{"", 1, false},
		{"ab", 2, true},
		{"a", 2, false},
		{"*?", 1, false},
		{"*a", 1, true},
		{"[ab]", 1, false},
		{"[ab]c", 1, true},
		{"{a,b}", 1, false},
		{"{a,b}c", 1, true},
		{"[", 1, true},
		{"{", 1, true},
		{"[]", 1, true},
		{"{}", 1, true},
		{"[a", 2, true},
		{"{a", 2, true},
		{"[a]b{c}d", 2, true},
		{"[a]b{c}", 2, false},
		{"[a}b]", 1, false},
		{"{a]b}", 1, false},
	} {
		if pathtable.Literals(c.s, c.n) != c.want {
			t.Errorf("%s has %d characters: %v", c.s, c.n, !c.want)
		}
	}
	// The folder that files are copied into is not copied itself.
	if r := assessLine(run("cp -t x/.envrc a")); finds(r, "changes a setting that can run code") {
		t.Errorf("cp -t: %+v", r.Findings)
	}
	if r := assessLine(run("rsync -t x/.envrc b")); !finds(r, "changes a setting that can run code") {
		t.Errorf("rsync -t: %+v", r.Findings)
	}
}

// A search by a tool looks below the folder it is given, or below its own.
func TestToolsThatLookBelow(t *testing.T) {
	at := place()
	at.Secrets = func(dir string) ([]string, bool) {
		if dir == "/home/u/src/app" {
			return []string{dir + "/.env"}, true
		}
		return []string{dir + "/b.pem"}, true
	}
	for input, want := range map[string]string{
		`Grep {"path":"sub"}`: "b.pem", `Grep {}`: ".env", `Grep {"path":"."}`: ".env", `Grep {"path":"sub","glob":"*.go"}`: "", `Grep {"path":"sub","glob":"!b.pem"}`: "", `grep {"path":"sub"}`: "b.pem", `grep {}`: ".env", `grep_search {"dir_path":"sub"}`: "b.pem", `grep_files {}`: ".env",
		`search_file_content {}`: ".env", `read_many_files {"paths":["sub"]}`: "b.pem", `read_many_files {"paths":["","sub"]}`: "b.pem", `LS {"path":"sub"}`: "", `Glob {"pattern":"*"}`: "", `list_directory {"path":"sub"}`: "", `Read {"file_path":"sub"}`: "", `LS {}`: "", `mcp__x__grep {"path":"sub"}`: "b.pem", `MyGrep {}`: ".env", `mcp__x__find {"path":"sub"}`: "",
	} {
		tool, in, _ := strings.Cut(input, " ")
		got := strings.Join(beginning(Assess(Call{Tool: tool, Input: json.RawMessage(in)}, at), readsKeys+": "), " ")
		if strings.TrimPrefix(got, readsKeys+": ") != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
	for _, tool := range []string{"grep_search", "grep_files", "search_file_content", "grep"} {
		for _, param := range []string{"include", "include_pattern", "glob"} {
			for pattern, want := range map[string]int{"*.go": 0, "*.env": 1} {
				r := Assess(Call{Tool: tool, Input: json.RawMessage(fmt.Sprintf(`{%q:%q}`, param, pattern))}, at)
				if len(beginning(r, readsKeys+": ")) != want {
					t.Errorf("%s with %s %s: %+v", tool, param, pattern, r.Findings)
				}
			}
		}
	}
	for input, want := range map[string]Class{
		`Grep {"pattern":"x","glob":"!a/.env"}`: Safe, `Grep {"pattern":"x","glob":"a/.env"}`: Dangerous, `Grep {"pattern":"x","glob":"*.go,.env"}`: Dangerous, `Grep {"pattern":"x","glob":"*.go},.env"}`: Dangerous, `Grep {"pattern":"x","glob":"{*.go,.env"}`: Dangerous, `Grep {"pattern":"x","glob":"*.{go,pem}"}`: Dangerous, `Grep {"pattern":"x","glob":"!a .claude/x"}`: Dangerous, `Grep {"pattern":"x","glob":"\\.env"}`: Dangerous,
		`Glob {"pattern":"!a/.env"}`: Dangerous, `Glob {"pattern":"{a,.env}"}`: Dangerous, `Glob {"pattern":"a\\b"}`: Normal, `Glob {"pattern":" a"}`: Normal, `Glob {"pattern":"$a"}`: Normal, `Glob {"pattern":"\u00e9"}`: Normal, `Glob {"pattern":"a b"}`: Safe,
		`Read {"file_path":["a"]}`: Normal, `Read {"file_path":"a","x":"\u0007"}`: Normal, `Read {"file_path":"a","x":["\u0007"]}`: Normal, `Read {"file_path":"a","\u0007":1}`: Normal, `Read {"file_path":"a","x":"a\n\tb"}`: Safe, `Read {"file_path":"a","x":"\ufffd"}`: Normal, `Read {"file_path":"a","x":{"y":1}}`: Safe,
	} {
		tool, in, _ := strings.Cut(input, " ")
		if r := assessTool(tool, in); r.Class != want {
			t.Errorf("%s: %v %+v", input, r.Class, r.Findings)
		}
	}
	for n, want := range map[int]bool{maxDepth: false, maxDepth + 1: true} {
		r := assessTool("Tool", `{"a":`+strings.Repeat("[", n)+`"x"`+strings.Repeat("]", n)+`}`)
		if finds(r, "its parameters are nested too deep") != want {
			t.Errorf("%d deep: %+v", n, r.Findings)
		}
		r = assessTool("Tool", strings.Repeat(`{"a":`, n+1)+`"x"`+strings.Repeat("}", n+1))
		if finds(r, "its parameters are nested too deep") != want {
			t.Errorf("objects %d deep: %+v", n, r.Findings)
		}
	}
	for n, want := range map[int]bool{4096: true, 4097: false} {
		text := strings.Repeat("b", n-len("/.netrc")) + "/.netrc"
		if r := assessTool("Tool", fmt.Sprintf(`{"a":%q}`, text)); finds(r, readsKeys) != want {
			t.Errorf("a path of %d bytes: %+v", len(text), r.Class)
		}
	}
}
