package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var testActions = []Action{
	{Name: "allow", Decision: true, Default: []string{"a"}},
	{Name: "deny", Decision: true, Default: []string{"d"}},
	{Name: "deny_why", Decision: true, Default: []string{"D"}},
	{Name: "mark", Default: []string{"space"}},
	{Name: "unfold", Default: []string{"space"}},
	{Name: "up", Default: []string{"k", "up"}},
	{Name: "pane_one", Default: []string{"1"}},
}

// parseSettings is parse for tests that have no keys.
func parseSettings(data []byte) ([]Setting, *FileError) {
	c, p := parse(data, testActions)
	return c.Settings, p
}

func TestKeysOfTheFile(t *testing.T) {
	c, p := parse([]byte("timeout = \"5m\"\n[keys]\nallow = \"w\"\nup = [\"i\", \"up\"]\n# not mark\ndeny = \"a\"\nunfold = \"space\"\npane_one = \"1\"\n"), testActions)
	if p != nil {
		t.Fatal(p)
	}
	want := Contents{
		Settings: []Setting{{"timeout", "5m", 1}},
		Bindings: []Binding{{"allow", []string{"w"}, 3}, {"up", []string{"i", "up"}, 4}, {"deny", []string{"a"}, 6}, {"unfold", []string{"space"}, 7}, {"pane_one", []string{"1"}, 8}},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	f := File{Contents: c}
	if keys, line := f.KeysOf(testActions[5]); line != 4 || !slices.Equal(keys, []string{"i", "up"}) {
		t.Errorf("up: %q, %d", keys, line)
	}
	if keys, line := f.KeysOf(testActions[2]); line != 0 || !slices.Equal(keys, []string{"D"}) {
		t.Errorf("deny_why: %q, %d", keys, line)
	}
	if said := strings.Join(f.Said(), " "); !strings.HasPrefix(said, "timeout=5m keys.allow=w keys.up=i,up") {
		t.Error(said)
	}
}

// An action's name in older files is read as its name of today, and not beside that.
func TestOldNameOfAnAction(t *testing.T) {
	actions := append(slices.Clone(testActions), Action{Name: "defer", Old: "put_off", Default: []string{"x"}})
	for _, name := range []string{"defer", "put_off"} {
		c, p := parse([]byte("[keys]\n"+name+" = \"w\"\n"), actions)
		if p != nil {
			t.Fatal(p)
		}
		if diff := cmp.Diff([]Binding{{"defer", []string{"w"}, 2}}, c.Bindings); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if _, p := parse([]byte("[keys]\nput_off = \"w\"\ndefer = \"z\"\n"), actions); p == nil || p.Line != 3 {
		t.Errorf("both names: %v", p)
	}
}

// Each file is refused as a whole: a file with a key that decides twice, or by habit, must
// not work in part.
func TestKeysRefused(t *testing.T) {
	for _, c := range []struct{ text, want, cure string }{
		{"alow = \"w\"", `line 2: there is no action "alow"`, "did you mean allow?"},
		{"deny-wy = \"w\"", `line 2: there is no action "deny-wy"`, "did you mean deny_why?"},
		{"zzz = \"w\"", `line 2: there is no action "zzz"`, "aoctl config keys"},
		{"mark = \"a\"", "line 2: a is the key of mark and of allow", "allow = "},
		{"allow = \"w\"\nmark = \"w\"", "line 2: w is the key of allow and of mark", "mark = "},
		{"mark = \"k\"", "line 2: k is the key of mark and of up", "up = "},
		{"allow = [\"a\", \"w\"]", "line 2: keys.allow decides about calls and has 2 keys", "one key"},
		{"allow = []", "line 2: keys.allow has no key", `allow = "a"`},
		{"up = [\"x\", \"x\"]", "line 2: keys.up has x twice", "take one out"},
		{"up = 3", "line 2: keys.up must be a key or a list of keys, not the number 3", `up = ["k", "up"]`},
		{"up = [3]", "line 2: keys.up must be a key or a list of keys, not a list", "write up"},
		{"up.x = \"y\"", "line 2: ", "a line of its own"},
		{"up = \"hyper+x\"", `line 2: keys.up: "hyper+x" is not a key`, "ctrl+r"},
		{"up = \"\"", `line 2: keys.up: "" is not a key`, "ctrl+r"},
		{"up = \"ctrl+m\"", `line 2: keys.up: "ctrl+m" is not a key`, "ctrl+r"},
		{"up = \"ab\"", `line 2: keys.up: "ab" is not a key`, "ctrl+r"},
		{"up = \"5\"", "line 2: keys.up: 5 may not do anything else", "write one character"},
	} {
		got, p := parse([]byte("[keys]\n"+c.text+"\n"), testActions)
		if p == nil || len(got.Bindings)+len(got.Settings) > 0 {
			t.Errorf("%s: got %+v, %v", c.text, got, p)
			continue
		}
		if !strings.HasPrefix(p.Error(), c.want) || !strings.Contains(p.Cure, c.cure) {
			t.Errorf("%s: %q, cure %q; want %q, %q", c.text, p.Error(), p.Cure, c.want, c.cure)
		}
	}
	if _, p := parse([]byte("mark = \"m\"\n"), testActions); p == nil || !strings.Contains(p.Cure, "write [keys] before it") {
		t.Errorf("a key without its table: %v", p)
	}
	for _, text := range []string{"[Keys]\n", "[Keys]\nallow = \"w\"\n", "keys = 3\n", "keys = []\n", "[[keys]]\n", "[keys]\n[Keys]\nallow = \"w\"\n", "[keys.up]\nx = 1\n"} {
		if got, p := parse([]byte(text), testActions); p == nil || p.Cure == "" {
			t.Errorf("%q: got %+v, %v", text, got, p)
		}
	}
}

// A decision is a key that is pressed on purpose.
func TestKeysThatDecide(t *testing.T) {
	for _, k := range strings.Fields("enter space esc tab shift+tab ctrl+v ctrl+i ctrl+m up alt+a backspace delete pgdown 0 7 ٣ home ctrl+up") {
		if _, p := parse([]byte("[keys]\nallow = \""+k+"\"\n"), testActions); p == nil {
			t.Errorf("%s allows calls", k)
		}
	}
	for _, k := range strings.Fields("w W é ctrl+a f5 !") {
		if _, p := parse([]byte("[keys]\nallow = \""+k+"\"\n"), testActions); p != nil {
			t.Errorf("%s: %v", k, p)
		}
	}
}
