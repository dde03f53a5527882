package store_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

// openers are the two ways to open a database; both refuse alike.
var openers = map[string]func(t *testing.T, path string) error{
	"Open": func(t *testing.T, path string) error {
		t.Helper()
		s, err := store.Open(t.Context(), path)
		if err == nil {
			closeStore(t, s)
		}
		return err
	},
	"OpenReadOnly": func(t *testing.T, path string) error {
		t.Helper()
		r, err := store.OpenReadOnly(t.Context(), path)
		if err == nil {
			_, err = r.Verify(t.Context()) // damage further inside is met when it is read
		}
		return err
	},
}

// refuses expects an error of the given kind that names the path and a cure, and the
// file as it was.
func refuses(t *testing.T, path string, err, want error) {
	t.Helper()
	var oe *store.OpenError
	if !errors.As(err, &oe) || !errors.Is(err, want) {
		t.Fatalf("%v, want an OpenError around %v", err, want)
	}
	if oe.Cure == "" || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), oe.Cure) {
		t.Errorf("%q names no path or no cure", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	random := make([]byte, 16<<10)
	_, _ = rand.Read(random)
	for _, tt := range []struct {
		name  string
		sql   string                    // what another program did to it, or
		bytes func(whole []byte) []byte // what is in the file instead
		want  error
	}{
		{"a newer schema", fmt.Sprintf(`PRAGMA user_version = %d`, store.Newest()+1), nil, store.ErrTooNew},
		{"another program's database", `PRAGMA application_id = 7`, nil, store.ErrNotOurs},
		{"random bytes", "", func([]byte) []byte { return random }, store.ErrNoDatabase},
		{"another program's, of a later schema", `PRAGMA application_id = 7; PRAGMA user_version = 9999`, nil, store.ErrNotOurs},
		{"a few bytes", "", func([]byte) []byte { return []byte("hello") }, store.ErrCorrupt},
		{"only a header", "", func(whole []byte) []byte { return whole[:512] }, store.ErrCorrupt},
		{"half of it", "", func(whole []byte) []byte { return whole[:len(whole)/2] }, store.ErrCorrupt},
		{"a damaged page", "", func(whole []byte) []byte {
			copy(whole[3*4096:], random[:4096])
			return whole
		}, store.ErrCorrupt},
	} {
		for name, open := range openers {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				path := filled(t)
				foreign(t, path, tt.sql)
				if tt.bytes != nil {
					write(t, path, tt.bytes(read(t, path)))
				}
				before := read(t, path)
				refuses(t, path, open(t, path), tt.want)
				if !slices.Equal(before, read(t, path)) {
					t.Error("the file was touched")
				}
			})
		}
	}
}

func TestOpenRefusesForeignTriggers(t *testing.T) {
	path := filled(t)
	foreign(t, path, `CREATE TRIGGER t AFTER UPDATE ON requests BEGIN UPDATE requests SET status = 'allowed' WHERE id = new.id; END`)
	refuses(t, path, openers["Open"](t, path), store.ErrNotOurs)
}

func TestOpenRefusesALogCutShort(t *testing.T) {
	path := filled(t)
	foreign(t, path, `DELETE FROM events WHERE seq > 5`)
	before := read(t, path)
	refuses(t, path, openers["Open"](t, path), broker.ErrTampered)
	if !slices.Equal(before, read(t, path)) {
		t.Error("the file was touched")
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		for opener, open := range openers {
			t.Run(name+"/"+opener, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "aoctl.db")
				if err := make(path); err != nil {
					t.Fatal(err)
				}
				refuses(t, path, open(t, path), store.ErrNotOurs)
			})
		}
	}
}

func TestOpenWithoutPermission(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, nil)
	below := filepath.Join(blocked, "aoctl.db") // a folder that cannot be made
	refuses(t, below, openers["Open"](t, below), store.ErrUnwritable)

	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	for name, lock := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Chmod(filepath.Dir(path), 0o500) },
		"file":   func(path string) error { return os.Chmod(path, 0o400) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			if err := lock(path); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
			refuses(t, path, openers["Open"](t, path), store.ErrUnwritable)
		})
	}
}

func TestOpenTakesAnEmptyFileForNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20.db") // nothing a URL would misread
	write(t, path, nil)
	s := openAt(t, path)
	fill(t, s)
	checkClean(t, s)
	closeStore(t, s)
	if len(read(t, path)) == 0 {
		t.Error("the database is elsewhere")
	}
}

// The tables are as strict as the rest of the code relies on.
func TestSchemaRefusesNonsense(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	for _, script := range []string{
		`UPDATE requests SET status = 'maybe'`,
		`UPDATE requests SET status = 'allowed' WHERE status = 'pending'`,
		`UPDATE requests SET created_at_ms = 'noon'`,
		`UPDATE requests SET tool_name = NULL`,
		`UPDATE sessions SET state = 'asleep'`,
		`UPDATE events SET hash = x'00'`,
		`INSERT INTO head (one, seq, hash) VALUES (2, 0, zeroblob(32))`,
		`INSERT INTO rules VALUES ('r', 1, 1, 1, '', '', '', 'Bash', '{}', 'perhaps', 0, '', NULL, NULL, '', '', 1, 1)`,
		`INSERT INTO rules VALUES ('r', 0, 1, 1, '', '', '', 'Bash', '{}', 'ask', 0, '', NULL, NULL, '', '', 1, 1)`,
		`INSERT INTO rules VALUES ('r', 1, 1, 1, '', '', '', 'Bash', '{}', 'ask', 2, '', NULL, NULL, '', '', 1, 1)`,
		`INSERT INTO rules VALUES ('r', 1, 1, 1, '', '', '', 'Bash', '{}', 'ask', 0, '', NULL, 0, '', '', 1, 1)`,
		`INSERT INTO rule_use VALUES ('r', -1, 0)`,
	} {
		if err := s.OnWriter(script); err == nil {
			t.Errorf("%s: was taken", script)
		}
	}
	if err := s.OnWriter(`INSERT INTO rules VALUES ('r', 1, 1, 1, '', '', '', 'Bash', '{}', 'ask', 0, '', NULL, NULL, '', '', 1, 1)`); err != nil {
		t.Errorf("a good rule: %v", err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
