package cli

import (
	"bytes"
	"errors"
	"testing"
)

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		code int
		text string
	}{
		{"no error", nil, exitOK, ""},
		{"usage", usageError{text: "bad", hint: "do", list: []string{"one", "two\n"}}, exitUsage, "aoctl: bad\n  do\n    one\n    two⏎\n"},
		{"failure", failure{code: exitNoConsole, text: "gone", hint: "start one"}, exitNoConsole, "aoctl: gone\n  start one\n"},
		{"escapes", failure{code: exitError, text: "a\x1b[2J"}, exitError, "aoctl: a\\x1b[2J\n"},
		{"other", errors.New("odd"), exitError, "aoctl: odd\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			if code := report(&b, tc.err); code != tc.code || b.String() != tc.text {
				t.Errorf("got %d %q, want %d %q", code, b.String(), tc.code, tc.text)
			}
		})
	}
}
