// Package keystest has keys for tests.
package keystest

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/keys"
)

// Key is the key of a seed, always the same one.
func Key(tb testing.TB, seed byte) keys.Key {
	tb.Helper()
	k, err := keys.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}
