package terminal

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/aoctl/aoctl/cli/exit"
)

// Editor is the user's editor, as a shell reads it: it may have words of its own
// behind it.
func Editor() string {
	return cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
}

// Edit lets the user change text in an editor and returns what came back with the
// file it is in, in a folder of its own that the caller removes. After an error the
// folder is there only when something was written in it.
//
// ctx should not end with ctrl+c: that key is the editor's.
func Edit(ctx context.Context, name string, text []byte) (changed []byte, path string, err error) {
	editor := Editor()
	dir, err := os.MkdirTemp("", "aoctl-edit-")
	if err != nil {
		return nil, "", fmt.Errorf("make a folder for the editor: %w", err)
	}
	path = filepath.Join(dir, name)
	defer func() {
		if now, readErr := os.ReadFile(path); err != nil && (readErr != nil || bytes.Equal(now, text)) { //nolint:gosec // our own file
			_ = os.RemoveAll(dir)
		}
	}()
	if err = os.WriteFile(path, text, 0o600); err != nil {
		return nil, path, fmt.Errorf("write the editor's file: %w", err)
	}
	// $EDITOR may hold words of its own, such as "code --wait"; a shell reads it so, and
	// outlives a ctrl+c that the editor takes.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "trap : INT\n"+editor+` "$1"`, "sh", path) //nolint:gosec // the user's own editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err = cmd.Run(); err != nil {
		return nil, path, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("the editor %q failed: %v", editor, err), Hint: "set EDITOR to one that works; nothing was changed", Cause: err}
	}
	changed, err = os.ReadFile(path) //nolint:gosec // our own file
	if err != nil {
		return nil, path, fmt.Errorf("read the editor's file: %w", err)
	}
	// Some editors put a byte order mark in front, which no parser here wants.
	return bytes.TrimPrefix(changed, []byte("\ufeff")), path, nil
}
