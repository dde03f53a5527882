package risk

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// lineFrom makes a line of elements out of any text: one element a line of it, its
// first byte says of which kind.
func lineFrom(text string) *shell.Line {
	l := &shell.Line{Raw: text, Parsed: len(text)%7 != 0}
	for i, part := range strings.Split(text, "\n") {
		if len(part) < 2 || i > 40 {
			continue
		}
		rest := part[1:]
		e := shell.Element{Text: rest, Path: rest, Glob: part[0]&1 > 0, Home: part[0]&2 > 0, Tree: part[0]&4 > 0, DirUnsure: part[0]&8 > 0, Pipe: int(part[0]) % 3}
		switch part[0] % 6 {
		case 0:
			e.Kind, e.Argv = shell.Command, strings.Split(rest, " ")
		case 1:
			e.Kind = shell.Read
		case 2:
			e.Kind = shell.Write
		case 3:
			e.Kind, e.Deletes = shell.Write, true
		case 4:
			e.Kind, e.Name, e.Value = shell.Assign, rest, rest
		default:
			e.Kind, e.Unsure = shell.Unknown, "x"
		}
		l.Elements = append(l.Elements, e)
	}
	return l
}

func FuzzAssess(f *testing.F) {
	f.Add("Bash", `{"command":"x"}`, "0rm -rf ~/*\n2.env\n3[a-\n1{a,b}*/**/?.pem")
	f.Add("Read", `{"file_path":"~/.ss[h/*"}`, "")
	f.Add("WebFetch", `{"url":"http://[::1%25x]:x/"}`, "")
	f.Add("mcp__a__b", `{"a":[{"b":"file://~root/.claude"}]}`, "")
	f.Add("apply_patch", `{"input":"*** Add File: \n*** Move to: /"}`, "")
	f.Add("Bash", "", "0git -c push --prune=\n0curl -d\n0kill -1\n0docker run -v\n0chmod ,\n4PATH")
	f.Fuzz(func(t *testing.T, tool, input, text string) {
		c := Call{Tool: tool, Input: json.RawMessage(input)}
		if text != "" {
			c.Line = lineFrom(text)
		}
		r := Assess(c, place())
		for _, e := range r.Findings {
			if e.Why == "" || len(e.Why) > 45 {
				t.Errorf("reason %q", e.Why)
			}
			if e.Guarded && (!r.Guarded || r.Class != Dangerous) {
				t.Errorf("a guarded finding in %v", r.Class)
			}
			if e.Class > r.Class {
				t.Errorf("%v is worse than the whole, %v", e, r.Class)
			}
		}
		if !reflect.DeepEqual(r, Assess(c, place())) {
			t.Error("judged differently the second time")
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}

// element draws a piece of a line that Parse might have made.
func element(t *rapid.T) shell.Element {
	cmd := rapid.SampledFrom([]string{
		"ls", "cat a", "make", "git status", "git push", "git push --force", "curl https://x/i.sh", "sh", "sh i.sh", "rm a", "rm -rf ''", "mv a b", "kill ''", "pgrep aoctl", "env", "python3 -c ''", "chmod +x i.sh", "xargs",
		"foo ~/.ssh/id_rsa", "aoctl sessions", "aoctl rules add", "echo hi",
	})
	p := rapid.SampledFrom([]string{"a", ".", "..", "/", "~", "~/.bashrc", ".env", ".claude/x", "link/x", "link/../a", "loop", "/dev/null", "/dev/sda", "*", ".g*", "/tmp/x", "i.sh", ".git"})
	var e shell.Element
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		e = run(cmd.Draw(t, "command"))
	case 1:
		e = read(p.Draw(t, "read"))
	case 2:
		e = write(p.Draw(t, "written"))
		e.Deletes = rapid.Bool().Draw(t, "deletes")
	default:
		e = set1(rapid.SampledFrom([]string{"A", "PATH", "LC_ALL", "AOCTL_HOME"}).Draw(t, "name"), rapid.SampledFrom([]string{"", "1", "/tmp"}).Draw(t, "value"))
	}
	e.Tree = e.Kind != shell.Command && rapid.Bool().Draw(t, "tree")
	e.Dir = rapid.SampledFrom([]string{"", "", "sub", "/etc", "~"}).Draw(t, "folder")
	e.Pipe = rapid.IntRange(0, 2).Draw(t, "pipe")
	if e.Kind == shell.Command && e.Pipe > 0 {
		e.Stdin = "pipe"
	}
	return e
}

// Another element makes no line better, wherever it stands. A line that mv takes a file
// away from is the exception: the same removal is worse without it.
func TestMoreIsNeverBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(element), 1, 6).Draw(t, "line")
		more := rapid.Custom(element).Filter(func(e shell.Element) bool { return len(e.Argv) == 0 || e.Argv[0] != "mv" }).Draw(t, "more")
		at := rapid.IntRange(0, len(list)).Draw(t, "at")
		before := assessLine(list...)
		longer := append(append(append([]shell.Element{}, list[:at]...), more), list[at:]...)
		after := assessLine(longer...)
		if before.Class > after.Class || before.Guarded && !after.Guarded {
			t.Fatalf("%v (guarded %v) became %v (%v) with %s", before.Class, before.Guarded, after.Class, after.Guarded, more.Text)
		}
	})
}

// Upper and lower case make no difference to what is guarded, or to keys.
func TestCaseDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]string{
			".claude/settings.json", "sub/.mcp.json", "managed-settings.json", ".codex/hooks.json", "/opt/tools/aoctl", "/home/u/.local/state/aoctl/aoctl.db",
			".ssh/id_rsa", ".env", "x.pem", ".aws/credentials",
		}).Draw(t, "path")
		flips := rapid.SliceOfN(rapid.Bool(), len(p), len(p)).Draw(t, "flips")
		i := -1
		mixed := strings.Map(func(r rune) rune {
			if i++; flips[i] {
				return unicode.ToUpper(r)
			}
			return r
		}, p)
		a, b := assessLine(read(p)), assessLine(read(mixed))
		if a.Guarded != b.Guarded || a.Class != b.Class {
			t.Fatalf("%s: %v %v; %s: %v %v", p, a.Class, a.Guarded, mixed, b.Class, b.Guarded)
		}
	})
}

// meet says yes whenever some name fits both patterns.
func TestMeet(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"*", "", true},
		{"a*", "*b", true},
		{"a*", "b*", false},
		{"?", "ab", false},
		{"a?c", "a*", true},
		{"[ab]c", "xc", true},
		{"{a,b}", "b", true},
		{"*.pem", "x*.p?m", true},
		{"*.pem", "*.key", false},
		{"[", "[", true},
		{"{}", "a", false},
		{"{a}", "{a}", true},
		{"x{1..3}", "x2", true},
		{"**", "x", true},
	} {
		if got := pathtable.Meet(c.a, c.b); got != c.want || pathtable.Meet(c.b, c.a) != got {
			t.Errorf("meet(%q, %q) = %v", c.a, c.b, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab.]{0,6}`).Draw(t, "name")
		blur := func(label string) string {
			var b strings.Builder
			for _, r := range name {
				switch rapid.IntRange(0, 3).Draw(t, label) {
				case 0:
					b.WriteByte('?')
				case 1:
					b.WriteByte('*')
				default:
					b.WriteRune(r)
				}
			}
			return b.String()
		}
		if a, b := blur("a"), blur("b"); !pathtable.Meet(a, b) {
			t.Fatalf("%q and %q both fit %q", a, b, name)
		}
	})
}
