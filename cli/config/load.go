package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/hookclient/paths"
)

// File is the settings file as it was read. The zero value is none. It is not read again
// while a console runs: what holds is what held at its start.
type File struct {
	Path     string
	Found    bool
	Changed  time.Time
	Data     []byte     // nil when it could not be read
	Contents            // nothing while there is a problem
	Problem  *FileError // nil when all is well, also without a file
}

// Load reads the settings file; actions are those that may have a key. What is wrong with
// it is no error: the console goes on without it, and shows the Problem.
func Load(actions []Action) File {
	dir, err := paths.ConfigDir()
	if err != nil {
		return File{} // who needs a folder says so
	}
	f := File{Path: filepath.Join(dir, Name), Found: true}
	f.Data, f.Changed, err = Read(dir)
	switch {
	case err == nil:
		f.Contents, f.Problem = Parse(f.Data, actions)
	case errors.Is(err, fs.ErrNotExist):
		f.Found = false
	case !errors.As(err, &f.Problem):
		f.Problem = &FileError{Text: err.Error()}
	}
	return f
}

// Fill gives the console's flags what the file says, where neither the command line nor the
// environment says anything. An error of the environment ends it: which of the two is meant
// cannot be told then. cmd's flags must have been read.
func (f File) Fill(cmd *cobra.Command) error {
	env := map[string]bool{}
	for _, k := range Keys() {
		_, variable, err := k.Env()
		if err != nil {
			return err
		}
		env[k.Name] = variable != ""
	}
	flags := cmd.Flags()
	var taken []Setting
	for _, s := range f.Settings {
		// Flags that the file sets count as changed from here on, as if they stood on the
		// command line.
		if flags.Lookup(s.Key) == nil || flags.Changed(s.Key) || env[s.Key] {
			continue
		}
		if err := flags.Set(s.Key, s.Value); err != nil {
			return fmt.Errorf("%s: %w", f.Place(s.Line), err)
		}
		taken = append(taken, s)
	}
	return fitSession(cmd, taken)
}

// fitSession keeps what the file says of one session's calls below a --max-pending of the
// command line, which the file knows nothing of. taken are the settings that went into
// flags.
func fitSession(cmd *cobra.Command, taken []Setting) error {
	all, err := cmd.Flags().GetInt("max-pending")
	if err != nil {
		return nil //nolint:nilerr // a command without the flag is about no calls
	}
	for _, s := range taken {
		if n, err := strconv.Atoi(s.Value); s.Key == "max-pending-session" && err == nil && n > all {
			return cmd.Flags().Set(s.Key, strconv.Itoa(all))
		}
	}
	return nil
}

// Place is the file and a line of it; 0 is the file as a whole. Editors and terminals take
// it for a place to go to.
func (f File) Place(line int) string {
	if line == 0 {
		return f.Path
	}
	return fmt.Sprintf("%s:%d", f.Path, line)
}

// Said is what the file sets, a word each: timeout=5m. It is never nil, and it is for a log
// or a list: values are not quoted.
func (f File) Said() []string {
	list := []string{}
	for _, s := range f.Settings {
		list = append(list, s.Key+"="+s.Value)
	}
	for _, b := range f.Bindings {
		list = append(list, KeysTable+"."+b.Action+"="+strings.Join(b.Keys, ","))
	}
	return list
}

// Note writes down that the file is not taken, and why, in the console's log. Without a
// problem it writes nothing.
func (f File) Note(log *slog.Logger) {
	if f.Problem != nil {
		log.Warn("settings file not taken", "file", f.Place(f.Problem.Line), "why", f.Problem.Text)
	}
}
