package broker

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// A custom command or a skill is a text. Shell commands in it run while its agent reads it
// in, and hooks that its head names run later: no hook is asked for either. What the model
// calls for is a call like any other; for what the user types, the agent asks before it
// reads the text. A text in which nothing is to run needs no answer of the operator's.

const maxSlashText = 256 << 10 // bytes of a text that is looked at

// slash looks at the text that h asks for. It returns h with what is known of the text as
// the call's input, and whether the operator is to be asked.
func (b *Broker) slash(h agents.Hook, a asking) (agents.Hook, bool, error) {
	if h.Slash.Own() {
		return h, false, nil
	}
	in := agents.SlashInput{Typed: h.Slash.Command, Source: h.Slash.Source}
	switch {
	case a.tcp != nil && len(holdersOf(*a.tcp)) == 0:
		in.Unknown = "its text lies on another machine"
	default:
		since, off := b.slashSession(h.SessionID)
		b.readSlash(&in, h, a.project, since)
		if off {
			in.Runs = nil // the runner has switched them off
		}
	}
	if len(in.Files) > 0 && len(in.Runs) == 0 && in.Head == "" && in.Unknown == "" {
		return h, false, nil
	}
	if h.ToolInput = in.JSON(); len(h.ToolInput) > wire.MaxBody {
		return h, true, &bodyError{http.StatusRequestEntityTooLarge, "too_large", "the text of " + h.Slash.Name + " is longer than a call may be"}
	}
	return h, true, nil
}

// slashSession says since when a session's agent may have read its texts, and whether it
// was told to run none of the commands in them.
func (b *Broker) slashSession(id string) (since time.Time, off bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[id]
	if !ok {
		return time.Time{}, false
	}
	return se.s.StartedAt, se.s.Run.running()
}

// readSlash fills in what the files say in which the text may stand: all of them, where
// several could be meant.
func (b *Broker) readSlash(in *agents.SlashInput, h agents.Hook, project string, since time.Time) {
	for _, file := range slashFiles(*h.Slash, slashFolders(h, project)) {
		text, changed, err := readSlashText(file)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		in.Files = append(in.Files, file)
		if err != nil {
			in.Unknown = "its text cannot be read: " + err.Error()
			continue
		}
		if !since.IsZero() && changed.After(since) {
			in.Unknown = "its text has changed since the session began, and the agent may have read the earlier one"
		}
		runs, head := agents.TextRuns(text)
		in.Runs = append(in.Runs, runs...)
		if head != "" {
			in.Head = head
		}
	}
	if len(in.Files) == 0 {
		in.Unknown = "its text was not found"
	}
}

// slashFolders are the folders of settings from which the text may come. The agent keeps
// its transcripts in the user's own.
func slashFolders(h agents.Hook, project string) []string {
	var folders []string
	switch h.Slash.Source {
	case "userSettings":
		if projects := filepath.Dir(filepath.Dir(h.Transcript)); filepath.IsAbs(projects) && filepath.Base(projects) == "projects" {
			folders = append(folders, filepath.Dir(projects))
		}
	case "projectSettings":
		seen := map[string]bool{}
		for _, dir := range []string{h.CWD, project} {
			for filepath.IsAbs(dir) && !seen[dir] {
				seen[dir] = true
				folders = append(folders, filepath.Join(dir, ".claude"))
				dir = filepath.Dir(dir)
			}
		}
	}
	return folders
}

// slashFiles are the files in folders that hold the text if it is there: none for a name
// that is no path.
func slashFiles(s agents.Slash, folders []string) []string {
	parts := strings.Split(s.Name, ":")
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsRune(p, filepath.Separator) {
			return nil
		}
	}
	var files []string
	for _, f := range folders {
		at := filepath.Join(parts...)
		files = append(files,
			filepath.Join(f, "commands", at+".md"),
			filepath.Join(f, "commands", at, "SKILL.md"),
			filepath.Join(f, "skills", at, "SKILL.md"),
		)
	}
	return files
}

// readSlashText reads a regular file, and tells when it or its inode changed last.
func readSlashText(file string) (text string, changed time.Time, err error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- only looked at
	if err != nil {
		return "", time.Time{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", time.Time{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return "", time.Time{}, errors.New("it is no file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSlashText+1))
	if err == nil && len(data) > maxSlashText {
		err = fmt.Errorf("it has more than %d KiB", maxSlashText>>10)
	}
	return string(data), changeTime(st), err
}
