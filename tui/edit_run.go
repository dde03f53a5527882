package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/tui/change"
)

// maxEdited is the longest text that is taken back from an editor, bytes: an input of the
// largest size there is, indented.
const maxEdited = 4 << 20

// editRun hands a text to an editor of the operator's and takes it back. It is a
// tea.ExecCommand: while it runs nothing else has the terminal, and the program's loop
// stands still. Agents wait on: the broker has goroutines of its own.
type editRun struct {
	ctx     context.Context //nolint:containedctx // Run takes none
	command string          // the editor, as a shell reads it
	folder  string          // for the folder of the text; "" is the system's own
	file    string          // what the text's file is called
	text    string
	hold    func() func() // see Options.Foreground; may be nil

	in, out *os.File // the terminal
	got     string   // what came back, as far as err allows
	took    time.Duration
}

// SetStdin takes the terminal's file from Bubble Tea.
func (r *editRun) SetStdin(in io.Reader) {
	if f, ok := in.(*os.File); ok && r.in == nil {
		r.in = f
	}
}

// SetStdout is for files, which the program's own output is not.
func (r *editRun) SetStdout(out io.Writer) {
	if f, ok := out.(*os.File); ok && r.out == nil {
		r.out = f
	}
}

// SetStderr does nothing: an editor's messages belong where its screen is.
func (r *editRun) SetStderr(io.Writer) {}

// Run lets the editor change the text. The folder that it is in is there for this user
// alone, and gone afterwards. Errors are sentences for the operator.
func (r *editRun) Run() (err error) {
	r.got = r.text
	if r.folder != "" {
		if err := os.MkdirAll(r.folder, 0o700); err != nil {
			return fmt.Errorf("no folder for the editor: %w", err)
		}
	}
	dir, err := os.MkdirTemp(r.folder, "edit-") // with mode 0700
	if err != nil {
		return fmt.Errorf("no folder for the editor: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, r.file)
	if err := os.WriteFile(path, []byte(r.text), 0o600); err != nil {
		return fmt.Errorf("no file for the editor: %w", err)
	}
	if r.hold != nil {
		defer r.hold()()
	}
	began := time.Now()
	failed := r.edit(path)
	r.took = time.Since(began)
	if r.in != nil {
		forgetTyped(r.in) // it was meant for the editor
	}
	got, err := readEdited(path)
	if err == nil {
		r.got = got
	}
	if r.ctx.Err() != nil && r.got != r.text { // the console ends, and nobody will ask about it
		_, _ = keepEdited(r.folder, "", r.file, r.got, time.Now())
	}
	switch {
	case failed != nil:
		return fmt.Errorf("the editor %q failed: %w", r.command, failed)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the editor %q left no file", r.command)
	case err != nil:
		return fmt.Errorf("what the editor left cannot be used: %w", err)
	}
	return nil
}

// edit runs the editor on a file. Its folder is the file's own: what else lies where
// the console was started may be an agent's work, and editors read settings there.
func (r *editRun) edit(path string) error {
	name, args := editorCommand(r.command, path)
	cmd := exec.CommandContext(r.ctx, name, args...) //nolint:gosec // the operator's own editor
	cmd.Dir = filepath.Dir(path)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	if r.in != nil {
		cmd.Stdin = r.in
	}
	if r.out != nil {
		cmd.Stdout, cmd.Stderr = r.out, r.out
	}
	return cmd.Run() //nolint:wrapcheck // the caller says what ran
}

// editorCommand is what to run: plain words as they are, so that an end of the console
// reaches the editor itself, and all else by a shell, which outlives a ctrl+c that the
// editor takes.
func editorCommand(command, path string) (name string, args []string) {
	words := strings.Fields(command)
	if len(words) > 0 && !strings.ContainsAny(command, "\"'\\$`&|;<>()*?[]{}#~=!%\n") {
		return words[0], append(words[1:], path)
	}
	return "/bin/sh", []string{"-c", "trap : INT\n" + command + ` "$1"`, "sh", path}
}

// readEdited reads what an editor left: a regular file, not too long.
func readEdited(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0) //nolint:gosec // in a folder of our own
	if err != nil {
		return "", err //nolint:wrapcheck // names the path already
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", change.ErrNotRegular
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(f, maxEdited+1)); err != nil {
		return "", fmt.Errorf("read it: %w", err)
	}
	if b.Len() > maxEdited {
		return "", fmt.Errorf("it is longer than %d MiB", maxEdited>>20)
	}
	return b.String(), nil
}

// keptFor is how long texts of calls that ended meanwhile are kept.
const keptFor = 7 * 24 * time.Hour

// keepEdited writes a text down whose call has ended, and removes old ones. It returns
// where the text is.
func keepEdited(folder, id, name, text string, now time.Time) (string, error) {
	if folder == "" {
		folder = os.TempDir()
	} else if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("keep the edited input: %w", err)
	}
	old, _ := filepath.Glob(filepath.Join(folder, "kept-*")) // the pattern is well formed
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > keptFor {
			_ = os.Remove(path)
		}
	}
	f, err := os.CreateTemp(folder, "kept-"+plainID(id)+"-*"+filepath.Ext(name)) // with mode 0600
	if err != nil {
		return "", fmt.Errorf("keep the edited input: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("keep the edited input: %w", err)
	}
	return f.Name(), nil
}

// plainID is the end of an id as far as it may be part of a file's name.
func plainID(id string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, id)
	return plain[max(0, len(plain)-8):]
}
