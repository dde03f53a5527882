package rules

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/rules/rulestest"
)

// withSrv is a world with a folder /srv, of which package shell knows nothing, and in it whatever
// is asked for; where files called unknown lead cannot be told.
func withSrv(t *testing.T) world {
	t.Helper()
	w := newWorld(t)
	w.place.Real = func(p string) (string, error) {
		switch {
		case strings.HasPrefix(p, "/srv/"):
			return p, nil
		case strings.HasSuffix(p, "/unknown"):
			return "", errors.New("cannot be looked at")
		}
		return rulestest.RealPath(p)
	}
	return w
}

func existsWithSrv(p string) bool {
	_, err := os.Lstat(p)
	return err == nil || p == "/srv"
}

// Attack: a word that leads elsewhere stands behind so many others that nobody looks at it, is so
// long that nobody follows it, is a pattern, or looks like the address of a page.
func TestWordsThatAreHardToFollow(t *testing.T) {
	w := withSrv(t)
	many, long := strings.Repeat("./src ", maxOperands), strings.Repeat("/", maxOperandName)
	for line, want := range map[string]Verdict{
		"go test " + many + "/srv/evil": Ask,
		"go test " + many[6:]:           Allow,
		"go test /srv" + long + "evil":  Ask,
		"go test src" + long + "a":      Ask,
		"go test src/unknown":           Ask,
		"go test /srv/ev*":              Ask,
		"go test link/ev*":              Ask,
		"go test l*k/x":                 Ask,
		"go test ./l?nk":                Ask,
		"go test ./src/*":               Allow,
		"mocha 'l?nk/*'":                Ask, // which it takes for a pattern itself
		"mocha './l[i]nk/x'":            Ask,
		"mocha 'link/[x].js'":           Ask,
		"mocha 's?c/*.js'":              Allow,
		"mocha '*'":                     Ask,
		"mocha 'src/**/*.js'":           Allow,
		"mocha 'src/[a-z]*.js'":         Allow,
		"mocha 'src/a\\b'":              Allow,
		"mocha 'l\\ink/*.js'":           Ask,
		"mocha 'l**/x'":                 Ask,
		"mocha '*/src/*/a.go'":          Ask, // too many to look at
		"grep '*' src/a.go":             Allow,
		"mytool --log=/srv/ev*":         Ask,
		"mytool --log=link/ev*":         Ask,
		"mytool src/*.go":               Allow,
		"mytool */src/*/a.go":           Ask, // too many to look at
		"mytool https://x/srv/a":        Allow,
		"mytool --to=https://x/srv/a":   Allow,
		"java -cp a:/srv/evil B":        Ask,
		"java -cp a:/tmp/evil B":        Ask,
		"java -cp a:link B":             Ask,
		"java -cp src/a:link/b B":       Ask,
		"mytool --x=src,link":           Ask,
		"mytool " + strings.Repeat("a:", maxOperands) + "link": Ask,
		"mytool " + strings.Repeat("a:", 900):                  Allow,
		"mytool http://x,/srv/y":                               Ask,
		"mytool http://x:/srv/y":                               Ask,
		"mytool http://x:80/srv/y,http://y":                    Allow,
		"mytool -xf/srv/evil":                                  Ask,
		"mytool -xf/tmp/evil":                                  Ask,
		"mytool -xf../evil":                                    Ask,
		"mytool -xf./src":                                      Allow,
		"mytool --x=~/y":                                       Ask,
		"java -cp a:src B":                                     Allow,
		"mytool file:///srv/evil":                              Ask,
		"mytool --x=a,../shop-evil":                            Ask,
		"mytool -I../shop-evil":                                Ask,
		"mytool https://../../evil":                            Ask,
		"mytool /srv/evil/x://..":                              Ask,
		"mytool -m " + long + " x":                             Ask,
		"mytool " + strings.Repeat("x", maxOperandName+1):      Allow,
	} {
		q := w.bash(t, line)
		q.Exists = existsWithSrv
		q.Matches = func(p string) ([]string, bool) {
			files, err := filepath.Glob(p)
			return files, err == nil && strings.Count(p, "*") < 2
		}
		if a := judge(t, set(t, firstWords(line)...), Prepare(q)); a.Verdict != want {
			t.Errorf("%.60s: %s, %.200s; want %s", line, a.Verdict, a.Reason, want)
		}
	}
}

