package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Terminal is one that can be asked. The zero value cannot.
type Terminal struct {
	Name string // with its version
	run  func(ctx context.Context, folder, self string) *exec.Cmd
}

// Tmux is the installed tmux; ok is false without one.
func Tmux(ctx context.Context) (t Terminal, ok bool) {
	out, err := exec.CommandContext(ctx, "tmux", "-V").Output()
	if err != nil {
		return t, false
	}
	t.Name = strings.TrimSpace(string(out))
	t.run = func(ctx context.Context, folder, self string) *exec.Cmd {
		// The client has no terminal of its own, so it waits for the pane in another way.
		const script = `tmux -S "$0/s" -f /dev/null start-server \; set -g exit-empty off \; \
			new-session -d -x "$2" -y 10 "'$1'; tmux -S '$0/s' wait-for -S done" &&
			tmux -S "$0/s" wait-for done && tmux -S "$0/s" kill-server`
		return exec.CommandContext(ctx, "sh", "-c", script, folder, self, strconv.Itoa(columns)) //nolint:gosec // the words are ours
	}
	return t, true
}

// Windowed lists the terminals that need a display and are installed. xterm is asked
// twice: it goes by the C library's table of widths, or by its own.
func Windowed(ctx context.Context) []Terminal {
	var list []Terminal
	add := func(note, program string, args ...string) {
		out, err := exec.CommandContext(ctx, program, "-v").Output()
		if err != nil {
			return
		}
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " created")
		list = append(list, Terminal{Name: version + note, run: func(ctx context.Context, _, self string) *exec.Cmd {
			return exec.CommandContext(ctx, program, append(args, self)...) //nolint:gosec // the names are below
		}})
	}
	geometry := fmt.Sprintf("%dx10", columns)
	add("", "xterm", "-fn", "fixed", "-geometry", geometry, "-e")
	add(" with its own table", "xterm", "-fn", "fixed", "-geometry", geometry, "-xrm", "*mkWidth: true", "-e")
	add("", "kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o", fmt.Sprintf("initial_window_width=%dc", columns))
	return list
}

// Cells asks t for the cells that each text takes. The program's own file is started
// inside of it. ctx bounds the time; a terminal that does not answer is an error.
func (t Terminal) Cells(ctx context.Context, texts []string) ([]int, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "aoctl-measure")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	data, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, askedFile), data, 0o600); err != nil {
		return nil, err
	}
	cmd := t.run(ctx, folder, self)
	cmd.Env = append(os.Environ(), inside+"="+folder, "TMUX=", "LC_ALL=C.UTF-8", "LIBGL_ALWAYS_SOFTWARE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", t.Name, err, out)
	}
	if data, err = os.ReadFile(filepath.Join(folder, answerFile)); err != nil { //nolint:gosec // G304: in our own folder
		return nil, fmt.Errorf("%s did not answer: %w", t.Name, err)
	}
	var cells []int
	if err := json.Unmarshal(data, &cells); err != nil {
		return nil, err
	}
	return cells, nil
}
