package state

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/paths"
)

// installedName is the file in the state folder that lists the settings files with hooks of
// ours, and the programs that these run: a JSON array of absolute paths, in the order in
// which they came.
const installedName = "installed.json"

// maxInstalled is how many paths it lists; the oldest go first.
const maxInstalled = 1000

// Guarded lists aoctl's own folders and files, the hook client beside it, and what was ever
// installed where: a call that touches them is never allowed by itself. The paths are
// absolute and sorted, each once; some may not exist. socket may be "", for a command
// without a console.
//
// What cannot be found out is left out: the list only keeps calls from being allowed by
// themselves, and the rest of it still counts.
func Guarded(socket string) []string {
	own := []string{}
	if socket != "" {
		own = append(own, socket, socket+".lock")
	}
	for _, dir := range []func() (string, error){paths.StateDir, paths.ConfigDir} {
		if path, err := dir(); err == nil {
			own = append(own, path)
		}
	}
	if self, err := os.Executable(); err == nil {
		own = append(own, Beside(self)...)
	}
	// The program may be called by a link beside which others lie than beside what it leads
	// to.
	if named, err := exec.LookPath(os.Args[0]); err == nil {
		if named, err = filepath.Abs(named); err == nil {
			own = append(own, Beside(named)...)
		}
	}
	// Settings that were written by hand run a hook client too, perhaps another one.
	for _, file := range append(Installed(), install.UserFiles()...) {
		own = append(own, install.ProgramsIn(file)...)
	}
	own = append(own, Installed()...)
	slices.Sort(own)
	return slices.Compact(own)
}

// Beside are a program and those that belong to it: aoctl and aoctl-hook lie in one folder.
func Beside(program string) []string {
	dir := filepath.Dir(program)
	return []string{program, filepath.Join(dir, "aoctl"), filepath.Join(dir, "aoctl-hook")}
}

// Installed reads what NoteInstalled wrote; nothing when there is no such list. What is no
// absolute path is dropped, as it would mean another file in every folder.
func Installed() []string {
	dir, err := paths.StateDir()
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, installedName)) // #nosec G304 -- our own
	var list []string
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(p string) bool { return !filepath.IsAbs(p) })
}

// NoteInstalled adds files to the list, for consoles that start from now on. It makes the
// state folder if need be. "" and relative paths are passed over; a path is noted once.
func NoteInstalled(files ...string) error {
	dir, err := paths.StateDir()
	if err != nil {
		return err
	}
	if err = Prepare(dir); err != nil {
		return err
	}
	list := Installed()
	for _, f := range files {
		if f != "" && filepath.IsAbs(f) && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	list = list[max(0, len(list)-maxInstalled):]
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := Replace(filepath.Join(dir, installedName), append(data, '\n')); err != nil {
		return fmt.Errorf("note what was installed: %w", err)
	}
	return nil
}