// Attack: the word that leads elsewhere is glued to an option, stands in a list of another kind, names
// a module and no file, or means a file only in the folder that the command goes to.
func TestWordsThatHideAPath(t *testing.T) {
	w := withSrv(t)
	for line, want := range map[string]Verdict{
		"make -Clink":                                 Ask,
		"make -j4 -Clink":                             Ask,
		"mytool -Ilink":                               Ask,
		"mytool -Isrc":                                Allow,
		"mytool -o=./link/x":                          Ask,
		"mytool -r./link/x":                           Ask,
		"mytool -r./src/x":                            Allow,
		"java -Xloggc:/srv/x B":                       Ask,
		"mytool --path:/srv/evil":                     Ask,
		"mytool -isystem/srv/evil":                    Ask,
		"mytool -Lsrc/srv/x":                          Allow,
		"mytool link.evil:app":                        Ask,
		"python3 -m link.evil":                        Ask,
		"python3 -m link.evil.main":                   Ask,
		"python3 -m link":                             Ask,
		"python3 -mlink":                              Ask,
		".venv/bin/python -Im link":                   Ask,
		"python3 -m json.tool src/x":                  Allow,
		"python3 -m src.evil":                         Allow,
		"python3 -m a.b":                              Allow,
		"java -cp . link.P":                           Ask,
		"java -cp . src.P":                            Allow,
		"node node_modules/.bin/mocha /srv/x":         Ask,
		"node node_modules/.bin/mocha link/x":         Ask,
		"node node_modules/.bin/mocha src/x":          Allow,
		"mytool src.evil:app":                         Allow,
		"go test example.com/shop/link":               Ask,
		"go test example.com/shop/src":                Allow,
		"mytool data=@/srv/x":                         Ask,
		"mytool --x='a /srv/x'":                       Ask,
		`mytool --x='{"a":"/srv/x"}'`:                 Ask,
		`mytool --x='{"a":"/api/x"}'`:                 Allow,
		"mytool git+file:///srv/x":                    Ask,
		"mytool https://../../shop-evil/x":            Ask,
		"mytool file://localhost/srv/x":               Ask,
		"mytool file://" + w.project + "/li%6Ek/x":    Ask,
		"mytool FILE:li%6ek/x":                        Ask,
		"mytool --x=file:li%6ek/x":                    Ask,
		"mytool file:%zz/x":                           Allow,
		"mytool file:%zz/%2e%2E/%2e%2e/x":             Ask,
		"mytool file:s%72c/x":                         Allow,
		"mytool li%6ek/x":                             Allow,
		"mytool file://localhost/api/x":               Allow,
		"mytool 'https://x/y?next=/srv/y'":            Allow,
		"mytool a:/dev/shm/x":                         Ask,
		"mytool a:/dev/null":                          Allow,
		"mytool -C src ../link/x":                     Ask,
		"mytool -Csrc ../link":                        Ask,
		"mytool --directory=link x/y":                 Ask,
		"mytool -C src x/y":                           Allow,
		"cd src && mytool ../link/x":                  Ask,
		"cd src || cd other; mytool x/y":              Ask,
		"ln -s src here && mytool here/x":             Ask,
		"ln -s src here && mytool --x=here":           Ask,
		"mv src/a src/b && mytool src/b/x":            Ask,
		"mytool " + strings.Repeat("link ", 99) + "x": Ask,
	} {
		w.elsewhere(t, line, want, firstWords(line)...)
	}
}

// Attack: the code that a tool runs, or the file that it writes, lies in a folder of which only
// the project's place tells that it is another one, or behind a link in the project.
func TestWordsThatLeadElsewhere(t *testing.T) {
	w := withSrv(t)
	for line, want := range map[string]Verdict{
		"go test /srv/evil":           Ask,
		"go test /srv/evil/...":       Ask,
		"go test -v ./link":           Ask,
		"go test link":                Ask,
		"go test ./src":               Allow,
		"go vet ./...":                Allow,
		"pytest /srv/evil":            Ask,
		"pytest link/x":               Ask,
		"pytest src":                  Allow,
		"npm --foo=/srv/x test":       Ask,
		"mytool --log=/srv/x":         Ask,
		"mytool @/srv/x":              Ask,
		"mytool @options":             Ask,
		"mytool link":                 Ask,
		"mytool src":                  Allow,
		"perl /srv/x":                 Ask,
		"perl link/x":                 Ask,
		"perl -n link/x":              Ask,
		"awk '/srv/x/' src/a.go":      Allow,
		"jq '/srv/x' src/a.go":        Allow,
		"cat link/x":                  Allow, // shows it, and runs and writes nothing
		"grep /srv/x src/a.go":        Allow,
		"sed -n '/srv/p' src/a.go":    Allow,
		"mytool --url=http://x/srv/x": Allow,
	} {
		w.elsewhere(t, line, want, firstWords(line)...)
	}
}

