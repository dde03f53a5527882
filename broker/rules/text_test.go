package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/rules/rulestest"
	"github.com/google/go-cmp/cmp"
)

// In a line that cannot be read a deny rule is looked for word by word.
func TestDenyInUnreadText(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x ", patterns.LongText)
	for _, tt := range []struct {
		pattern, line string
		want          Verdict
	}{
		{"curl *", "curl 'x", Deny},
		{"curl *", "a;curl 'x", Deny},
		{"curl *", "a|curl 'x", Deny},
		{"curl *", "a&curl 'x", Deny},
		{"curl *", "a<curl 'x", Deny},
		{"curl *", "a>curl 'x", Deny},
		{"curl *", "(curl 'x", Deny},
		{"curl *", "a)curl 'x", Deny},
		{"curl *", "{curl 'x", Deny},
		{"curl *", "}curl 'x", Deny},
		{"curl *", "`curl 'x", Deny},
		{"curl *", "$curl 'x", Deny},
		{"curl *", "a=curl 'x", Deny},
		{"curl *", "a,curl 'x", Deny},
		{"curl *", "a\tcurl 'x", Deny},
		{"curl *", "a\ncurl 'x", Deny},
		{"curl *", "c'u'rl 'x", Deny},
		{"curl *", `c"u"rl 'x`, Deny},
		{"curl *", `c\url 'x`, Deny},
		{"curl *", "CURL 'x", Deny},
		{"curl *", "/usr/bin/curl 'x", Deny},
		{"curl *", "curly 'x", Ask},
		{"curl *", "a.curl 'x", Ask},
		{"curl -s *", "curl -s 'x", Deny},
		{"curl -s *", "curl -S 'x", Ask},
		{"curl -s *", "curl x -s 'x", Ask},
		{"curl ** -s", "curl x y -s 'x", Deny},
		{"curl ** -s", "curl x y 'x", Ask},
		{"curl ** -s", long + "curl x y -s 'x", Deny},
		{"curl ** -s", long + "curl x y 'x", Ask},
		{"curl ** -s", long + "-s curl curl 'x", Ask},
		{"curl ** -s x", "curl -s -s x 'x", Deny},
		{"curl -s", "curl 'x", Ask},
		{"/bin/curl *", "curl 'x", Ask},
		{"/bin/curl *", "/bin/curl 'x", Deny},
		{"/bin/curl *", "/usr/bin/curl 'x", Ask},
		{"c* -s", "curl -s 'x", Deny},
		{"c* -s", "/bin/curl -s 'x", Deny},
		{"c* -s", "wget -s 'x", Ask},
		{"** -s", "a b -s 'x", Deny},
		{"** -s", "a b 'x", Ask},
		{"** -s", "-s 'x", Deny},
		{"** a ** b", "x a b 'x", Deny},
		{"** a ** b", "a x y b 'x", Deny},
		{"** a ** b c", "a b x b c 'x", Deny},
		{"** a ** b", "b a 'x", Ask},
		{"**", "a 'x", Deny},
		{"*", "a 'x", Deny},
		{"echo 'a;b'", "echo a b 'x", Deny},
		{"echo 'a;b'", "echo a 'x", Ask},
		{"re:curl .*", "a; curl x 'x", Deny},
		{"re:curl .*", "c'ur'l 'x", Deny},
		{"re:a b", "'a' \"b", Deny},
		{"re:a b", "a c 'x", Ask},
		{"wget *|curl *", "curl 'x", Deny},
		{"wget *|curl *", "lynx 'x", Ask},
		{"curl *", `node -e 'run("curl x")'`, Deny}, // read in full, and still code
		{"curl *", "node -e 'run(1)'", Ask},
	} {
		for _, tool := range []string{"Bash", "B*"} {
			if a := judge(t, set(t, rule(Deny, tool, "command", tt.pattern)), w.trusted(t, tt.line)); a.Verdict != tt.want {
				t.Errorf("deny %s for %q: %s, want %s", tt.pattern, tt.line, a.Verdict, tt.want)
			}
		}
		if a := judge(t, set(t, rule(Deny, "M*", "command", tt.pattern)), w.trusted(t, tt.line)); a.Verdict != Ask {
			t.Errorf("deny %s of another tool for %q: %s", tt.pattern, tt.line, a.Verdict)
		}
	}
	curl := rule(Deny, "Bash", "command", "curl *")
	for name, r := range map[string]Rule{
		"ask": rule(Ask, "Bash", "command", "curl *"), "with a file": rule(Deny, "Bash", "command", "curl *", "write", "**"), "with a parameter": rule(Deny, "Bash", "command", "curl *", "description", "x"),
		"of another session": with(curl, func(r *Rule) { r.Scope.Session = "s2" }), "line": rule(Deny, "Bash", "command", "line:curl x"),
	} {
		if a := judge(t, set(t, r), w.trusted(t, "curl 'x")); a.Verdict != Ask {
			t.Errorf("%s: %s", name, a.Verdict)
		}
	}
	first, second := with(curl, func(r *Rule) { r.Priority, r.ID = 1, "first" }), rule(Deny, "Bash", "command", "* 'x'")
	for _, list := range [][]Rule{{first, second}, {second, first}} {
		if a := judge(t, set(t, list...), w.trusted(t, "curl x 'x")); a.Rule != "first" || !a.Raw {
			t.Errorf("%s, raw %t", a.Rule, a.Raw)
		}
	}
	if a := judge(t, set(t, with(curl, func(r *Rule) { r.Priority = 900 }), with(rule(Deny, "Bash"), func(r *Rule) { r.Priority = 1 })), w.trusted(t, "curl 'x")); a.Rule != "deny Bash " || a.Raw {
		t.Errorf("%s, raw %t", a.Rule, a.Raw)
	}
}

