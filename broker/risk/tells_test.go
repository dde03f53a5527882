package risk

import (
	"testing"

	"github.com/aoctl/aoctl/broker/effects"
)

// A test for a file tells whether it is there, and a pattern which files there are. Beyond the project that is
// a look as any other; inside, and about texts, it is nothing.
func TestWhatTestsTell(t *testing.T) {
	outside, unknown := effects.Of(effects.Outside), effects.Of(effects.Unknown)
	for _, tt := range []struct {
		line string
		want effects.Set
	}{
		{"[ -f ~/.ssh/id_rsa ]", outside},
		{"test -e ~/.aws/credentials", outside},
		{"[ ! -d /nope ]", outside},
		{"[ a -nt ~/.ssh/id_rsa ]", outside},
		{"[ -f creds ]", outside}, // a link
		{"echo ~/.ssh/*", outside},
		{"[ -f a ]", 0},
		{"[ -f /usr/share/dict ]", 0},
		{"[ -n /etc ]", 0},
		{"[ a = /etc ]", 0},
		{"[ 1 -lt 2 ]", 0},
		{"echo *", 0},
		{"true", 0},
	} {
		e := run(tt.line)
		e.Neutral, e.Glob = true, e.Argv[0] == "echo"
		if got := Assess(Call{Tool: "Bash", Line: lineOf(e)}, place()).Parts[0]; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.line, got, tt.want)
		}
	}
	e := run("[ -f x ]")
	e.Neutral, e.Argv[2] = true, ""
	if got := Assess(Call{Tool: "Bash", Line: lineOf(e)}, place()).Parts[0]; got != unknown {
		t.Errorf("a file that is not known: %s", got)
	}
}
