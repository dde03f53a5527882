package console

import (
	"errors"
	"testing"

	"github.com/aoctl/aoctl/broker/consoles"
)

// Each address has one broker that is known, by its key.
func TestKnownBrokers(t *testing.T) {
	t.Setenv("AOCTL_HOME", t.TempDir())
	here, there := knownBroker{address{socket: "/a b"}}, knownBroker{address{socket: "/x /a b"}}
	if err := here.check("one"); !errors.Is(err, consoles.ErrOtherBroker) || here.other("one") {
		t.Fatalf("before anything is known: %v", err)
	}
	for _, add := range []struct {
		k   knownBroker
		key string
	}{{here, "one"}, {there, "two"}, {here, "three"}} {
		if err := add.k.add(add.key); err != nil {
			t.Fatal(err)
		}
	}
	for key, known := range map[string]bool{"one": false, "two": false, "three": true} {
		if got := here.check(key) == nil; got != known || here.other(key) == known {
			t.Errorf("%s is known: %t, another one: %t", key, got, here.other(key))
		}
	}
	if err := there.check("two"); err != nil {
		t.Errorf("the other address lost its broker: %v", err)
	}
}
