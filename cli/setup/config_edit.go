package setup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/paths"
)

// newConfigEditCommand makes "config edit". It asks for no console: the file is read
// at the next start.
func newConfigEditCommand(actions []config.Action) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Change the settings file in your editor",
		Long: `edit opens the settings file in $VISUAL or $EDITOR and saves the text that you leave.
Without a file it begins with one in which every setting is a comment. When the
console would not take your text, edit says where it is wrong, keeps the text in
another file, and leaves the settings file as it was.`,
		Example: "  EDITOR=nano aoctl config edit",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := editConfig(context.WithoutCancel(cmd.Context()), actions) // ctrl+c is a key of the editor's
			if err != nil {
				return err
			}
			return show.Line(cmd.OutOrStdout(), text)
		},
	}
}

// configPath is where the settings file is, or would be. The folder is that of
// hookclient/paths, which the console uses too.
func configPath() (string, error) {
	dir, err := paths.ConfigDir()
	if err != nil {
		return "", exit.Error{Code: exit.Failed, Text: err.Error(), Cause: err}
	}
	return filepath.Join(dir, config.Name), nil
}

// editConfig returns a sentence about what was done. It saves nothing that a console
// would not take, and keeps the text wherever it does not save it, so that no typing
// is lost.
//
// A file that was changed while the editor was open is not written over. It is
// compared as a whole: what another program wrote in between may be on the other
// lines.
//
// The editor gets a copy. Only a text that the console would take is put in the file's
// place, and a link in that place is refused before: what is behind it is not aoctl's
// to change.
func editConfig(ctx context.Context, actions []config.Action) (string, error) {
	path, err := configPath()
	if err != nil {
		return "", err
	}
	before := config.Load(actions)
	if before.Found && before.Data == nil { // a link or the like: what is behind it is not ours to change
		return "", unfit(before)
	}
	text := before.Data
	if !before.Found {
		text = config.Blank(actions)
	}
	changed, edited, err := terminal.Edit(ctx, config.Name, text)
	if err != nil {
		return "", err
	}
	if _, p := config.Parse(changed, actions); p != nil {
		bad := config.File{Path: edited}
		return "", usage.Error{Text: bad.Place(p.Line) + ": " + p.Text + "; nothing was saved, your text is in that file", Hint: p.Cure}
	}
	if before.Found && bytes.Equal(changed, text) {
		_ = os.RemoveAll(filepath.Dir(edited)) // nothing is in it that is not in the file
		return "", exit.Error{Code: exit.OK, Text: "nothing was changed"}
	}
	if now := config.Load(actions); now.Found != before.Found || !bytes.Equal(now.Data, before.Data) {
		return "", exit.Error{Code: exit.Failed, Text: path + " was changed meanwhile", Hint: "nothing was saved, your text is in " + edited}
	}
	if err := writeConfig(path, changed); err != nil {
		return "", exit.Error{Code: exit.Failed, Text: err.Error(), Hint: "your text is in " + edited, Cause: err}
	}
	_ = os.RemoveAll(filepath.Dir(edited)) // a copy of what was saved
	return "Saved " + path + ". A console reads it when it starts.", nil
}

// writeConfig puts data in path's place, whole or not at all, and makes the folder
// when there is none. The mode is this user's alone, as the console asks for.
func writeConfig(path string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = state.Replace(path, data)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, exit.RootCause(err))
	}
	return nil
}
