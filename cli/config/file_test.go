package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// folder is a private one with a settings file in it.
func folder(t *testing.T) (dir, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "aoctl")
	path = filepath.Join(dir, Name)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(path, []byte("timeout = \"5m\"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func TestRead(t *testing.T) {
	dir, path := folder(t)
	data, changed, err := Read(dir)
	if err != nil || string(data) != "timeout = \"5m\"\n" || changed.IsZero() {
		t.Errorf("%q, %v, %v", data, changed, err)
	}
	if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(dir, 0o755)); err != nil { // others may read it
		t.Fatal(err)
	}
	if _, _, err := Read(dir); err != nil {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{dir, dir + "/nowhere"} {
		if data, _, err := Read(none); !errors.Is(err, fs.ErrNotExist) || data != nil {
			t.Errorf("%s: %q, %v", none, data, err)
		}
	}
}

// Attack: the file is somebody else's to write, or a name for another one that is.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir, path string) error
		want  string
	}{
		"link": {func(_, path string) error {
			return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path))
		}, "it is a symbolic link"},
		"link to nothing": {func(_, path string) error { return errors.Join(os.Remove(path), os.Symlink("x", path)) }, "it is a symbolic link"},
		"hard link":       {func(dir, path string) error { return os.Link(path, dir+"2") }, "it has another name elsewhere"},
		"folder is a link": {func(dir, _ string) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir))
		}, "its folder is a symbolic link"},
		"folder is a file":    {func(dir, path string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) }, "its folder is"},
		"group writes":        {func(_, path string) error { return os.Chmod(path, 0o620) }, "it can be written by others (mode 0620)"},
		"others write":        {func(_, path string) error { return os.Chmod(path, 0o602) }, "it can be written by others"},
		"folder for all":      {func(dir, _ string) error { return os.Chmod(dir, 0o777) }, "its folder can be written by others (mode 0777)"},
		"folder in its place": {func(_, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, "it is not a regular file"},
		"pipe":                {func(_, path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) }, "it is not a regular file"},
		"large":               {func(_, path string) error { return os.WriteFile(path, make([]byte, MaxFile+1), 0o600) }, "it is larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := folder(t)
			if err := c.spoil(dir, path); err != nil {
				t.Fatal(err)
			}
			data, _, err := Read(dir)
			var p *FileError
			if !errors.As(err, &p) || data != nil || !strings.HasPrefix(p.Text, c.want) || p.Cure == "" {
				t.Errorf("%q, %v, want %q", data, err, c.want)
			}
		})
	}
}

func TestReadRefusesForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, which := range []int{0, 1} {
		dir, path := folder(t)
		if err := os.Chown([]string{dir, path}[which], 4242, -1); err != nil {
			t.Fatal(err)
		}
		var p *FileError
		if _, _, err := Read(dir); !errors.As(err, &p) || !strings.Contains(p.Text, "belongs to user 4242") {
			t.Errorf("%v", err)
		}
	}
}

func TestReadUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir, path := folder(t)
	if err := os.Chmod(path, 0o200); err != nil {
		t.Fatal(err)
	}
	var p *FileError
	if _, _, err := Read(dir); !errors.As(err, &p) || !strings.Contains(p.Text, "cannot be read") {
		t.Errorf("%v", err)
	}
}
