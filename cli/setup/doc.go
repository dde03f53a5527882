// Package setup has the commands that set aoctl up: hooks in agents' settings (install,
// uninstall) and the console's own settings (config).
//
// What has to stand in an agent's settings, and how a file is changed without losing a
// byte of what somebody else wrote there, is for hookclient/install to know. Here are the
// questions around it: which agents are meant, what will be written, may it be, does Codex
// have to be told to trust it. Every file that was written is noted (state.NoteInstalled),
// so that no rule lets an agent change it.
//
// config shows each of the console's settings with its value and where that comes from,
// and edits the file in the user's editor. Nothing is saved that a console would not take.
package setup

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
)

// Commands are the commands that set aoctl up. actions are those that the settings file may
// give a key.
func Commands(actions []config.Action) []*cobra.Command {
	return []*cobra.Command{newConfigCommand(actions), newInstallCommand(), newUninstallCommand()}
}
