package risk

import (
	"testing"

	"github.com/aoctl/aoctl/broker/risk/brings"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// A copy of one thing to one place is known in its plain form only.
func TestCopiedFolder(t *testing.T) {
	for _, line := range lines("cp a b; cp -r a b; cp -rRapvfniu a b; cp -r -v a b; cp --recursive a b; cp --archive --verbose a b; cp --force a b; cp --no-clobber a b") {
		if from, to, ok := brings.CopiedFolder(run(line)); !ok || from != "a" || to != "b" {
			t.Errorf("%s: %s, %s, %v", line, from, to, ok)
		}
	}
	for _, line := range lines("cp a; cp; mv a b; cp a b c; cp -t a b; cp -rt a b; cp -x a b; cp - a b; cp --target a b; cp --parents a b; cp -a -b; cp a -b; cp -r a; cp '' b; cp a ''; cp -- a b") {
		if _, _, ok := brings.CopiedFolder(run(line)); ok {
			t.Errorf("%s is plain", line)
		}
	}
	host, glob, other := run("cp a b"), run("cp a b"), run("cp a b")
	host.Host, glob.Glob, other.Kind = "h", true, shell.Unknown
	for _, e := range []shell.Element{host, glob, other, via(run("cp a b"), "sudo")} {
		if _, _, ok := brings.CopiedFolder(e); ok {
			t.Errorf("%+v is plain", e)
		}
	}
}

// Two patterns meet when some name may fit both; too often is fine, too seldom is not.
func TestPatternsMeet(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a*", "abc", true},
		{"abc", "a*", true},
		{"a*c", "abc", true},
		{"a*c", "ac", true},
		{"a*c", "acd", false},
		{"*", "", true},
		{"a*b*c", "axbyc", true},
		{"a*b*c", "axcyb", false},
		{"abc", "a*b*d", false},
		{"a*", "*b", true},
		{"a*", "b*", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"?", "", false},
		{"a[bc]d", "abd", true},
		{"a[bc]d", "ad", false},
		{"a{b,c}d", "abd", true},
		{"a{b,c}d", "xbd", false},
		{"a{1..3}d", "a2d", true},
		{"{}", "{}", true},
		{"{}", "x", false},
		{"{a}", "{a}", true},
		{"{a}", "a", false},
		{"[", "[", true},
		{"[]", "a", false},
		{"a*b", "a?b", true},
		{"a*b", "a[x]c", false},
		{"**", "x", true},
		{"", "", true},
		{"*a", "b*", true},
		{"ab*", "a?c*", true},
		{"a*bc", "abc", true},
		{"aa*a", "a*aa", true},
		{"ab*ba", "aba", false},
	} {
		if got := pathtable.Meet(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
		if got := pathtable.Meet(tt.b, tt.a); got != tt.want {
			t.Errorf("%s and %s: %v", tt.b, tt.a, got)
		}
	}
	for _, tt := range []struct {
		glob, known string
		want        bool
	}{
		{".cl*", ".claude", true},
		{".*", ".claude", true},
		{"*", ".claude", false},
		{"?claude", ".claude", false},
		{".x*", ".claude", false},
		{"id_*", "id_rsa", true},
		{"id*", "id_rsa", true},
		{"i*", "id_rsa", false},
		{"*", "id_rsa", false},
		{"*rsa", "id_rsa", true},
		{"x*", "id_rsa", false},
		{"*.pem", "*.pem", true},
		{"*.p*", "*.pem", true},
		{"*.*", "*.pem", false},
		{"*", "*.pem", false},
		{"a.pem", "*.pem", true},
		{"a", "", false},
		{"[ab]c*", "ac", false},
		{"id[_]*", "id_rsa", true},
		{"{id,x}_*", "id_rsa", false},
		{"cred*.json", "credentials.json", true},
		{"*.json", "credentials.json", false},
	} {
		if got := pathtable.Pointed(tt.glob, tt.known); got != tt.want {
			t.Errorf("%s is meant for %s: %v", tt.glob, tt.known, got)
		}
	}
	for a, b := range map[string]string{"ABC": "abc", "\u212a": "k", "\u017f": "s", "a\u200cb": "ab", "\u00c4": "\u00e4", "a-z": "a-z"} {
		if pathtable.Fold(a) != b {
			t.Errorf("%q becomes %q", a, pathtable.Fold(a))
		}
	}
}

// What an interpreter is given as its program is not what it reads.
func TestWhoReadsItsProgram(t *testing.T) {
	for _, line := range lines("sh; sh -; sh -s; sh -s x; sh -xs; sh -x; bash /dev/stdin; bash /dev/fd/0; bash /proc/self/fd/0; bash -o pipefail; bash -O extglob; python; python -; python -u; python -W x; python -W once; python -X x; python - x; sh /dev/stdin x; psql prod; perl -; node; deno run -; bun run -; deno -q run -; sh --norc; deno run; bun run; psql x; mysql x; sqlite3 x; psql -h x; busybox sh; busybox; . /dev/stdin; ''") {
		if !readsProgram(cmdline.Of(run(line))) {
			t.Errorf("%s reads none", line)
		}
	}
	for _, line := range lines("bash --posix x; sh dist; sh ''; sh -x x; node --print -; node --eval -; psql --command -; python -s x; perl -s x; node -s x; node run -; deno x run -; sh --norc x; sh -cs; sh x; sh -ec x; sh -cs x; bash x -; python x; python -c x; python -m x; python x -; perl -e x; perl -ne x; perl -p x; ruby -r x; node -e x; node --eval x; node --print x; psql -c x; psql --command x; deno run x; busybox cat; busybox sh x; eval; eval -; cat; ls -; run") {
		if readsProgram(cmdline.Of(run(line))) {
			t.Errorf("%s reads one", line)
		}
	}
	const net = "runs what comes from the network"
	curl := piped(1, run("curl https://x/i"))
	for want, list := range map[bool][]shell.Element{
		true:  {via(piped(-1, run("sh")), "xargs"), via(piped(-1, run("sh {}")), "xargs"), via(piped(-1, run("echo")), "xargs", "sh -c"), via(piped(-1, run("bash -c")), "parallel"), via(piped(-1, run("python -c")), "xargs"), via(piped(-1, run("perl -e")), "xargs")},
		false: {via(piped(-1, run("echo")), "xargs"), via(piped(-1, run("rm")), "xargs", "nice"), via(piped(-1, run("python x")), "xargs"), piped(-1, run("python -c x"))},
	} {
		for _, e := range list {
			if r := assessLine(curl, e); finds(r, net) != want {
				t.Errorf("curl | %v %s: %+v", e.Via, e.Text, r.Findings)
			}
		}
	}
	for want, list := range map[bool]string{
		true:  "sh i.sh; bash ./i.sh; ./i.sh; chmod +x i.sh; chmod 755 i.sh; chmod u=rwx i.sh; python i.sh; source i.sh; node x i.sh",
		false: "cat i.sh; grep a+x i.sh; ls 755 i.sh; chmod -x i.sh; chmod 75 i.sh; chmod u+r i.sh; sh j.sh; ./j.sh; ls",
	} {
		for _, line := range lines(list) {
			for _, get := range lines("curl -o i.sh https://x/y; curl --output i.sh https://x/y; wget -O i.sh https://x/y; wget --output-document i.sh https://x/y; wget https://x/i.sh; wget https://x/i.sh?a=b; scp h:i.sh .") {
				if r := assessLine(run(get), run(line)); finds(r, net) != want {
					t.Errorf("%s; %s: %+v", get, line, r.Findings)
				}
			}
		}
	}
}

// What removes or writes outside of the project, all of it, or where nobody knows.
func TestWhatIsRemovedOrWritten(t *testing.T) {
	home := place()
	for _, tt := range []struct {
		e   shell.Element
		why string
	}{
		{remove("/home/u/x"), "deletes outside the project"},
		{tree(remove("../x")), "deletes outside the project"},
		{tree(remove("link")), "deletes outside the project"},
		{tree(remove(".")), "deletes the whole project"},
		{tree(remove("*")), "deletes the whole project"},
		{tree(remove("?*")), "deletes the whole project"},
		{tree(remove(".git")), "deletes git's own files"},
		{tree(remove(".g*")), "deletes git's own files"},
		{tree(remove("a/.git/x")), "deletes git's own files"},
		{tree(lost(remove("x"))), "deletes in a folder that is not known"},
		{lost(remove("x")), "removes from a folder that is not known"},
		{lost(write("x")), "writes to a folder that is not known"},
		{write("/home/u/x"), "writes outside the project"},
		{write("link/x"), "writes outside the project"},
		{tree(write("/home/u")), "may overwrite all of the home folder"},
		{tree(write("/home")), "may overwrite all of the home folder"},
		{tree(read("/home/u")), "reads all of the home folder"},
		{tree(read("/")), "reads all of the home folder"},
		{tree(read("~/.aws")), "reads keys or credentials"},
		{tree(read("~/.kube")), "reads keys or credentials"},
		{tree(read("~/.docker")), "reads keys or credentials"},
		{tree(read("~/.ssh")), "reads keys or credentials"},
		{read("/dev/tcp/h/1"), "talks to the network"},
		{read("/dev/udp/h/1"), "talks to the network"},
	} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(tt.e)}, home); !finds(r, tt.why) {
			t.Errorf("%s (tree %v, deletes %v): %+v; want %s", tt.e.Text, tt.e.Tree, tt.e.Deletes, r.Findings, tt.why)
		}
	}
	for _, e := range []shell.Element{
		remove("x"), tree(remove("src")), tree(remove("src/*")), write("x"), write("/tmp/x"), write("/var/tmp/x"), write("/private/tmp/x"), write("/private/var/tmp/x"), write("/var/folders/x"), write("/private/var/folders/x"), write("/dev/shm/x"), tree(write("src")), tree(read("src")), read("~/.ssh"), tree(remove("src/x.git")),
		read("~/.aws"), read("/home/u"), write("/home/u/src/app/x"), write("/home/u/app/x"),
	} {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(e)}, home); len(r.Findings) > 0 {
			t.Errorf("%s (tree %v, deletes %v): %+v", e.Text, e.Tree, e.Deletes, r.Findings)
		}
	}
	for _, file := range lines("/usr/share/x; /usr/include/x; /usr/lib/x; /usr/local/go/x; /etc/os-release; /proc/cpuinfo; /proc/meminfo; /proc/version; /dev/null") {
		if r := Assess(Call{Tool: "Bash", Line: lineOf(run("cat"), read(file))}, home); r.Class != Safe {
			t.Errorf("reading %s: %+v", file, r)
		}
	}
}
