package risk

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/shell"
)

// An element works in the folder that it says, if that is known.
func TestFoldersOfElements(t *testing.T) {
	at := place()
	for dir, want := range map[string]string{"": at.CWD, "~": "/home/u", "~/a": "/home/u/a", "~x": at.CWD + "/~x", "/x": "/x", "a": at.CWD + "/a", "..": "/home/u/src"} {
		if got := newResolver(at).dirOf(in(dir, run("ls"))); got != want {
			t.Errorf("%q: %s, want %s", dir, got, want)
		}
	}
	if got := newResolver(at).dirOf(lost(in("/x", run("ls")))); got != "" {
		t.Errorf("a folder that is not known: %s", got)
	}
	for dir, want := range map[string]string{"~": "", "~/a": "", "a": "/w/a"} {
		if got := newResolver(Place{CWD: "/w"}).dirOf(in(dir, run("ls"))); got != want {
			t.Errorf("%q without a home: %s", dir, got)
		}
	}
	if got := newResolver(Place{CWD: "w"}).dirOf(in("/x", run("ls"))); got != "" {
		t.Errorf("a place without a folder: %s", got)
	}
	// A path that is not known is taken by the names that its text ends in.
	j := newResolver(at)
	for text, want := range map[string]string{
		"> $HOME/x": "/home/u/x", "$HOME": "/home/u", "${HOME}/x": "/home/u/x", "$HOMEx/y": "y", "$HOME.x/y": "y", `2>> "$HOME"/x`: "/home/u/x", "<'$X'/y": "y", "$X": "-", "$X/": "-", "& | $X/a/b": "a/b",
	} {
		got := "-"
		if list := j.targets(shell.Element{Text: text}, false); len(list) > 0 {
			if got = list[0].given; got == "" {
				got = strings.Join(list[0].forms[0].Names, "/")
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What a tool is given beside its line may change where that runs.
func TestInputsBesideALine(t *testing.T) {
	assess := func(tool, input string) Risk {
		return Assess(Call{Tool: tool, Input: json.RawMessage(input), Line: lineOf(run("ls"))}, place())
	}
	for input, want := range map[string]string{
		`{"dangerouslyDisableSandbox":true}`: "leaves the agent's sandbox", `{"cwd":"/x"}`: "may run in another folder", `{"workdir":"/x"}`: "may run in another folder", `{"directory":"/x"}`: "may run in another folder", `{"dir_path":"/x"}`: "may run in another folder",
	} {
		if r := assess("Bash", input); !finds(r, want) || r.Class != Normal {
			t.Errorf("%s: %+v", input, r)
		}
	}
	for input, want := range map[string]Class{
		`{"command":"x","description":"y","timeout":1,"run_in_background":true}`: Safe, "": Safe, `{}`: Safe, `{"x":1}`: Normal, `[]`: Normal, `{"cwd":""}`: Normal, `{"cwd":"/home/u/src/app"}`: Safe, `{"cwd":7}`: Normal, `{"dangerouslyDisableSandbox":false}`: Normal,
	} {
		if r := assess("Bash", input); r.Class != want || len(r.Findings) > 0 {
			t.Errorf("%s: %+v", input, r)
		}
	}
	for i, l := range []*shell.Line{{Raw: "ls", Parsed: true, Plain: true}, {Raw: "ls", Parsed: true, Elements: []shell.Element{run("ls")}}, {Raw: "ls", Plain: true, Elements: []shell.Element{run("ls")}}} {
		if r := Assess(Call{Tool: "Bash", Line: l}, place()); r.Class != Normal {
			t.Errorf("line %d: %v", i, r.Class)
		}
	}
	nowhere := place()
	nowhere.Project = ""
	if r := Assess(Call{Tool: "Bash", Line: lineOf(run("pwd"))}, nowhere); r.Class != Normal {
		t.Errorf("without a project: %v", r.Class)
	}
}

// onlyLooks reports whether an element does nothing but look.
func onlyLooks(e shell.Element) bool {
	l := &shell.Line{Elements: []shell.Element{e}}
	return doesJudge{resolver: newResolver(place())}.element(l, 0).set.Within(effects.Of(effects.Look))
}

// Only an element that is fully known, and works in the project, is known to only look.
func TestElementsThatOnlyLook(t *testing.T) {
	ls := func(change func(*shell.Element)) shell.Element {
		e := run("ls")
		change(&e)
		return e
	}
	for name, e := range map[string]shell.Element{
		"unsure": ls(func(e *shell.Element) { e.Unsure = "x" }), "exact": ls(func(e *shell.Element) { e.Exact = "x" }), "another machine": ls(func(e *shell.Element) { e.Host = "h" }), "nobody knows where": lost(run("ls")), "by another": via(run("ls"), "nice", "xargs"),
		"elsewhere": in("/home/u", run("ls")), "by a link": in("link", run("ls")), "a word that leads out": run("ls ../x"), "a word in an option": run("ls --x=/etc/x"), "no words": {Kind: shell.Command}, "unknown": {Kind: shell.Unknown}, "deletes": remove("/dev/null"), "writes": write("x"), "reads": read("/etc/x"),
		"sets": set1("FOO", "x"), "sets a pager": set1("PAGER", "x"), "sets an editor": set1("EDITOR", "vi"),
	} {
		if onlyLooks(e) {
			t.Errorf("%s only looks", name)
		}
	}
	for name, e := range map[string]shell.Element{
		"plain": run("ls"), "by a wrapper": via(run("ls"), "nice", "time"), "in a folder": in("src", run("ls")), "neutral": {Kind: shell.Command, Argv: []string{"x"}, Neutral: true}, "reads": read("x"), "reads what nobody minds": read("/usr/share/x"), "writes nothing": write("/dev/null"), "sets": set1("LANG", "C"), "sets a pager": set1("PAGER", "cat"),
		"a folder that nobody minds": run("ls /usr/share/x"), "the first of grep's words": run("grep /x a"),
	} {
		if !onlyLooks(e) {
			t.Errorf("%s does more than look", name)
		}
	}
}

// A Risk carries so much and no more.
func TestLimitsOfARisk(t *testing.T) {
	for n, want := range map[int]int{maxText: maxText, maxText + 1: maxText + len("…")} {
		if got := clip(strings.Repeat("a", n)); len(got) != want {
			t.Errorf("%d bytes become %d", n, len(got))
		}
	}
	if got := clip("a" + strings.Repeat("é", maxText)); got != "a"+strings.Repeat("é", (maxText-2)/2)+"…" {
		t.Errorf("cut to %d bytes", len(got))
	}
	var list []Finding
	for i := range maxFindings + 9 {
		list = append(list, Finding{Class: Normal, Why: strings.Repeat("x", i+1), Element: maxFindings - i})
	}
	list = append(list, Finding{Class: Dangerous, Why: "b", Element: 9}, Finding{Class: Dangerous, Why: "c", Element: 3}, Finding{Class: Dangerous, Why: "a", Element: 10, Guarded: true}, Finding{Class: Dangerous, Why: "c", Element: 4}, Finding{Class: Dangerous, Why: "c", Element: 4, Text: "other"})
	got := ""
	merged := merge(list)
	for _, f := range merged[:4] {
		got += f.Why + f.Text + " "
	}
	if got != "a c cother b " || len(merged) != maxFindings {
		t.Errorf("%d findings: %s", len(merged), got)
	}
}

// Each name and number of a cloud's metadata, and what looks like them.
func TestMetadataAndNames(t *testing.T) {
	for _, host := range lines("169.254.169.254; 169.254.170.2; fd00:ec2::254; metadata.google.internal; metadata.goog; 100.100.100.200; metadata; ::ffff:169.254.169.254; 2852039166; 0xa9fea9fe; 0xa9.0xfe.0xa9.0xfe; 0251.0376.0251.0376") {
		if !commands.IsMetadata(host) {
			t.Errorf("%s is none", host)
		}
	}
	for _, host := range lines("169.254.169.253; metadata.example; 2852039167; 10.0.0.1; ::1") {
		if commands.IsMetadata(host) {
			t.Errorf("%s is one", host)
		}
	}
	const deletes, noticed = "its name says that it deletes", "its name says that others will see it"
	for why, list := range map[string]string{
		deletes: "mcp__x__delete; mcp__x__drop_a; mcp__x__a_destroy; mcp__x__purge-a; mcp__x__truncate; mcp__x__wipe; mcp__x__erase; mcp__x__a/delete; mcp__x__deleteA; mcp__x__aDeleteB; mcp__x__a_dropB; mcp__x__a-DestroyB; mcp__x__purgeB; mcp__x__PurgeB; mcp_x_delete; MCP:x:delete_a; mcp__x__DELETE",
		noticed: "mcp__x__remove_a; mcp__x__publish; mcp__x__transfer; mcp__x__payment; mcp__x__pay; mcp__x__send; mcp__x__merge; mcp__x__deploy; mcp__x__post; mcp__x__invite; mcp__x__grant; mcp__x__revoke; MCP:x:send",
		"":      "mcp__x__get; mcp__delete__get; mcp__x__undelete; x__delete; delete; send; mcp__send__get; MCP:delete:get",
	} {
		for _, tool := range lines(list) {
			r := assessTool(tool, "{}")
			if finds(r, deletes) != (why == deletes) || finds(r, noticed) != (why == noticed) {
				t.Errorf("%s: %+v", tool, r.Findings)
			}
		}
	}
	for _, e := range []shell.Element{{Kind: shell.Assign, Name: "PATH", Text: `PATH="."`, Unsure: "x"}, {Kind: shell.Assign, Name: "NODE_OPTIONS", Text: "NODE_OPTIONS='--require x'", Unsure: "x"}} {
		if r := assessLine(e); r.Class != Dangerous {
			t.Errorf("%s: %+v", e.Text, r)
		}
	}
	for _, e := range []shell.Element{{Kind: shell.Assign, Name: "PATH", Text: `PATH="."`}, {Kind: shell.Assign, Name: "PATH", Text: `PATH="."`, Value: "/bin", Unsure: "x"}, {Kind: shell.Assign, Name: "PATH", Text: `PATH`, Unsure: "x"}} {
		if r := assessLine(e); r.Class == Dangerous {
			t.Errorf("%s: %+v", e.Text, r)
		}
	}
	for value, want := range map[string]bool{"-r x": true, "a -r": true, "--require=x": true, "--import x": true, "--loader x": true, "--experimental-loader=x": true, "--inspect": true, "-x": false, "": false, "x--require": false} {
		if loadsCode(value) != want {
			t.Errorf("NODE_OPTIONS=%s: %v", value, !want)
		}
	}
	for value, want := range map[string]bool{"": true, "/bin": true, "/bin:$X": true, "~/bin:/bin": true, "$X/../a": true, "/bin:": false, "a": false, "~x/bin": false, "/tmp/x:/bin": false, "/bin:/x/../tmp": false, "~": false} {
		if plainPath(value) != want {
			t.Errorf("PATH=%s: %v", value, !want)
		}
	}
}

// A word that is no path says nothing by leading nowhere; a file that is read does.
func TestWordsThatLeadNowhere(t *testing.T) {
	at := place()
	at.Real = func(p string) (string, error) {
		if strings.HasPrefix(p, "/^") || strings.Contains(p, "/b/a") {
			return "", errors.New("nobody can say")
		}
		return p, nil
	}
	for line, want := range map[string]string{
		"awk '/^func /{print $1}' a": "look", "sed -n '/^func/,/^}/p' a": "look", "mv a b": "edit", "cat /^func": "unknown", "mv /^a b": "outside, unknown", "cat a b/a": "look, outside, unknown",
		"uv run pytest -q": "check, fetch", "uv run --frozen ls": "look, check, fetch", "uv run true": "check, fetch", "poetry run pytest": "check", "bundle exec rspec": "check",
		"uv run --with x pytest": "outside, unknown", "poetry -C x run pytest": "outside, unknown", "uv run --project x pytest": "outside, unknown", "hatch run pytest": "outside", "./uv run pytest": "check, outside",
	} {
		l, got := shell.Parse(line), effects.Set(0)
		for _, set := range Assess(Call{Tool: "Bash", Line: &l}, at).Parts {
			got |= set
		}
		if got.String() != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