// Words of a line may be files that it runs, wherever they stand.
func TestOperands(t *testing.T) {
	w := newWorld(t)
	p := w.project
	for line, want := range map[string][]string{
		"node a.js b.js":                    {p + "/a.js", p + "/b.js"},
		"node /x/../y -r --import=z -- ./a": {p + "/a", p + "/z", "/y"},
		"node a=b -x=":                      {p + "/a=b"},
		"node -":                            nil,
		"node":                              nil,
		"cd src && node a; node b":          {p + "/b", p + "/src", p + "/src/a"},
		"node a && make a":                  {p + "/a"},
		"FOO=1 node < x > y":                nil,
		"npm x || cd src; node a":           {p + "/a", p + "/src", p + "/x"},
		"node " + strings.Repeat("a", maxOperandName):   {p + "/" + strings.Repeat("a", maxOperandName)},
		"node " + strings.Repeat("a", maxOperandName+1): nil,
	} {
		got := Prepare(w.bash(t, line)).Operands()
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("%.60s (-want +got):\n%s", line, diff)
		}
	}
	if got := Prepare(w.question(t, "Read", map[string]any{"file_path": "a"})).Operands(); got != nil {
		t.Errorf("a tool that runs no line: %q", got)
	}
	line := "node"
	for i := range 2 * maxOperands {
		line += fmt.Sprint(" f", i)
	}
	if got := Prepare(w.bash(t, line)).Operands(); len(got) != maxOperands {
		t.Errorf("%d operands", len(got))
	}
	w.place.CWD = ""
	if got := Prepare(w.bash(t, "node a /b")).Operands(); got != nil {
		t.Errorf("in no folder: %q", got)
	}
}