// Each option after which a program works in another folder, and each character that stands between
// the parts of a word.
func TestWordsOfFoldersAndLists(t *testing.T) {
	w := withSrv(t)
	ours := func(line string) []Rule {
		return append(firstWords(line), rule(Allow, "Bash", "command", "mytool *|cat *|cd *"))
	}
	w.link(t, w.root+"/shop-evil", "src/out")
	var lines []string
	for _, option := range []string{"-C src", "-Csrc", "--directory src", "--directory=src", "--cwd=src", "--prefix src", "--dir src", "--chdir src", "--project-dir src", "--root src", "--rootDir src"} {
		lines = append(lines, "mytool "+option+" out")
	}
	for _, c := range separators {
		lines = append(lines, "mytool "+patterns.Quote([]string{"a" + string(c) + "link"}), "mytool "+patterns.Quote([]string{"--x=link" + string(c) + "a"}))
	}
	for _, extension := range []string{".js", ".mjs", ".cjs", ".ts", ".json", ".py", ".rb", ".class", ".java"} {
		w.link(t, w.root+"/shop-evil/x", "src/mod"+extension[1:]+extension)
		lines = append(lines, "mytool src/mod"+extension[1:])
	}
	for _, dir := range []string{"d", "src/c"} {
		if err := os.Mkdir(w.project+"/"+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lines = append(lines,
		"mytool -xdlink", "mytool -xd/srv/y", "mytool -Ld/srv/x", "strace cat link/x", "cat "+strings.Repeat("link/x ", maxElsewhere+1), "mytool ..", "cd src || cd b; mytool x/y",
		"cd src && hatch run mytool x/y", "cd src && uv run --project c mytool x/y", "cd src || cd b; mytool --x=y/z", "cd src || cd b; mytool -x=-b", "uv run mytool link/x", "uv run mytool src/out",
	)
	for _, line := range lines {
		w.elsewhere(t, line, Ask, ours(line)...)
	}
	lines = []string{
		"cat " + strings.Repeat("link/x ", maxElsewhere), "mytool a:/dev/stdout", "mytool a:/dev/fd/3", "mytool", "mytool -", "mytool @src/a", "uv run mytool src/a", "cd src && uv run mytool x/y", "cd src && uv run --frozen mytool x/y",
		"cd src || cd b; mytool -v", "cd src && mytool c/d", "mytool //host/api/x", "mytool //host", "mytool /api/v1.2", "mytool x -C", "mytool -C ''", "mv src/a src/b", "mytool /api/x",
		"mytool --dir2 src out", "mytool out", "mytool -C src a", "mytool src/other", "sed 's/a/link/' src/a.go", "gsed s,/srv,, src/a.go",
	}
	for _, scheme := range []string{
		"http", "https", "ftp", "ftps", "sftp", "ssh", "git", "ws", "wss", "git+ssh", "git+https", "s3", "gs", "oci", "docker", "redis", "postgres", "postgresql",
		"mysql", "mongodb", "mongodb+srv", "amqp", "tcp", "udp", "grpc", "ldap", "smtp", "nats",
	} {
		lines = append(lines, "mytool "+scheme+"://host/srv/a")
	}
	for _, line := range lines {
		w.elsewhere(t, line, Allow, ours(line)...)
	}
}

// What a command of the line puts in place may lead anywhere, for those that come after it.
func TestWordsThatAreMovedBefore(t *testing.T) {
	w := withSrv(t)
	for line, want := range map[string]Verdict{
		"mv src/a src/b && mytool src/b/x":   Ask,
		"mv src/a src/b && mytool src/c/x":   Allow,
		"ln -s src here && mytool here/x":    Ask,
		"ln -s src here && mytool ./there/x": Allow,
		"ls src && mytool src/x":             Allow,
	} {
		w.elsewhere(t, line, want, rule(Allow, "Bash", "command", "mytool *|mv *|ln *|ls *"))
	}
}

// elsewhere wants a verdict about a line under rules.
func (w world) elsewhere(t *testing.T, line string, want Verdict, rules ...Rule) {
	t.Helper()
	q := w.bash(t, line)
	q.Exists = existsWithSrv
	if a := judge(t, set(t, rules...), Prepare(q)); a.Verdict != want {
		t.Errorf("%.60q: %s, %.200s; want %s", line, a.Verdict, a.Reason, want)
	}
}

// Without a project nothing is outside of it, and without a look at the files a name is taken as it is.
func TestElsewhereOfWhatIsNotKnown(t *testing.T) {
	w := withSrv(t)
	for line, want := range map[string]Verdict{"mytool ..": Ask, "mytool link": Allow, "mytool link/x": Ask, "mytool src": Allow, "mytool /api/x": Ask, "mytool -Ld/srv/x": Ask, "mytool link.evil": Allow} {
		q := w.bash(t, line)
		q.Exists = nil
		if a := judge(t, set(t, firstWords(line)...), Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
	w.place.Project = ""
	w.elsewhere(t, "mytool src link", Allow, firstWords("mytool src link")...)
}
