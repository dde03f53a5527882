package usage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReflow(t *testing.T) {
	const text = `one two three four five
six seven.

Modes:
  gate     you decide about
           every call
  prompts  the agent asks
  a line of its own that is long`
	const want = `one two three four
five six seven.

Modes:
  gate     you
           decide
           about
           every
           call
  prompts  the
           agent
           asks
  a line of its own
  that is long`
	if diff := cmp.Diff(want, Reflow(text, 19)); diff != "" {
		t.Error(diff)
	}
	if got := Reflow(text, 60); got != text {
		t.Errorf("where all fits it is changed:\n%s", got)
	}
}
