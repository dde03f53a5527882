package tomlwords

import (
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a = 5m":                      `text needs quotes around it, such as "5m"`,
		"a = allow":                   `text needs quotes around it, such as "5m"`,
		"a =":                         "there is no value behind the =",
		"a = \nb = 1":                 "there is no value behind the =",
		"a = # none":                  "there is no value behind the =",
		"a":                           "there is no = and no value behind the name",
		"{\"a\": 1}":                  "a line cannot begin with this character",
		"[a":                          "the heading does not end with ]",
		"[[a]":                        "the heading does not end with ]]",
		"a = \"x\n":                   "the quotes are not closed on this line",
		"a = [1":                      "the list does not end with ]",
		"a = [1 2]":                   "a comma is missing in the list, or the ] at its end",
		"a = 99999999999999999999999": "the number is too large",
		"a = \"\\d\"":                 `a \ in quotes needs a second one: write \\`,
		"a = 1 2":                     "there is more on the line than one value",
		"a = 007":                     "a number cannot begin with 0",
		"a = 2026-02-31":              "there is no such date",
		"a = 1\na = 2":                "key a is already defined",
	} {
		var tree map[string]any
		err := toml.Unmarshal([]byte(text), &tree)
		if err == nil {
			t.Errorf("%q is TOML", text)
			continue
		}
		if got := Plain(err); got != want {
			t.Errorf("%q: %s, want %s (the library: %v)", text, got, want, err)
		}
	}
}
