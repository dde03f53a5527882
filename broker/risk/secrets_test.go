package risk

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

const (
	readsKeys = "reads keys or credentials"
	tooLarge  = "reads a folder too large to check for keys or credentials"
)

// beginning returns the reasons of r that begin with this text.
func beginning(r Risk, text string) []string {
	var out []string
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Why, text) {
			out = append(out, f.Why)
		}
	}
	return out
}

// Files among credentials that are none themselves, and those that only look so.
func TestHarmlessKeys(t *testing.T) {
	for _, file := range lines(`/home/u/.ssh/x.pub; /x/id_rsa.pub; /home/u/.ssh/known_hosts; /home/u/.ssh/known_hosts.old; /home/u/.ssh/authorized_keys; /home/u/.ssh/authorized_keys2; .env.example; .env.sample; .env.local.template; .env-example; .env.dist; .env.defaults
		example.env; sample.env; template.env; process.env; import.meta.env; secrets.go; secrets.test.ts; secrets.example; secrets.sample; secrets.template; secrets.dist; /usr/share/x/y.pem; /etc/ssl/certs/x.pem; /a/b/cacert.pem`) {
		if !harmlessKey(pathtable.Split(file)) {
			t.Errorf("%s is a key", file)
		}
	}
	for _, file := range lines(`/home/u/.ssh/id_rsa; /home/u/.ssh/x; known_hosts; a/authorized_keys; .ssh/a/known_hosts; .env; .env.local; .env.dist.local; a.env; local.env; xprocess.env; secrets.yml; secrets.goo; a.go; /home/usr/y.pem; /etc/ssl/x.pem; /etc/ssl/private/x.pem; /x/etc/ssl/certs/x.pem
		a.pem; xcacert.pem; /usr/share/x/y.key; cacert.key; pub; .ssh`) {
		if harmlessKey(pathtable.Split(file)) {
			t.Errorf("%s is harmless", file)
		}
	}
}

// A folder that is called like a pattern is that folder; who reads it need not be known.
func TestFoldersCalledLikePatterns(t *testing.T) {
	at := place()
	at.Secrets = func(dir string) ([]string, bool) {
		if dir == "/home/u/src/app/a[1]" {
			return []string{dir + "/.env", dir + "/b.pem"}, false // of which the first says enough
		}
		return nil, true
	}
	e := tree(read("a[1]"))
	e.Glob = false
	if got := beginning(Assess(Call{Tool: "Bash", Line: lineOf(e)}, at), "reads "); len(got) != 1 || got[0] != readsKeys+": .env" {
		t.Errorf("found %q", got)
	}
	e.Tree = false
	if got := beginning(Assess(Call{Tool: "Bash", Line: lineOf(e)}, at), "reads "); len(got) > 0 {
		t.Errorf("a file of that name: %q", got)
	}
}

// A file is left out by what says so alone, not by what asks for it.
func TestFilesLeftOutByName(t *testing.T) {
	for line, want := range map[string]bool{"rsync -a --exclude=.env . b": false, "rsync -a --include=.env . b": true, "tar -cf x --exclude=.env .": false, "tar -cf x .env .": true, "foo --exclude=.env": true} {
		if r := assessLine(run(line)); finds(r, readsKeys) != want {
			t.Errorf("%s: %+v", line, r.Findings)
		}
	}
}

// A pattern may stand for a file below the folder, and for nothing that lies beside it.
func TestPatternsOfFilesBelow(t *testing.T) {
	for _, c := range []struct {
		pattern, file string
		dotted        bool
		want          bool
	}{
		{"*", ".env", false, false},
		{"*", ".env", true, true},
		{"*", "a.env", false, true},
		{".*", ".env", false, true},
		{"?env", ".env", false, false},
		{"?env", ".env", true, true},
		{"[.]env", ".env", false, true},
		{"{.,x}env", ".env", false, true},
		{"x[.]env", ".env", false, false},
		{"*[.]env", ".env", false, false},
		{"*", "a/b", false, false},
		{"*/*", "a/b", false, true},
		{"*/*", "a", false, false},
		{"a/*/c", "a/b/c", false, true},
		{"a/*", "b/c", false, false},
		{"**", "a/b/c", false, true},
		{"a/**", "a/b/c", false, true},
		{"a/**", "b/c", false, false},
		{"a/**", "a", false, true},
		{"a/b/**", "a", false, false},
		{"*.PEM", "a.pem", false, true},
		{"*.pem", "A.PEM", false, true},
		{`a\*`, "b", false, true},
		{"a//*", "a/b", false, false},
		{"*", "[", false, true},
		{"b", "[a]", false, false},
	} {
		if got := fitsBelow(c.pattern, c.file, c.dotted); got != c.want {
			t.Errorf("%s for %s, dotted %v: %v", c.pattern, c.file, c.dotted, got)
		}
	}
}

