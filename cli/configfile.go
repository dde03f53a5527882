package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui"
)

// configFile is the settings file as it was read. The zero value is none.
type configFile struct {
	path     string
	found    bool
	changed  time.Time
	data     []byte            // nil when it could not be read
	settings []config.Setting  // none while there is a problem
	problem  *config.FileError // nil when all is well, also without a file
}

// readConfig reads the settings file. What is wrong with it is no error: the console goes
// on without it.
func readConfig() configFile {
	dir, err := paths.ConfigDir()
	if err != nil {
		return configFile{} // who needs a folder says so
	}
	f := configFile{path: filepath.Join(dir, config.Name), found: true}
	f.data, f.changed, err = config.Read(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.found = false
		return f
	case err == nil:
		f.settings, err = parseConfig(f.data)
	}
	if err != nil {
		f.settings, f.problem = nil, problemOf(err)
	}
	return f
}

// parseConfig reads settings and sees that there is what they need. Errors are problems.
func parseConfig(data []byte) ([]config.Setting, error) {
	list, err := config.Parse(data, configSchema())
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.Key != "desktop" || s.Value != "true" {
			continue
		}
		if _, err := newDesktop(runtime.GOOS); err != nil {
			failed, _ := errors.AsType[exit.Failure](err)
			return nil, &config.FileError{
				Line: s.Line, Column: 1, Text: strings.TrimPrefix(failed.Text, "--"), Cure: strings.Replace(failed.Hint, "--desktop", "desktop", 1),
			}
		}
	}
	return list, nil
}

func problemOf(err error) *config.FileError {
	if p, ok := errors.AsType[*config.FileError](err); ok {
		return p
	}
	return &config.FileError{Text: err.Error()}
}

// fill gives the console's flags what the file says, where neither the command line nor
// the environment says anything.
func (f configFile) fill(cmd *cobra.Command) error {
	env := map[string]bool{}
	for _, k := range configKeys() {
		if k.env == nil {
			continue
		}
		_, variable, err := k.env()
		if err != nil {
			return err
		}
		env[k.Name] = variable != ""
	}
	flags := cmd.Flags()
	var taken []config.Setting
	for _, s := range f.settings {
		if flags.Changed(s.Key) || env[s.Key] {
			continue
		}
		if err := flags.Set(s.Key, s.Value); err != nil {
			return fmt.Errorf("%s: %w", f.place(s.Line), err)
		}
		taken = append(taken, s)
	}
	return fitSession(cmd, taken)
}

// fitSession keeps what the file says of one session's calls below a --max-pending of the
// command line, which the file knows nothing of.
func fitSession(cmd *cobra.Command, taken []config.Setting) error {
	all, err := cmd.Flags().GetInt("max-pending")
	if err != nil {
		return err
	}
	for _, s := range taken {
		if n, err := strconv.Atoi(s.Value); s.Key == "max-pending-session" && err == nil && n > all {
			return cmd.Flags().Set(s.Key, strconv.Itoa(all))
		}
	}
	return nil
}

// place is the file and a line of it; 0 is the file as a whole.
func (f configFile) place(line int) string {
	if line == 0 {
		return f.path
	}
	return fmt.Sprintf("%s:%d", f.path, line)
}

// said is what the file sets, a word each: timeout=5m.
func (f configFile) said() []string {
	list := []string{}
	for _, s := range f.settings {
		list = append(list, s.Key+"="+s.Value)
	}
	return list
}

// note writes down that the file is not taken, and why.
func (f configFile) note(log *slog.Logger) {
	if f.problem != nil {
		log.Warn("settings file not taken", "file", f.place(f.problem.Line), "why", f.problem.Text)
	}
}

// told is what the console shows of the file.
func (f configFile) told() tui.Config {
	c := tui.Config{Settings: f.said()}
	if f.found {
		c.File = f.path
	}
	if f.problem != nil {
		c.Line, c.Problem, c.Cure = f.problem.Line, f.problem.Text, f.problem.Cure
	}
	return c
}
