package broker

import (
	"errors"
	"fmt"
	"testing"
)

// A person reads what is wrong, and the log says what was being done.
func TestPlain(t *testing.T) {
	refused := fmt.Errorf("%w: no pushes", ErrRefused)
	for _, tt := range []struct {
		err         error
		text, plain string
	}{
		{While(ErrAlreadyDecided, "decide %s", "r1"), "decide r1: already decided", "already decided"},
		{While(While(ErrSessionEnded, "stop s1"), "kill"), "kill: stop s1: session has ended", "session has ended"},
		{While(refused, "decide r1"), "decide r1: " + refused.Error(), refused.Error()},
		{While(ErrNotFound, "decide r1"), "decide r1: not found", "decide r1: not found"},
		{fmt.Errorf("trust /x: %w", ErrStale), "trust /x: " + ErrStale.Error(), "trust /x: " + ErrStale.Error()},
	} {
		if got := tt.err.Error(); got != tt.text {
			t.Errorf("the log has %q, want %q", got, tt.text)
		}
		if got := Plain(tt.err); got != tt.plain {
			t.Errorf("a person reads %q, want %q", got, tt.plain)
		}
	}
	if !errors.Is(While(refused, "decide r1"), ErrRefused) {
		t.Error("the sentinel cannot be found")
	}
}
