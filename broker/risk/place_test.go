package risk

import (
	"errors"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// A path is read as the text says and as the disk leads.
func TestPathsAreRead(t *testing.T) {
	for _, c := range []struct {
		path        string
		s           spot
		given       string
		reals       string
		lost        bool
		rel, hasPat bool
	}{
		{"a", spot{dir: "/w"}, "/w/a", "/w/a", false, true, false},
		{"/a/../b/", spot{dir: "/w"}, "/b", "/b", false, false, false},
		{"~", spot{tilde: true}, "/home/u", "/home/u", false, false, false},
		{"~/a", spot{tilde: true}, "/home/u/a", "/home/u/a", false, false, false},
		{"~", spot{dir: "/w"}, "/w/~", "/w/~", false, true, false},
		{"~a", spot{dir: "/w"}, "/w/~a", "/w/~a", false, true, false},
		{"~a/b", spot{dir: "/w", tilde: true}, "", "", true, true, false},
		{"a", spot{}, "", "", true, true, false},
		{"a*", spot{dir: "/w"}, "/w/a*", "/w/a*", false, true, false},
		{"a*", spot{dir: "/w", glob: true}, "/w/a*", "/w/a*", false, true, true},
		{"/link/a", spot{}, "/link/a", "/to/x/a", false, false, false},
		{"/link/../a", spot{}, "/a", "/to/a /a", false, false, false},
		{"/link/..", spot{}, "/", "/to /", false, false, false},
		{"/link", spot{}, "/link", "/to/x", false, false, false},
		{"/link", spot{entry: true}, "/link", "/link", false, false, false},
		{"/link/link", spot{entry: true}, "/link/link", "/to/x/link", false, false, false},
		{"/link/", spot{entry: true}, "/link", "/to/x", false, false, false},
		{"/link/.", spot{entry: true}, "/link", "/to/x", false, false, false},
		{"/link/..", spot{entry: true}, "/", "/to /", false, false, false},
		{"/link/a*", spot{glob: true}, "/link/a*", "/to/x/a*", false, false, true},
		{"/link*/a", spot{glob: true}, "/link*/a", "/link*/a", false, false, true},
		{"/*/../a", spot{glob: true}, "/a", "/a", true, false, true},
		{"/*/..", spot{glob: true}, "/", "/", true, false, true},
		{"/bad/a", spot{}, "/bad/a", "", true, false, false},
		{"/bad/../a", spot{}, "/a", "/a", true, false, false},
		{"/rel/a", spot{}, "/rel/a", "", true, false, false},
		{"/a\x00b", spot{}, "/a\x00b", "", true, false, false},
	} {
		j := newResolver(Place{Home: "/home/u", Real: func(p string) (string, error) {
			switch {
			case strings.HasPrefix(p, "/bad"):
				return "", errors.New("a loop")
			case strings.HasPrefix(p, "/rel"):
				return "rel", nil
			}
			return follow(map[string]string{"/link": "/to/x"}, p), nil
		}})
		got := j.resolve(c.path, c.s)
		if got.given != c.given || strings.Join(got.reals, " ") != c.reals || got.lost != c.lost || got.rel != c.rel || got.glob != c.hasPat {
			t.Errorf("%q in %+v: %+v", c.path, c.s, got)
		}
	}
	j := newResolver(Place{})
	if got := j.resolve("~/a", spot{tilde: true}); !got.lost || got.given != "" || got.rel {
		t.Errorf("without a home: %+v", got)
	}
	j = newResolver(Place{Real: func(string) (string, error) { return "/b", errors.New("not to be followed") }})
	if got := j.resolve("/a", spot{}); !got.lost || len(got.reals) > 0 || !j.lost {
		t.Errorf("a path that cannot be followed: %+v", got)
	}
	// The disk is asked about each path once, and not without end.
	asked := 0
	j = newResolver(Place{Real: func(p string) (string, error) { asked++; return p, nil }})
	for i := range 2 * maxFollowed {
		j.resolve("/a"+strings.Repeat("b", i), spot{})
		j.resolve("/a", spot{})
	}
	if asked != maxFollowed || !j.lost {
		t.Errorf("asked %d times; lost %v", asked, j.lost)
	}
	if got := j.resolve("/a", spot{}); got.lost || j.resolve("/new", spot{}).given != "/new" {
		t.Errorf("a path that is known: %+v", got)
	}
}

// The forms say where a path begins, for tables that ask for the home folder and the root.
func TestFormsOfPaths(t *testing.T) {
	j := newResolver(Place{Home: "/srv/u"})
	for p, home := range map[string]int{"/srv/u/a": 2, "/srv/u": -1, "/srv/a": -1, "/srv/ux/a": -1, "/root/a": 1, "/root": -1, "/home/x/a": 2, "/home/x": -1, "/users/x/a": 2, "/Users/x/a": 2, "/a/home/b": -1, "/a/b/c": -1, "/": -1} {
		if f := j.newForm(p, true); f.Home != home || !f.Root || f.Loose || !f.Glob {
			t.Errorf("%s: %+v", p, f)
		}
	}
	if f := newResolver(Place{}).newForm("/srv/u/a", false); f.Home != -1 || f.Glob {
		t.Errorf("without a home: %+v", f)
	}
	if f := newResolver(Place{Home: "/home/corp/u"}).newForm("/home/corp/u/a", false); f.Home != 3 {
		t.Errorf("a home folder below others: %+v", f)
	}
	for p, want := range map[string]string{"a/b": "a b", "../a": "a", "/a": "a", "~x/a": "a", "~x": "~x", "~/a/b": "a b"} {
		f := j.looseForm(p, false)
		home := strings.HasPrefix(p, "~") && strings.Contains(p, "/")
		if strings.Join(f.Names, " ") != want || f.Loose == home || (f.Home == 0) != home || f.Root {
			t.Errorf("%s: %+v", p, f)
		}
	}
	for _, c := range []struct {
		dir, p string
		want   bool
	}{{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/a", "/", false}, {"/", "/a", true}, {"/", "/", true}, {"", "/a", false}, {"", "", false}} {
		if pathtable.Below(c.dir, c.p) != c.want {
			t.Errorf("%s below %s: %v", c.p, c.dir, !c.want)
		}
	}
	for p, want := range map[string]string{"/A/b/": "a|b", "": "", "/": "", "a": "a"} {
		if got := strings.Join(pathtable.Split(p), "|"); got != want {
			t.Errorf("%s: %s", p, got)
		}
	}
	yes := func(string) bool { return true }
	no := func(p string) bool { return p == "a" }
	if !(target{reals: []string{"a"}}).within(yes) || (target{}).within(yes) || (target{reals: []string{"a"}, lost: true}).within(yes) || (target{reals: []string{"a", "b"}}).within(no) {
		t.Error("within")
	}
	for _, c := range []struct {
		t    target
		want string
	}{{target{given: "/a", reals: []string{"/a"}}, "/a"}, {target{given: "/a", reals: []string{"/b", "/a", "/c"}}, "/a /b /c"}, {target{given: "/a", lost: true}, "/a"}, {target{lost: true}, ""}} {
		if got := c.t.places(); strings.Join(got, " ") != c.want || len(got) != len(strings.Fields(c.want)) {
			t.Errorf("%+v may be %q", c.t, got)
		}
	}
	for _, p := range lines("/tmp/x; /tmp; /var/tmp/x; /private/tmp/x; /private/var/tmp/x; /var/folders/x; /private/var/folders/x; /dev/shm/x") {
		if !pathtable.Temporary(p) {
			t.Errorf("%s is kept", p)
		}
	}
	for _, p := range lines("/tmpx; /var; /var/x; /private/x; /dev/x; /") {
		if pathtable.Temporary(p) {
			t.Errorf("%s is temporary", p)
		}
	}
}

// A table finds a path by its names, wherever they stand; a row that begins in the home folder
// or in the root only there.
func TestTablesFindPaths(t *testing.T) {
	table := pathtable.New(pathtable.Rows("any", "a", "b/", "c*", "d/e", "x*y?z"), pathtable.Rows("home", "~/f", "~/g/", "~/*h"), pathtable.Rows("root", "/i", "/j/", "/*k/l", "/proc/*/m", ".env"))
	j := newResolver(Place{Home: "/home/u"})
	for p, want := range map[string]string{
		"/a": "any", "/q/a": "any", "/a/q": "", "/b": "any", "/b/q/q": "any", "/cq": "any", "/q/c": "any", "/c/q": "", "/d/e": "any", "/q/d/e": "any", "/d": "", "/d/q/e": "", "/xyqz": "any", "/xqyqz": "any", "/xyz": "",
		"/home/u/f": "home", "/home/v/f": "home", "/root/f": "home", "/f": "", "/q/f": "", "/home/u/q/f": "", "/home/u/g/q/q": "home", "/home/u/qh": "home", "/home/u/q/qh": "",
		"/i": "root", "/q/i": "", "/i/q": "", "/j/q": "root", "/qk/l": "root", "/q/qk/l": "", "/proc/1/m": "root", "/proc/m": "", "/proc/1/2/m": "",
	} {
		e, ok := table.Find(target{forms: []pathtable.Form{j.newForm(p, false)}}.forms)
		if e.Why != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", p, e.Why, ok)
		}
		if e, _ = table.Find(target{forms: []pathtable.Form{j.newForm(p, true)}}.forms); e.Why != want {
			t.Errorf("%s as a pattern without wildcards: %q", p, e.Why)
		}
	}
	for p, want := range map[string]string{"/.e*": "root", "/d/x*": "", "/d/e*": "any", "/*": "", "/q/.en?": "root", "/home/u/*h": "home", "/proc/*/m": "root", "/proc/*/q": ""} {
		if e, _ := table.Find(target{forms: []pathtable.Form{j.newForm(p, true)}}.forms); e.Why != want {
			t.Errorf("the pattern %s: %q", p, e.Why)
		}
	}
	for p, want := range map[string]string{"q/a": "any", "i": "", "f": "home", "~x/f": "home", "~x/q/f": ""} {
		if e, _ := table.Find(target{forms: []pathtable.Form{j.looseForm(p, false)}}.forms); e.Why != want {
			t.Errorf("%s, nobody knows where: %q", p, e.Why)
		}
	}
	// The first row counts.
	both := pathtable.New(pathtable.Rows("first", "*x", "/b"), pathtable.Rows("second", "ax", "/bx", "~/ax"))
	for p, want := range map[string]string{"/bx": "first", "/b": "first", "/home/u/ax": "second"} {
		if e, _ := both.Find(target{forms: []pathtable.Form{j.newForm(p, false)}}.forms); e.Why != want {
			t.Errorf("%s: %q", p, e.Why)
		}
	}
	for _, c := range []struct {
		name, got string
		want      bool
	}{{"a*b", "ab", true}, {"a*b", "axb", true}, {"a*b", "a", false}, {"a*b", "xab", false}, {"a*b", "abx", false}, {"ab*b", "ab", false}, {"a*b*c", "axbxc", true}, {"a*b*c", "axcxb", false}, {"a?", "ab", true}, {"?a*", "xab", true}, {"?a*", "ab", false}, {"*a?", "xab", true}, {"a", "a", true}, {"a", "b", false}, {"*.pem", "*.pem", true}, {"a", "a*", false}} {
		n := pathtable.NameOf(c.name)
		if n.Fits(c.got) != c.want {
			t.Errorf("%s fits %s: %v", c.name, c.got, !c.want)
		}
	}
}

// A worktree well inside an agent's folder is a project like any other; what else lies there
// is guarded, and so is all that aoctl's own files lie in.
func TestWhatIsGuarded(t *testing.T) {
	at := place()
	j := newResolver(at)
	for _, c := range []struct {
		path          string
		wide, changes bool
		want          string
	}{
		{"/home/u/.config/aoctl", false, false, touchesAoctl},
		{"/home/u/.config/aoctl/x", false, false, touchesAoctl},
		{"/opt/tools/aoctl", false, true, touchesAoctl},
		{"/opt/tools", false, true, ""},
		{"/opt/tools", true, true, touchesAoctl},
		{"/opt", true, false, touchesAoctl},
		{"/opt/other", true, true, ""},
		{"/home/u/.codex", false, false, commands.TouchesSettings},
		{"/home/u", true, false, touchesAoctl},
		{"/home/u", false, true, ""},
		{"/opt/tools/aoct?", false, false, touchesAoctl},
		{"/opt/tool*", true, false, touchesAoctl},
		{"/opt/x*", true, false, ""},
		{"/opt/[t]ools/aoctl", false, false, touchesAoctl},
		{"/home/u/*/aoctl", false, false, ""},
		{"/home/u/.con*/aoctl", false, false, touchesAoctl},
		{"/home/u/.l*/state/aoctl", false, false, touchesAoctl},
	} {
		if why, ok := j.guarded(j.resolve(c.path, spot{glob: true}), c.wide, c.changes); why != c.want || ok != (c.want != "") {
			t.Errorf("%+v: %q, %v", c, why, ok)
		}
	}
	if why, ok := j.guarded(j.resolve("/opt/tool*", spot{}), true, false); ok {
		t.Errorf("a name with a star in it: %s", why)
	}
	if why, ok := j.guarded(j.resolve("opt/tools/aoctl", spot{}), true, false); ok {
		t.Errorf("nobody knows where: %s", why)
	}
	for _, own := range []string{"", "/", "relative", "/./"} {
		if got := ownPaths(Place{Own: []string{own}}); len(got) != 0 {
			t.Errorf("%q: %v", own, got)
		}
	}
	got := ""
	for _, names := range ownPaths(Place{Own: []string{"/A/b/../c/"}, Home: "/home/u/"}) {
		got += strings.Join(names, "/") + " "
	}
	if got != "a/c home/u/.claude home/u/.claude.json home/u/.codex home/u/.gemini home/u/.qwen home/u/.opencode home/u/.copilot home/u/.cursor home/u/.config/opencode " {
		t.Errorf("own paths are %s", got)
	}
	for project, want := range map[string]int{"/w/.claude/worktrees/a": 1, "/w/.claude/a": 0, "/w/.claude": 0, "/w/a/b": 0, "/.claude/.codex/b/c": 2} {
		if n := len(agentFolders(pathtable.Split(project))); n != want {
			t.Errorf("%s has %d folders of agents", project, n)
		}
	}
	// Both of them are masked, and what lies beside is not.
	deep := Place{CWD: "/.claude/.codex/b/c", Project: "/.claude/.codex/b/c"}
	for p, want := range map[string]bool{"a": false, ".": false, "../a": true, "/.claude/x": true, ".gemini/x": true, "/other/.codex/b/c": true} {
		if Guarded(p, deep) != want {
			t.Errorf("%s in a worktree: %v", p, !want)
		}
	}
}

// Which repository git will find is asked of the place, and not known when the line makes
// another one first.
func TestWhichRepository(t *testing.T) {
	at := place()
	at.Git = func(dir string) Git {
		switch {
		case strings.HasSuffix(dir, "/nested"):
			return Git{Foreign: "nested", Nested: true}
		case strings.Contains(dir, "/foreign"):
			return Git{Foreign: "foreign"}
		}
		return Git{Settings: "at " + dir, Remote: "remote", Top: "/home/u/src/app"}
	}
	const made = "the line may change the repository that git would use, whose settings can run programs"
	use := func(dir string, elements ...shell.Element) Git { return GitUse(lineOf(elements...), 0, dir, at) }
	app := "/home/u/src/app"
	host := run("git status")
	host.Host = "h"
	for i, e := range []shell.Element{run("ls"), run("gitk"), host, {Kind: shell.Read, Argv: []string{"git", "status"}}, {Kind: shell.Command}, run("git version")} {
		if g := use(app, e); g != (Git{}) {
			t.Errorf("%d: %+v", i, g)
		}
	}
	for line, want := range map[string]Git{
		"git status": {Settings: "at " + app}, "git": {Settings: "at " + app}, "git --version x": {Settings: "at " + app}, "git -C sub status": {Settings: "at " + app + "/sub"}, "git -C /x status": {Settings: "at /x"}, "git -C sub -C b status": {Settings: "at " + app + "/sub/b"}, "git -C loop status": {Foreign: "git works in a folder that cannot be followed"},
		"git -C link status": {Settings: "at /home/u/other"}, "git fetch": {Settings: "at " + app, Remote: "remote"}, "git fetch nested": {Settings: "at " + app, Remote: "remote", Foreign: "nested"}, "git fetch foreign": {Settings: "at " + app, Remote: "remote"}, "git fetch /nested": {Settings: "at " + app, Remote: "remote", Foreign: "nested"},
		"git fetch --upload-pack=nested": {Settings: "at " + app, Remote: "remote", Foreign: "nested"}, "git fetch x=nested": {Settings: "at " + app, Remote: "remote"}, "git fetch -nested": {Settings: "at " + app, Remote: "remote"}, "git fetch --x=": {Settings: "at " + app, Remote: "remote"}, "git fetch loop nested": {Settings: "at " + app, Remote: "remote", Foreign: "nested"},
		"git -C foreign fetch nested": {Foreign: "foreign"}, "git -C nested status": {Foreign: "nested", Nested: true}, "git status nested": {Settings: "at " + app},
		"git -c a=b status": {Settings: "at " + app}, "git -c x -C sub status": {Settings: "at " + app + "/sub"}, "git --namespace -C -C sub status": {Settings: "at " + app + "/sub"}, "git --config-env -C -C sub status": {Settings: "at " + app + "/sub"}, "git --super-prefix -C -C sub status": {Settings: "at " + app + "/sub"},
		"git --attr-source -C -C sub status": {Settings: "at " + app + "/sub"}, "git --shallow-file -C -C sub status": {Settings: "at " + app + "/sub"}, "git --namespace=x -C sub status": {Settings: "at " + app + "/sub"}, "git -c -C -C sub status": {Settings: "at " + app + "/sub"}, "git -C '' status": {Settings: "at " + app},
		"git -C": {Foreign: "git -C works in a folder that is not known"}, "git -C a~ status": {Foreign: "git -C works in a folder that is not known"}, "git --git-dir=x status": {Foreign: "git --git-dir names a repository, whose settings can run programs"}, "git-fetch nested": {Settings: "at " + app},
	} {
		if g := use(app, run(line)); g.Foreign != want.Foreign || want.Foreign == "" && (g.Settings != want.Settings || g.Remote != want.Remote) {
			t.Errorf("%s: %+v, want %+v", line, g, want)
		}
	}
	for line, want := range map[string]string{"git status": "git works in a folder that is not known", "git -C x status": "git works in a folder that is not known", "git -C /x status": ""} {
		if g := use("", run(line)); g.Foreign != want {
			t.Errorf("%s nobody knows where: %+v", line, g)
		}
	}
	for n, want := range map[int]string{maxPushed - 1: "nested", maxPushed: "it has too many words to see which repositories git talks to"} {
		if g := use(app, run("git push"+strings.Repeat(" x", n)+" nested")); g.Foreign != want {
			t.Errorf("behind %d words: %+v", n, g)
		}
	}
	none := at
	none.Git = nil
	if g := GitUse(lineOf(run("git status")), 0, app, none); g != (Git{}) {
		t.Errorf("nobody knows: %+v", g)
	}
	none = at
	none.Real = nil
	if g := GitUse(lineOf(run("git fetch nested")), 0, app, none); g.Foreign != "nested" {
		t.Errorf("without links: %+v", g)
	}
	far := write("sub/.git")
	far.Host = "h"
	lock := remove(app + "/.git/index.lock")
	for i, c := range []struct {
		dir    string
		before shell.Element
		want   string
	}{
		{app, write("sub/x"), ""},
		{app, write(".git/x"), made},
		{app, write("HEAD"), made},
		{app, write("objects"), made},
		{app, write("Refs"), made},
		{app, write("commondir"), made},
		{app, write("sub/HEAD"), ""},
		{app, write("../HEAD"), made},
		{app, remove("HEAD"), ""},
		{app, remove(".git"), made},
		{app, remove(".git/x"), made},
		{app, lock, ""},
		{app, write(".git/index.lock"), made},
		{app, write("src"), ""},
		{app, tree(write(".")), made},
		{app, tree(write("/home/u")), made},
		{app, tree(remove("/home/u")), ""},
		{app, write(app), ""},
		{app, far, ""},
		{app, write("loop/x"), made},
		{app, remove("loop/x"), ""},
		{app, shell.Element{Kind: shell.Write}, ""},
		{app, lost(write("x")), made},
		{app, run("git checkout x"), ""},
		{app, run("git -c a=b checkout x"), ""},
		{app + "/sub", run("git checkout x"), made},
		{app + "/sub", run("git -C x checkout x"), made},
		{app + "/sub", run("git"), ""},
		{app + "/sub", run("git status"), ""},
		{app + "/sub", run("ls checkout"), ""},
		{app + "/sub", write("/home/u/src/app/sub"), made},
		{app + "/sub", write("/home/u/src/app/x"), ""},
		{app + "/sub", remove("/home/u/src/app/sub"), ""},
		{app + "/link", write("/home/u/src/app/link"), made},
		{app + "/link", write("/home/u/other"), made},
	} {
		l := lineOf(c.before, run("git status"))
		if g := GitUse(l, 1, c.dir, at); g.Foreign != c.want {
			t.Errorf("%d, %s before git in %s: %+v", i, c.before.Text, c.dir, g)
		}
	}
	if g := GitUse(lineOf(run("git status"), run("git checkout x")), 0, app+"/sub", at); g.Foreign != "" {
		t.Errorf("what comes later: %+v", g)
	}
	if g := GitUse(lineOf(run("git status"), write("sub/.git")), 0, app+"/sub", at); g.Foreign == "" {
		t.Errorf("what a pipe writes: %+v", g)
	}
}
