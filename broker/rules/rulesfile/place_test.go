package rulesfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// A wrong field of a file is named with its line and column.
func TestPlacesInAFile(t *testing.T) {
	for text, want := range map[string]string{
		"[[rule]]\ndecision = \"x\"\n":                                        "2:1 decision",
		"[[rule]]\n  decision = \"x\"\n":                                      "2:3 decision",
		"[[rule]]\ndecision = \"deny\"\ntool = \"T\"\n[[rule]]\ntool=1\n":     "5:1 tool",
		"[[rule]]\ndecision = \"deny\"\ntool = \"T\"\nwhere = { a = 1 }\n":    "4:11 where.a",
		"[[rule]]\ndecision = \"deny\"\ntool = \"T\"\n[rule.where]\na = 1\n":  "5:1 where.a",
		"[[rule]]\ndecision = \"deny\"\ntool = \"T\"\nwhere.a = 1\n":          "4:1 where.a",
		"[[rule]]\ndecision = \"deny\"\ntool = \"T\"\nscope.x = 1\n":          "4:1 scope.x",
		"[[rule]]\ndecision = \"deny\"\ntool = \"T\"\n\n  [other]\n  x = 1\n": "5:4 other",
		"rule = 1\n":                        "1:1 rule",
		"\n\nx = 1\n":                       "3:1 x",
		"x = \n":                            "1:5 ",
		"# a\n\x01":                         "2:1 ",
		"ab\x01":                            "1:3 ",
		"ä\u202e":                           "1:3 ",
		"a\r\nb\rc":                         "2:2 ",
		"\xff":                              "1:1 ",
		"[[rule]]\ntool = \"T\"\n":          "1:3 decision",
		"rule = [1]\n":                      "0:0 ",
		"[[rule]]\nenabled = 1\n":           "2:1 enabled",
		"[[rule]]\nscope = []\n":            "2:1 scope",
		"[[rule]]\npriority = 2147483648\n": "2:1 priority",
		"[[rule]]\nexpires_at = 1\n":        "2:1 expires_at",
	} {
		var e *Error
		_, err := Parse([]byte(text))
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Field); got != want {
			t.Errorf("%q: %s (%s), want %s", text, got, e.Problem, want)
		}
		if strings.Contains(e.Problem, "toml: ") {
			t.Errorf("%q: %s", text, e.Problem)
		}
	}
	for value, kind := range map[string]string{
		`"x"`: "text", "true": "true or false", "7": "the number 7", "1.5": "a number with a fraction", "2026-01-01T00:00:00Z": "a time", "2026-01-01": "a time without an offset", "10:00:00": "a time without an offset",
		"2026-01-01T00:00:00": "a time without an offset", "[]": "a list", "{}": "a table",
	} {
		for _, field := range []string{"tool", "enabled", "priority", "expires_at", "where"} {
			_, err := Parse([]byte("[[rule]]\n" + field + " = " + value + "\n"))
			fits := map[string]string{"tool": "text", "enabled": "true or false", "priority": "the number 7", "expires_at": "a time", "where": "a table"}[field] == kind
			if err == nil || strings.HasSuffix(err.Error(), ", not "+kind) == fits {
				t.Errorf("%s = %s: %v", field, value, err)
			}
		}
	}
	r := rules.Rule{Tool: "T", Decision: rules.Deny, Where: map[string]string{"aZ09_-z": "x", "a b": "x", "a.b": "x", "é": "x"}, CreatedAt: lastTime.Add(time.Hour), UpdatedAt: time.Time{}.Add(1)}
	text := string(Format([]rules.Rule{r}))
	for _, want := range []string{"aZ09_-z = \"x\"", "\"a b\" = ", "\"a.b\" = ", "created_at = 9999-12-31T23:59:59.999Z\n", "updated_at = 0001-01-01T00:00:00.001Z\n", "enabled = false"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
