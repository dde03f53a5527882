// Package setup has the commands that set aoctl up: install and uninstall write hooks
// into the settings of agents, and config shows and edits the console's own settings.
//
// Package hookclient/install knows what an agent's settings must hold, and how to
// change a file without losing a byte of what somebody else wrote. This package asks
// the questions around it: which agents are meant, what will be written, may it be
// written, does Codex still have to trust it. It notes every file that it wrote
// (state.NoteInstalled), so that no rule lets an agent change that file.
//
// One installation passes through the files like this. install.go reads the flags and
// makes an installer. installer.go finds the agents, asks them for their versions, and
// does one agent after the other; one that fails does not keep the others from it.
// offer.go and offer_removal.go ask the person about each agent when no agent was
// named, and change_summary.go says in short what would be done. trust.go lets
// Codex trust its hooks. problem.go turns an error into what is wrong, where, and what
// to do.
//
// service.go writes the service that keeps a broker running (package autostart), which is not about
// agents.
//
// An installation that does not hold calls is a failure, even when its file was
// written: a version of the agent that runs calls anyway, or hooks that Codex does not
// trust. The person believes otherwise from that moment on.
//
// config.go lists each setting with its value and where the value comes from,
// config_keys.go does so for the keys, and config_edit.go edits the file in the user's
// editor. It saves nothing that a console would not take. Both commands are safe to
// run again: what is there already is left alone, and a removal leaves the settings of
// others as they are.
//
// The texts of problems may hold paths and words of settings files, which anybody may
// have written, so they become safe where they are printed.
package setup

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
)

// Commands are the commands that set aoctl up. actions are those that the settings
// file may give a key.
func Commands(actions []config.Action) []*cobra.Command {
	return []*cobra.Command{newConfigCommand(actions), newInstallCommand(), newUninstallCommand()}
}
