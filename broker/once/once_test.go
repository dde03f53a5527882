package once_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/once"
)

func mint(t *testing.T, tokens *once.Tokens, id string) string {
	t.Helper()
	token, err := tokens.Mint(once.Call{ID: id, Digest: "d-" + id})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestATokenIsForItsCallUntilItIsDropped(t *testing.T) {
	var tokens once.Tokens
	a, b := mint(t, &tokens, "a"), mint(t, &tokens, "b")
	if !strings.HasPrefix(a, once.Prefix) || len(a) < len(once.Prefix)+26 || a == b {
		t.Errorf("tokens %q and %q", a, b)
	}
	if c, ok := tokens.Of(a); !ok || c != (once.Call{ID: "a", Digest: "d-a"}) {
		t.Errorf("the token of a is for %v, %v", c, ok)
	}
	for _, other := range []string{"", once.Prefix, a + "x", a[:len(a)-1], strings.ToUpper(a)} {
		if c, ok := tokens.Of(other); ok {
			t.Errorf("%q is for %v", other, c)
		}
	}
	tokens.Drop("a")
	if c, ok := tokens.Of(a); ok {
		t.Errorf("after its end the token is for %v", c)
	}
	if _, ok := tokens.Of(b); !ok {
		t.Error("the token of another call went with it")
	}
}

// A call that waits anew gets another token, and the first one ends.
func TestACallHasOneToken(t *testing.T) {
	var tokens once.Tokens
	first, second := mint(t, &tokens, "a"), mint(t, &tokens, "a")
	if _, ok := tokens.Of(first); ok {
		t.Error("the first token still counts")
	}
	if _, ok := tokens.Of(second); !ok {
		t.Error("the second token does not count")
	}
}

func TestThereAreNeverMoreThanMost(t *testing.T) {
	var tokens once.Tokens
	for i := range once.Most {
		mint(t, &tokens, fmt.Sprint(i))
	}
	if _, err := tokens.Mint(once.Call{ID: "more"}); !errors.Is(err, once.ErrMost) {
		t.Errorf("one more: %v, want ErrMost", err)
	}
	mint(t, &tokens, "0") // in place of its own
	tokens.Drop("1")
	mint(t, &tokens, "more")
}
