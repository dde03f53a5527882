package shell

import "testing"

// To read in an environment of Python is plain, and nothing else that changes the shell.
func TestPlainActivation(t *testing.T) {
	for line, want := range map[string]bool{
		"source .venv/bin/activate && pytest": true, ". ./venv/bin/activate; pytest": true, ". /p/.venv/bin/activate": true,
		"source env.sh": false, ". scripts/env.sh": false, "source bin/activate.sh": false, "source activate": false, "source ~/v/bin/activate": false, "source .venv/bin/activate x": false,
		"source -p/bin/activate": false, "source *v/bin/activate": false, "source $X/bin/activate": false, `source "a/bin/activate"`: false, "A=b . v/bin/activate": false,
		"builtin source v/bin/activate": false, "eval . v/bin/activate": false, "eval v/bin/activate": false,
	} {
		if l := Parse(line); l.Plain != want {
			t.Errorf("%s is plain: %v, %s", line, l.Plain, l.Odd)
		}
	}
}
