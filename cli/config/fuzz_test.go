package config

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// FuzzParse: whatever a file holds, either every line of it is a setting that there is,
// once, or there are none at all and one printable line says why.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"timeout = \"5m\"\nmax-pending = 100\ndesktop = true\n", "observe = true", "timeout = \"5m\"\ntimeout = \"6m\"",
		"[a]\nb = 1\n", "a.b = 1", "keep = [[[", "\xff", "'timeout' = '''x'''", "keep = \"\\u0000\"", "max-pending = 0xff", "\"\\u006fbserve\" = true",
		"keep = 1979-05-27T07:32:00Z", "= 1", "keep", "\r\n# x", "max-pending = 99999999999999999999", "keep = {a = 1, a = 2}",
		"[keys]\nallow = \"w\"\nup = [\"i\", \"up\"]", "[Keys]\nallow = \"w\"", "keys.allow = \"w\"", "keys = {allow = \"w\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, p := parse(data, testActions)
		list := c.Settings
		if p != nil {
			checkProblem(t, data, list, p)
			return
		}
		seen := map[string]bool{}
		lines := strings.Split(string(data), "\n")
		for _, l := range list {
			known := false
			for _, k := range Keys() {
				known = known || k.Name == l.Key
			}
			if !known || seen[l.Key] || l.Line < 1 || l.Line > len(lines) {
				t.Fatalf("%+v of %q", l, data)
			}
			seen[l.Key] = true
		}
		for _, b := range c.Bindings {
			known := slices.ContainsFunc(testActions, func(a Action) bool { return a.Name == b.Action })
			if !known || seen[b.Action] || b.Line < 1 || b.Line > len(lines) || len(b.Keys) == 0 {
				t.Fatalf("%+v of %q", b, data)
			}
			seen[b.Action] = true
		}
	})
}

func checkProblem(t *testing.T, data []byte, list []Setting, p *FileError) {
	t.Helper()
	if len(list) != 0 || p.Text == "" || p.Cure == "" {
		t.Fatalf("%v, %+v of %q", list, p, data)
	}
	if p.Line < 0 || p.Line > strings.Count(string(data), "\n")+1 {
		t.Fatalf("place %d of %q", p.Line, data)
	}
	for _, r := range p.Error() + p.Cure {
		if !unicode.IsPrint(r) {
			t.Fatalf("%q is not printable", p.Error()+p.Cure)
		}
	}
}
