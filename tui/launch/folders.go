package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
)

// folderAt is the absolute path of a typed folder, which may begin with ~ or be
// relative to own. It fails with a problem unless there is such a folder. It looks at
// the disk, so it is called in a command.
func folderAt(typed, own string) (string, error) {
	path := filepath.Clean(expanded(strings.TrimSpace(typed), own))
	info, err := os.Stat(path)
	switch {
	// Each reason has words of its own: what to do differs.
	case errors.Is(err, fs.ErrNotExist):
		return "", problem("there is no folder " + safe.Line(path))
	case err != nil:
		return "", problem(safe.Line(err.Error()))
	case !info.IsDir():
		return "", problem(safe.Line(path) + " is no folder")
	case !filepath.IsAbs(path):
		return "", problem(safe.Line(path) + ": from where? begin with /")
	}
	return path, nil
}

// expanded is a typed path with ~ and what it is relative to written out. A / at its
// end stays, for completion goes by it.
func expanded(typed, own string) string {
	// A ~ of another user is left alone, and there will be no such folder.
	if typed == "~" || strings.HasPrefix(typed, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return home + typed[1:]
		}
	}
	if typed != "" && !filepath.IsAbs(typed) && own != "" {
		return strings.TrimSuffix(own, "/") + "/" + typed
	}
	return typed
}

// foldersMsg brings the folders that a typed one may become.
type foldersMsg struct {
	gen    int
	typed  string
	list   []string // raw, as they are typed
	common string   // what they begin with, all of them
	err    error
}

// maxFolders is how many folders are looked through for one that is typed.
const maxFolders = 5000

// completeFolder looks for folders that begin as the typed one. A folder may lie on a
// disk that is slow, so the answer comes as a message.
func (x *Screen) completeFolder() tea.Cmd {
	gen, typed, own := x.form.gen, x.form.folder.String(), x.own()
	return func() tea.Msg {
		list, err := foldersLike(typed, own)
		return foldersMsg{gen: gen, typed: typed, list: list, common: beginning(list), err: err}
	}
}

// foldersLike lists the folders that begin as the typed one, each with a / at its end.
// A folder that is complete is its own only completion. Hidden ones come only when a
// dot was typed.
func foldersLike(typed, own string) ([]string, error) {
	at := strings.LastIndexByte(typed, '/') + 1
	// What is before the last slash stays as it was typed; only what is behind it is
	// completed.
	lead, start := typed[:at], typed[at:]
	if at == 0 && start == "~" {
		return []string{"~/"}, nil
	}
	parent := expanded(lead, own)
	if parent == "" {
		parent = own
	}
	d, err := os.Open(filepath.Clean(parent))
	if err != nil {
		return nil, problem("there is no folder " + safe.Line(parent))
	}
	defer func() { _ = d.Close() }() // it was only read
	entries, err := d.ReadDir(maxFolders)
	// A folder that cannot be listed has nothing to offer, which is no error while
	// somebody types.
	if err != nil && len(entries) == 0 && start != "" {
		return nil, nil
	}
	var list []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || strings.HasPrefix(name, ".") && !strings.HasPrefix(start, ".") {
			continue
		}
		// A link to a folder counts as one, as it does for a shell.
		if info, err := os.Stat(filepath.Join(parent, name)); err == nil && info.IsDir() {
			list = append(list, lead+name+"/")
		}
	}
	// Nothing begins below it: the folder itself is what was meant.
	if len(list) == 0 && start == "" {
		return []string{typed}, nil
	}
	slices.Sort(list)
	return list, nil
}

// beginning is what all texts of the list begin with, whole characters only.
func beginning(list []string) string {
	if len(list) == 0 {
		return ""
	}
	common := []rune(list[0])
	for _, s := range list[1:] {
		n := 0
		for _, r := range s {
			if n == len(common) || common[n] != r {
				break
			}
			n++
		}
		common = common[:n]
	}
	return string(common)
}

// foldersCame completes the typed folder as far as there is no choice. An answer that
// comes after something else was typed is dropped. A second tab that changes nothing
// goes on to the next field.
func (x *Screen) foldersCame(msg foldersMsg) {
	f := x.form
	if f == nil || f.gen != msg.gen || f.folder.String() != msg.typed || f.focus != fieldFolder {
		return
	}
	switch {
	case msg.err != nil:
		f.hint = safe.Line(msg.err.Error())
	case len(msg.list) == 0:
		f.hint = "no folder begins like this"
	// The second tab on the same text: the list was shown, and the person wants to go
	// on.
	case msg.common == msg.typed && (len(msg.list) == 1 || len(f.folders) > 0):
		f.move(1) // nothing is left to complete
	default:
		most := f.folder.Most
		f.folder, f.folders = text.NewLine(msg.common), msg.list
		f.folder.Most = most
	}
	// One folder is no list to choose from.
	if len(msg.list) == 1 {
		f.folders = nil
	}
}
