// Package external hands a text to the operator's own editor and takes it back: the
// input of a call that is edited, and a message that is written.
//
// The editor has the terminal meanwhile, and the program's loop stands still; agents
// wait on, since the broker has goroutines of its own. The text lies in a folder that
// only this user can read, and that is gone afterwards. The editor is started in that
// folder, because what lies where the console was started may be an agent's work. What
// was typed ahead for the editor is dropped.
//
// A text whose call ended meanwhile is kept in a file for a week (Keep).
//
// What comes back is only a text. Whoever asked for it judges it as if somebody else
// had written it.
package external

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

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/change"
)

// maxEdited is the longest text that is taken back from an editor, bytes: an input of the
// largest size there is, indented.
const maxEdited = 4 << 20

// Editor is the operator's editor. Tests replace Exec and Keep.
type Editor struct {
	Command string        // as a shell reads it
	Folder  string        // for the folder of the text; "" is the system's own
	Hold    func() func() // is called before the editor gets the terminal, and what it returns afterwards; may be nil
	In      io.Reader     // the terminal
	Out     io.Writer

	Exec func(run *Run, done func(error) tea.Msg) tea.Cmd                            // lends the terminal
	Keep func(folder, id, name, text string, now time.Time) (path string, err error) // keeps a text
}

// NewEditor makes an editor that runs command, which is the operator's own and may
// have options.
func NewEditor(command, folder string, hold func() func(), in io.Reader, out io.Writer) *Editor {
	lend := func(run *Run, done func(error) tea.Msg) tea.Cmd { return tea.Exec(run, done) }
	return &Editor{Command: command, Folder: folder, Hold: hold, In: in, Out: out, Exec: lend, Keep: keep}
}

// Open gives a text to the editor, in a file of this name. done makes the message that
// it is back. The file's ending tells the editor the language; it must be a plain
// name.
func (e *Editor) Open(ctx context.Context, file, text string, done func(*Run, error) tea.Msg) tea.Cmd {
	run := &Run{ctx: ctx, editor: e, file: file, text: text}
	run.SetStdin(e.In)
	run.SetStdout(e.Out)
	return e.Exec(run, func(err error) tea.Msg { return done(run, err) })
}

// Run is one time that the editor has the terminal. It is a tea.ExecCommand.
type Run struct {
	ctx        context.Context //nolint:containedctx // Run takes none
	editor     *Editor
	file, text string
	in, out    *os.File // the terminal

	Got  string // what came back, as far as there was no error
	Took time.Duration
}

// SetStdin takes the terminal's file from Bubble Tea.
func (r *Run) SetStdin(in io.Reader) {
	if f, ok := in.(*os.File); ok && r.in == nil {
		r.in = f
	}
}

// SetStdout is for files, which the program's own output is not.
func (r *Run) SetStdout(out io.Writer) {
	if f, ok := out.(*os.File); ok && r.out == nil {
		r.out = f
	}
}

// SetStderr does nothing: an editor's messages belong where its screen is.
func (r *Run) SetStderr(io.Writer) {}

// Run lets the editor change the text. The folder that it is in is there for this user
// alone, and gone afterwards. Errors are sentences for the operator.
//
// Got is what came back, or the text as it was when nothing could be read. An error
// does not mean that nothing was changed.
func (r *Run) Run() (err error) {
	r.Got = r.text
	if r.editor.Folder != "" {
		if err := os.MkdirAll(r.editor.Folder, 0o700); err != nil {
			return fmt.Errorf("no folder for the editor: %w", err)
		}
	}
	dir, err := os.MkdirTemp(r.editor.Folder, "edit-") // with mode 0700
	if err != nil {
		return fmt.Errorf("no folder for the editor: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, r.file)
	if err := os.WriteFile(path, []byte(r.text), 0o600); err != nil {
		return fmt.Errorf("no file for the editor: %w", err)
	}
	if r.editor.Hold != nil {
		defer r.editor.Hold()()
	}
	began := time.Now()
	failed := r.edit(path)
	r.Took = time.Since(began)
	if r.in != nil {
		forgetTyped(r.in) // it was meant for the editor
	}
	got, err := readEdited(path)
	if err == nil {
		r.Got = got
	}
	if r.ctx.Err() != nil && r.Got != r.text { // the console ends, and nobody will ask about it
		_, _ = keep(r.editor.Folder, "", r.file, r.Got, time.Now())
	}
	switch {
	case failed != nil:
		return fmt.Errorf("the editor %q failed: %w", r.editor.Command, failed)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the editor %q left no file", r.editor.Command)
	case err != nil:
		return fmt.Errorf("what the editor left cannot be used: %w", err)
	}
	return nil
}

// edit runs the editor on a file. Its folder is the file's own: what else lies where
// the console was started may be an agent's work, and editors read settings there.
func (r *Run) edit(path string) error {
	name, args := editorCommand(r.editor.Command, path)
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

// readEdited reads what an editor left: a regular file, not too long. A link is not
// followed.
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

// keep writes a text down whose call has ended, and removes old ones. It returns where
// the text is.
func keep(folder, id, name, text string, now time.Time) (string, error) {
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
