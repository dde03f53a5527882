package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	text := "# mine\n\ntimeout = \"5m\"   # short\r\nmax-pending = 1_0\n'desktop' = true\nkeep = '''90d'''"
	got, p := parseSettings([]byte(text))
	if p != nil {
		t.Fatal(p)
	}
	want := []Setting{{"timeout", "5m", 3}, {"max-pending", "10", 4}, {"desktop", "true", 5}, {"keep", "90d", 6}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	for _, empty := range []string{"", "# nothing\n", "\n\n"} {
		if got, p := parseSettings([]byte(empty)); p != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", empty, got, p)
		}
	}
}

// Each file is refused as a whole, with the place, the reason and a cure.
func TestParseRefuses(t *testing.T) {
	const good = "timeout = \"5m\"\n"
	for _, c := range []struct{ name, text, want, cure string }{
		{"syntax", good + "keep = \n", "line 2: there is no value behind the =", "one setting a line"},
		{"text without quotes", good + "keep = 90d\n", "line 2: text needs quotes around it", "text in quotes"},
		{"unknown", good + "colour = \"red\"\n", `line 2: there is no setting "colour"`, "aoctl config"},
		{"letters swapped", "tiemout = \"5m\"\n", `line 1: there is no setting "tiemout"`, "did you mean timeout?"},
		{"with an underscore", "max_pending = 5\n", `line 1: there is no setting "max_pending"`, "did you mean max-pending?"},
		{"in another case", "Timeout = \"5m\"\n", `line 1: there is no setting "Timeout"`, "did you mean timeout?"},
		{"very long", strings.Repeat("k", 5000) + " = 1\n", "line 1: there is no setting \"" + strings.Repeat("k", maxShown-1) + `…"`, "aoctl config"},
		{"refused", good + "\nobserve = true\n", "line 3: observe is not taken from a file: no call would be held", "take it out, and type: aoctl --observe"},
		{"refused also when off", "observe = false\n", "line 1: observe is not taken", "take it out"},
		{"refused in quotes", "\"observe\" = true\n", "line 1: observe is not taken", "take it out"},
		{"refused with an escape", "\"\\u006fbserve\" = true\n", "line 1: observe is not taken", "take it out"},
		{"twice", good + good, "line 2: key timeout is already defined", "keep one"},
		{"twice, once in quotes", good + "\"timeout\" = \"6m\"\n", "line 2: key timeout is already defined", "keep one"},
		{"a table", "[console]\ntimeout = \"5m\"\n", "line 1: there is no table [console] here", "a line of its own"},
		{"a list of tables", "[[rule]]\n", "line 1: there is no table [rule] here", "a line of its own"},
		{"a dotted key", "timeout.x = 1\n", "line 1: there is no table [timeout.x] here", "a line of its own"},
		{"number for text", "timeout = 300\n", "line 1: timeout must be text in quotes, not the number 300", `write timeout = "10m"`},
		{"text for a number", "max-pending = \"5\"\n", "line 1: max-pending must be a whole number, not text", "write max-pending = 4096"},
		{"fraction", "max-pending = 1.5\n", "line 1: max-pending must be a whole number, not a number with a fraction", "write"},
		{"number for a switch", "desktop = 1\n", "line 1: desktop must be true or false, not the number 1", "write desktop = true"},
		{"switch for text", "keep = false\n", "line 1: keep must be text in quotes, not false", "write"},
		{"list", "keep = [\"90d\"]\n", "line 1: keep must be text in quotes, not a list", "write"},
		{"inline table", "keep = {a = 1}\n", "line 1: keep must be text in quotes, not a table", "write"},
		{"time", "keep = 2026-01-01\n", "line 1: keep must be text in quotes, not a time", "write"},
		{"bad value", "keep = \"9d\"\ntimeout = \"soon\"\n", `line 2: timeout "soon" is not a time`, "give a number"},
		{"together", good + "max-pending-session = 13\nmax-pending = 12\n", "line 2: max-pending-session 13 is more than max-pending, 12", "from 1 to 12"},
		{"not UTF-8", good + "keep = \"\xff\"\n", "line 2: this is not UTF-8 text", "UTF-8"},
		{"invisible", good + "# a\u202eb\n", "line 2: the character U+202E cannot be seen", "remove it"},
		{"byte order mark", "\ufeff" + good, "line 1: the character U+FEFF cannot be seen", "remove it"},
		{"zero byte", "keep = \"\x00\"\n", "line 1: the character U+0000 cannot be seen", "remove it"},
		{"too large", good + strings.Repeat("#", MaxFile), "it is larger than 16 KiB", "move it away"},
		{"deep", "keep = " + strings.Repeat("[", MaxFile-10), "line 1: arrays and inline tables are nested", "one setting a line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, p := parseSettings([]byte(c.text))
			if p == nil || len(got) != 0 {
				t.Fatalf("got %v, %v", got, p)
			}
			if !strings.HasPrefix(p.Error(), c.want) || !strings.Contains(p.Cure, c.cure) {
				t.Errorf("%q, cure %q; want %q, cure %q", p.Error(), p.Cure, c.want, c.cure)
			}
		})
	}
}

func TestNear(t *testing.T) {
	for name, want := range map[string]string{
		"tmeout": "timeout", "TIMEOUT": "timeout", "kep": "keep", "max_pendin": "max-pending",
		"loop": "", "": "", "time": "timeout", strings.Repeat("timeout", 1000): "",
	} {
		if got := Near(name); got != want {
			t.Errorf("Near(%.20q) = %q, want %q", name, got, want)
		}
	}
}
