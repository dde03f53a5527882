package store_test

import (
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

func TestContract(t *testing.T) {
	brokertest.TestStore(t, func(t *testing.T) broker.Store { return openNew(t) })
}

// openNew opens an empty store in a folder of its own.
func openNew(t testing.TB) *store.Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "aoctl.db"))
}

// openAt opens the store at path and closes it at the test's end.
func openAt(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