// What a call is about, in a line of a history.
func TestCallText(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"cmd", "file_path", "notebook_path", "path", "url", "pattern", "query", "skill", "description"} {
		for _, input := range []map[string]any{{key: "this", "zz": "other"}, {key: "this", "description2": "x", "aa": 1}} {
			if got := Prepare(w.question(t, "Tool", input)).About(); got != "this" {
				t.Errorf("%v: %s", input, got)
			}
		}
	}
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  string
	}{
		{"Bash", map[string]any{"command": "ls", "description": "list"}, "ls"},
		{"Tool", map[string]any{"command": "ls", "url": "x"}, "ls"},
		{"Tool", map[string]any{"path": "a", "file_path": "b", "description": "c"}, "b"},
		{"Tool", map[string]any{"url": "u", "pattern": "p", "query": "q"}, "u"},
		{"Tool", map[string]any{"pattern": "", "query": "q"}, "q"},
		{"Tool", map[string]any{"pattern": 7, "query": "q"}, "q"},
		{"Tool", map[string]any{"x": "y"}, `{"x":"y"}`},
		{"Tool", map[string]any{}, `{}`},
	} {
		if got := Prepare(w.question(t, tt.tool, tt.input)).About(); got != tt.want {
			t.Errorf("%s %v: %s, want %s", tt.tool, tt.input, got, tt.want)
		}
	}
}

// A tool by another agent's name for it, or one that only deletes, is refused as the known
// one is, and allowed by its own name alone.
func TestKindsOfTheSameTool(t *testing.T) {
	w := newWorld(t)
	for tool, denied := range map[string]string{
		"copilot:Edit": "Edit Write MultiEdit", "copilot:Write": "Edit Write MultiEdit", "Delete": "Edit Write MultiEdit", "x:Read": "Read", "x:WebFetch": "WebFetch", "x:Grep": "Grep",
		"MCP:Edit": "", "Remove": "", "Read": "Read",
	} {
		c := Prepare(w.question(t, tool, map[string]any{"file_path": "src/a.go"}))
		for _, name := range []string{"Edit", "Write", "MultiEdit", "NotebookEdit", "Read", "WebFetch", "Grep"} {
			want := Ask
			if slices.Contains(strings.Fields(denied), name) {
				want = Deny
			}
			for _, pattern := range []string{name, name + "*"} {
				if a := judge(t, set(t, rule(Deny, pattern, "file_path", "src/**")), c); a.Verdict != want {
					t.Errorf("deny %s for %s: %s", pattern, tool, a.Verdict)
				}
			}
			if name != tool {
				if a := judge(t, set(t, rule(Allow, name)), c); a.Verdict != Ask {
					t.Errorf("allow %s for %s: %s", name, tool, a.Verdict)
				}
			}
		}
		if a := judge(t, set(t, rule(Allow, tool)), c); a.Verdict != Allow {
			t.Errorf("allow %s: %s", tool, a.Verdict)
		}
	}
}

