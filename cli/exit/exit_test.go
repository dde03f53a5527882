package exit

import (
	"bytes"
	"errors"
	"testing"

	"github.com/aoctl/aoctl/cli/usage"
)

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		code int
		text string
	}{
		{"no error", nil, OK, ""},
		{"usage", usage.Error{Text: "bad", Hint: "do", List: []string{"one", "two\n"}}, Usage, "aoctl: bad\n  do\n    one\n    two⏎\n"},
		{"failure", Error{Code: NoConsole, Text: "gone", Hint: "start one"}, NoConsole, "aoctl: gone\n  start one\n"},
		{"escapes", Error{Code: Failed, Text: "a\x1b[2J"}, Failed, "aoctl: a\\x1b[2J\n"},
		{"other", errors.New("odd"), Failed, "aoctl: odd\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			if code := Report(&b, tc.err); code != tc.code || b.String() != tc.text {
				t.Errorf("got %d %q, want %d %q", code, b.String(), tc.code, tc.text)
			}
		})
	}
}
