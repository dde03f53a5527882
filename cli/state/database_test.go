package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/store"
)

// What is met while the file is read is told in the same words.
func TestDamageInANamedFile(t *testing.T) {
	damage := fmt.Errorf("verify: %w", &store.OpenError{Path: "/x", Err: store.ErrCorrupt, Cure: "move the file away"})
	said, ok := errors.AsType[exit.Error](ExplainNamed("/x", damage))
	if !ok || said.Text != "cannot read /x: the database is damaged" || strings.Contains(said.Hint, "move") {
		t.Errorf("%+v", said)
	}
	if err := ExplainNamed("", damage); err != damage { //nolint:errorlint // the very same
		t.Errorf("of aoctl's own: %v", err)
	}
}

func TestANamedFileThatIsNoRecord(t *testing.T) {
	dir := t.TempDir()
	text, empty := filepath.Join(dir, "passwd"), filepath.Join(dir, "empty")
	for path, body := range map[string]string{text: "root:x:0:0:root:/root:/bin/sh\n", empty: ""} {
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]struct {
		code int
		text string
	}{
		text:                       {exit.Failed, text + " is no record of aoctl"},
		empty:                      {exit.NotFound, empty + " is no record of aoctl: it is empty"},
		dir:                        {exit.Failed, dir + " is no record of aoctl"},
		filepath.Join(dir, "nope"): {exit.NotFound, "there is no file " + filepath.Join(dir, "nope")},
	} {
		_, err := OpenReaderAt(t.Context(), path)
		said, ok := errors.AsType[exit.Error](err)
		if !ok || said.Code != want.code || said.Text != want.text {
			t.Errorf("%s: %v, want %q", path, err, want.text)
		}
		if strings.Contains(said.Hint, "move") || said.Hint == "" {
			t.Errorf("%s: the hint is %q", path, said.Hint)
		}
	}
}