// Where a folder of a line lies says what its rules are about.
func TestWhereALineWorks(t *testing.T) {
	w := newWorld(t)
	cat := rule(Allow, "Bash", "command", "cat *|cd *|pushd *|popd|chdir *|npm test|ls|env *")
	for line, want := range map[string]Verdict{
		"cd ~ && cat x": Ask, "cd ~/x && cat y": Ask, "cd src && cat a.go": Allow, "cd ./src/.. && cat go.mod": Allow, "pushd src && cat a.go": Allow, "pushd src; popd": Ask, "chdir src && cat a.go": Allow, "chdir .. && ls": Ask, "pushd .. && ls": Ask, "cd -P src && ls": Allow, "cd -- src && ls": Allow,
		"cd -P && ls": Ask, "cd link && ls": Ask, "cd nowhere && ls": Allow, "cd loop && ls": Ask, "cd $X && ls": Ask, "cd '' && ls": Allow, "cd src -x && ls": Ask,
	} {
		if a := judge(t, set(t, cat), w.trusted(t, line)); a.Verdict != want {
			t.Errorf("%s: %s, %s; want %s", line, a.Verdict, a.Reason, want)
		}
	}
	denied := rule(Deny, "Read", "file_path", "~/.ssh/**")
	for _, line := range []string{"cd ~ && cat .ssh/id", "cd ~/.ssh && cat id", "cat ~/.ssh/id", "cat $HOME/.ssh/id; cat ~/.ssh/id", "cat " + w.place.Home + "/.ssh/id", "cd .. && cat home/ana/.ssh/id"} {
		if a := judge(t, set(t, cat, denied), w.trusted(t, line)); a.Verdict != Deny {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
	w.place.Home = ""
	if a := judge(t, set(t, cat), w.trusted(t, "cat < ~/x")); a.Verdict != Ask || !strings.Contains(a.Reason, "home") {
		t.Errorf("no home folder: %s, %s", a.Verdict, a.Reason)
	}
}

// Code for a program is no path, whatever slashes it has.
func TestWordsThatAreCode(t *testing.T) {
	w := newWorld(t)
	for _, program := range []string{"sed -n", "gsed -n", "awk", "gawk", "mawk", "nawk", "jq"} {
		line := program + " /etc/x src/a.go"
		if a := judge(t, set(t, firstWords(line)...), w.trusted(t, line)); strings.Contains(a.Reason, "elsewhere") || strings.Contains(a.Reason, "outside") {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
	const far = "/srv/evil"
	w.place.Real = func(p string) (string, error) {
		if strings.HasPrefix(p, "/srv/") {
			return p, nil
		}
		return rulestest.RealPath(p)
	}
	c := Prepare(w.bash(t, "true"))
	c.q.Exists = func(string) bool { return true }
	c.q.Matches = func(pattern string) ([]string, bool) {
		files, err := filepath.Glob(pattern)
		return files, err == nil && !strings.Contains(pattern, "**")
	}
	for word, want := range map[string]string{
		far: "/tmp" + far, "--x=" + far: "--x=/tmp" + far, "@" + far: "@/tmp" + far, "-I" + far: "-I/tmp" + far, "x=" + far: "/tmp" + far, "a:" + far: "/tmp" + far, "./a," + far: "/tmp" + far, "-XI" + far: "-XI/tmp" + far, "-I../evil": "-I/tmp" + w.root + "/evil", "--x=../evil": "--x=/tmp" + w.root + "/evil",
		"-Isrc/x": "-Isrc/x", "--x-y/z": "--x-y/z", "--xyz/../../shop-evil": "--xyz/../../shop-evil", "a:b": "a:b", "a:src/x": "a:src/x", "a:link": "/tmp" + w.root + "/shop-evil", "src,link/x": "/tmp" + w.root + "/shop-evil/x", "http://x,link": "/tmp" + w.root + "/shop-evil", "http://x/a:" + far: "/tmp" + far, "http://x/srv/a": "http://x/srv/a", "http://x:80/a,http://y": "http://x:80/a,http://y", "link/x": "/tmp" + w.root + "/shop-evil/x", "link": "/tmp" + w.root + "/shop-evil",
		"src": "src", "src/a.go": "src/a.go", "-x": "-x", "-v": "-v", "-": "-", "--": "--", "-Ixyz/y": "-Ixyz/y", "https://a.b/c": "https://a.b/c", "https:/srv/../" + w.root + "/shop-evil/x://": "/tmp/srv/../" + w.root + "/shop-evil/x", far + "/*": "/tmp" + far + "/*", far + "/[a]": "/tmp" + far + "/[a]", "*.go": "*.go", "src/?.go": "src/?.go", "li*": "/tmp" + w.root + "/shop-evil", "-I=l?nk": "-I=/tmp" + w.root + "/shop-evil", "link/*": "/tmp" + w.root + "/shop-evil/*", "**": "/tmp" + w.root + "/shop/**", "http://x/*": "http://x/*",
		"x://../../evil": "/tmp" + w.root + "/evil", "file://" + far: "/tmp" + far, "/dev/null": "/dev/null", "/": "/tmp/", "": "", "--x=": "--x=", "@": "@", "-I/": "-I/tmp/",
	} {
		f := &follower{paths: &paths{q: &c.q}, dirs: []string{c.line.dir}, glob: true}
		if got := append(f.elsewhere(word), word)[0]; got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
	for word, want := range map[string]string{far: "/tmp" + far, "-I" + far: "-I/tmp" + far, "link/x": "/tmp/link/x", "link": "/tmp/link", "../x": "/tmp/../x", "-v": "-v"} {
		f := &follower{paths: &paths{q: &c.q}, dirs: []string{""}}
		if got := append(f.elsewhere(word), word)[0]; got != want {
			t.Errorf("%s in a folder that is not known: %s, want %s", word, got, want)
		}
	}
}
