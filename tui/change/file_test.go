package change

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	for name, tc := range map[string]struct {
		path string
		want File
	}{
		"text":    {write("a", "hello"), File{Wanted: true, Done: true, Text: "hello", At: at}},
		"missing": {filepath.Join(dir, "b"), File{Wanted: true, Done: true, Missing: true, At: at}},
		"binary":  {write("c", "\xff\x00"), File{Wanted: true, Done: true, Problem: errNotText.Error(), At: at}},
		"NUL":     {write("n", "a\x00b"), File{Wanted: true, Done: true, Problem: errNotText.Error(), At: at}},
		"large":   {write("d", strings.Repeat("x", MaxFile+1)), File{Wanted: true, Done: true, Problem: errTooLarge.Error(), At: at}},
		"FIFO":    {fifo, File{Wanted: true, Done: true, Problem: ErrNotRegular.Error(), At: at}},
		"folder":  {dir, File{Wanted: true, Done: true, Problem: ErrNotRegular.Error(), At: at}},
	} {
		data, err := ReadFile(tc.path)
		if got := Result(data, err, at); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	if got := Result(nil, errors.New("boom"), at); got.Problem != "boom" || !got.Done {
		t.Errorf("another error: %+v", got)
	}
}