// What lies below a folder is looked at by who shows it.
func TestWhatAFolderShows(t *testing.T) {
	var asked []string
	at := place()
	whole := true
	at.Secrets = func(dir string) ([]string, bool) {
		asked = append(asked, dir)
		var in []string
		for _, f := range []string{"/home/u/src/app/.env", "/home/u/src/app/sub/a.pem"} {
			if pathtable.Below(dir, f) {
				in = append(in, f)
			}
		}
		return in, whole
	}
	assess := func(elements ...shell.Element) []string {
		return beginning(Assess(Call{Tool: "Bash", Line: lineOf(elements...)}, at), "reads ")
	}
	operand := func(e shell.Element) shell.Element { e.Operand = true; return e }
	beside := func(e shell.Element) shell.Element { e.Operand = false; return e }
	for _, c := range []struct {
		name string
		line []shell.Element
		want string // "" for nothing
	}{
		{"cat of a folder", []shell.Element{run("cat"), tree(read("."))}, readsKeys + ": .env"},
		{"cat of a folder in it", []shell.Element{run("cat"), tree(read("sub"))}, readsKeys + ": a.pem"},
		{"cat of a file", []shell.Element{run("cat"), read("a")}, ""},
		{"cat of a pattern", []shell.Element{run("cat"), read("s*/*")}, readsKeys + ": sub/a.pem"},
		{"cat of a pattern that fits none", []shell.Element{run("cat"), read("s*/*.go")}, ""},
		{"cat of all that is not hidden", []shell.Element{run("cat"), read("*")}, ""},
		{"no command", []shell.Element{tree(beside(read(".")))}, readsKeys + ": .env"},
		{"a command that it is no operand of", []shell.Element{run("ls"), tree(beside(read(".")))}, readsKeys + ": .env"},
		{"ls", []shell.Element{run("ls"), tree(read("."))}, ""},
		{"the second operand of ls", []shell.Element{run("ls"), read("a"), tree(read("."))}, ""},
		{"the nearest command", []shell.Element{run("ls"), run("cat"), tree(read("."))}, readsKeys + ": .env"},
		{"a command without words", []shell.Element{run("ls"), {Kind: shell.Command}, tree(read("."))}, ""},
		{"a file between", []shell.Element{run("ls"), operand(write("x")), tree(read("."))}, ""},
		{"/usr", []shell.Element{run("cat"), tree(read("/usr/share"))}, ""},
		{"find -exec cat", []shell.Element{run("find ."), tree(read(".")), via(run("cat"), "find")}, readsKeys + ": .env"},
		{"find -exec cat by its path", []shell.Element{run("/usr/bin/find ."), tree(read(".")), via(run("cat"), "/usr/bin/find -x")}, readsKeys + ": .env"},
		{"find -exec ls", []shell.Element{run("find ."), tree(read(".")), via(run("ls"), "find")}, ""},
		{"find -exec git", []shell.Element{run("find ."), tree(read(".")), via(run("git add"), "find")}, readsKeys + ": .env"},
		{"find, and nice cat", []shell.Element{run("find ."), tree(read(".")), via(run("cat"), "nice")}, ""},
		{"find, and a redirection", []shell.Element{run("find ."), tree(read(".")), via(read("a"), "find")}, ""},
		{"find, and nothing", []shell.Element{run("find ."), tree(read(".")), via(shell.Element{Kind: shell.Command}, "find")}, ""},
		{"find | xargs cat", []shell.Element{piped(1, run("find .")), tree(read(".")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": .env"},
		{"find | gxargs cat", []shell.Element{piped(1, run("find .")), tree(read(".")), via(piped(-1, run("cat")), "gxargs -0")}, readsKeys + ": .env"},
		{"find | parallel cat", []shell.Element{piped(1, run("find .")), tree(read(".")), via(piped(-1, run("cat")), "/usr/bin/parallel -j 2")}, readsKeys + ": .env"},
		{"find | nice cat", []shell.Element{piped(1, run("find .")), tree(read(".")), via(piped(-1, run("cat")), "nice")}, ""},
		{"find | xargs wc", []shell.Element{piped(1, run("find .")), tree(read(".")), via(piped(-1, run("wc")), "xargs")}, ""},
		{"find; x | xargs cat", []shell.Element{run("find ."), tree(read(".")), via(piped(-1, run("cat")), "xargs")}, ""},
		{"find; xargs cat", []shell.Element{run("find ."), tree(read(".")), via(run("cat"), "xargs")}, ""},
		{"find | x; y | xargs cat", []shell.Element{piped(1, run("find .")), tree(read(".")), via(piped(-2, run("cat")), "xargs")}, ""},
		{"ls -A | xargs cat", []shell.Element{piped(1, run("ls -A")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": .env"},
		{"ls -a | gxargs cat", []shell.Element{piped(1, run("ls -a")), via(piped(-1, run("cat")), "gxargs")}, readsKeys + ": .env"},
		{"ls --all | parallel cat", []shell.Element{piped(1, run("ls --all")), via(piped(-1, run("cat")), "parallel")}, readsKeys + ": .env"},
		{"ls --almost-all | xargs cat", []shell.Element{piped(1, run("ls --almost-all")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": .env"},
		{"ls -f | xargs cat", []shell.Element{piped(1, run("ls -f")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": .env"},
		{"ls | xargs cat", []shell.Element{piped(1, run("ls")), via(piped(-1, run("cat")), "xargs")}, ""},
		{"ls sub | xargs cat", []shell.Element{piped(1, run("ls sub")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": a.pem"},
		{"ls -R | xargs cat", []shell.Element{piped(1, run("ls -R")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": sub/a.pem"},
		{"ls --recursive | xargs cat", []shell.Element{piped(1, run("ls --recursive")), via(piped(-1, run("cat")), "xargs")}, readsKeys + ": sub/a.pem"},
		{"ls -A | xargs ls", []shell.Element{piped(1, run("ls -A")), via(piped(-1, run("ls")), "xargs")}, ""},
		{"ls -A | cat", []shell.Element{piped(1, run("ls -A")), piped(-1, run("cat"))}, ""},
		{"ls -A; xargs cat", []shell.Element{run("ls -A"), via(run("cat"), "xargs")}, ""},
		{"ls -A | x; y | xargs cat", []shell.Element{piped(1, run("ls -A")), via(piped(-2, run("cat")), "xargs")}, ""},
		{"xargs cat | ls -A", []shell.Element{via(piped(1, run("cat")), "xargs"), piped(-1, run("ls -A"))}, ""},
		{"echo | xargs cat", []shell.Element{piped(1, run("echo")), via(piped(-1, run("cat")), "xargs")}, ""},
		{"nothing | xargs", []shell.Element{piped(1, shell.Element{Kind: shell.Command}), via(piped(-1, run("cat")), "xargs")}, ""},
		{"something else | xargs", []shell.Element{piped(1, shell.Element{Kind: shell.Unknown, Argv: []string{"ls", "-A"}}), via(piped(-1, run("cat")), "xargs")}, ""},
		{"ls -A | xargs without a command", []shell.Element{piped(1, run("ls -A")), via(piped(-1, shell.Element{Kind: shell.Command}), "xargs")}, ""},
		{"grep and what it leaves out", []shell.Element{run("grep -r x . --exclude=.env --exclude-dir=sub"), tree(read("."))}, ""},
		{"grep and what it leaves out beside", []shell.Element{run("grep -r x . --exclude=.env"), tree(read("."))}, readsKeys + ": sub/a.pem"},
	} {
		got := strings.Join(assess(c.line...), "; ")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if !passesOn(lineOf(run("find"), via(run("cat"), "find")), 0) {
		t.Error("the next element is not looked at")
	}
	asked = nil
	assess(run("cat"), tree(read("/")), tree(read("a/*/b[/c")))
	if !slices.Contains(asked, "/") || !slices.Contains(asked, "/home/u/src/app/a") {
		t.Errorf("asked for %q", asked)
	}
	asked = nil
	assess(run("cat"), tree(read("/usr")), tree(read("/usr/lib/*")))
	if len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
	whole = false
	for pattern, want := range map[string]string{"other": tooLarge, "other/*": "", "other/*/a": tooLarge, ".": readsKeys + ": .env"} {
		if got := strings.Join(assess(run("cat"), tree(read(pattern))), "; "); got != want {
			t.Errorf("a look at %s that ends too soon: %q, want %q", pattern, got, want)
		}
	}
}

// Who asks about one file is told of its place in the home folder, too.
func TestSecretAt(t *testing.T) {
	secret := SecretAt(Place{Home: "/home/u"})
	for file, want := range map[string]bool{"/home/u/.ssh/x": true, "/home/u/.azure/x": true, "/srv/.azure/x": false, "/srv/.env": true, "/srv/.env.example": false, "/srv/a*": false, "/srv/*.pem": true} {
		if secret(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}
