package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// An agent reads its settings anew when a file of them changes, and a file that comes
// with another branch, or out of an archive, can switch every hook off. Where the agent
// asks before, the change is refused; and whether it asks or not, the files of the
// projects that are worked in are looked at.

const (
	maxSettings   = 1 << 20 // bytes of a settings file
	settingsFiles = 64      // projects whose files are looked at, the latest ones
)

// Settings looks at the settings files of agents. Change may be called from any goroutine; Watch
// from one only.
type Settings struct {
	o    Options
	seen map[string]string // by file: its state when it was last read; for Watch only
}

// NewSettings returns what looks at settings files.
func NewSettings(o Options) *Settings { return &Settings{o: o} }

// Change refuses a change of settings that would switch the gate off, or that
// cannot be looked at: with an error that is ErrSettings.
//
// The refusal names the file and the reason, for the user at the agent's terminal. It holds even
// when it could not be recorded.
func (st *Settings) Change(ctx context.Context, h agents.Hook, a Asker) error {
	if h.Text == "skills" { // no settings
		return nil
	}
	why, unread := "", false
	switch {
	case h.File == "" || !filepath.IsAbs(h.File):
		why = "which file it is was not said"
	// A path of another machine may exist here as well, with other content.
	case a.TCP != nil && len(peers.HoldersOf(*a.TCP)) == 0:
		why = "it lies on another machine, where it cannot be looked at"
	default:
		why, unread = st.problem(h.File, h.Text == "project_settings" || h.Text == "local_settings")
	}
	if why == "" {
		return nil
	}
	found := broker.SettingsFound{
		File: cmp.Or(h.File, h.Text), Why: why, SessionID: h.SessionID, Kept: true, Unread: unread, At: broker.Instant(time.Now()),
	}
	st.o.Engine.Do(engine.SettingsFound{Found: found})
	st.o.Log.WarnContext(ctx, "settings kept out", "session_id", h.SessionID, "file", found.File, "why", why)
	q := base(h, a)
	err := st.o.Engine.Do(engine.FromProgram{
		Speaker: engine.Speaker{SessionID: q.SessionID, Agent: q.Agent, CWD: q.CWD, Mode: q.Mode, Hint: q.Session},
		Apply: func(now time.Time, row *broker.Session) []*broker.Event {
			return []*broker.Event{broker.SessionEvent(now, broker.EventSettings, *row, found)}
		},
	}).Err
	if err != nil { // refused either way
		st.o.Log.ErrorContext(ctx, "not recorded: settings kept out", "session_id", h.SessionID, "err", err)
	}
	return refusal{ErrSettings, fmt.Sprintf("aoctl keeps the settings of %s out of this session: %s", found.File, why)}
}

// problem says why the settings in a file may not take effect, "" when they may, and
// whether that is because the file cannot be read. mayGo: without the file there is nothing
// that could do harm.
func (st *Settings) problem(file string, mayGo bool) (why string, unread bool) {
	data, err := readSettings(file)
	switch {
	case cannotBe(err) && mayGo:
		return "", false
	case cannotBe(err):
		return "it is gone, and hooks may have gone with it", false
	case err != nil:
		return "it cannot be read: " + reason(err), true
	case st.o.Silences == nil:
		return "there is nothing to judge it by", false
	}
	return st.o.Silences(data), false
}

// cannotBe reports that there is no such file. A folder that an agent names may be one
// that cannot be, too: with a name that is too long, or below a file.
func cannotBe(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EINVAL)
}

// reason is err without the file's name, which may be an agent's words.
func reason(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

var errNoSettings = errors.New("it is no file of at most 1 MiB of this user's or the administrator's")

// readSettings reads a regular file of our own, or of root's. O_NONBLOCK keeps a pipe in the
// file's place from blocking. The size is looked at twice, as the file may grow.
func readSettings(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- only looked at
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || info.Size() > maxSettings || st.Uid != 0 && int(st.Uid) != os.Getuid() {
		return nil, errNoSettings
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(data) > maxSettings {
		err = errNoSettings
	}
	return data, err
}

// Watch looks at the settings files of the projects that are worked in, and at those that
// were told of; it reads one only when it has changed.
func (st *Settings) Watch(ctx context.Context) {
	for _, file := range st.unreadableOfEnded() {
		delete(st.seen, file) // it may concern another session
		st.settled(file)
	}
	files := st.watched()
	// The new map has only the files that are still watched, so it does not grow with every
	// project.
	seen := make(map[string]string, len(files))
	for file, session := range files {
		state := fileState(file)
		seen[file] = state
		if state == st.seen[file] {
			continue
		}
		why, unread := st.problem(file, true)
		if why == "" {
			st.settled(file)
			continue
		}
		found := broker.SettingsFound{File: file, Why: why, SessionID: session, Unread: unread, At: broker.Instant(time.Now())}
		if err := st.o.Engine.Do(engine.SettingsFound{Found: found, Record: true}).Err; err != nil {
			st.o.Log.ErrorContext(ctx, "not recorded: settings found", "file", file, "err", err)
		}
	}
	st.seen = seen
}

// settled takes a file that is harmless now from before the operator.
func (st *Settings) settled(file string) {
	st.o.Engine.Do(engine.SettingsFound{Found: broker.SettingsFound{File: file}, Gone: true})
}

// unreadableOfEnded lists the files before the operator that cannot be read and are of sessions that
// have ended: what they say concerns nobody now, and they may never become readable.
func (st *Settings) unreadableOfEnded() []string {
	var list []string
	for _, f := range st.o.View.Health().Settings {
		if s, ok := st.o.View.Session(f.SessionID); f.Unread && (!ok || !s.EndedAt.IsZero()) {
			list = append(list, f.File)
		}
	}
	return list
}

// watched are the files to look at, each with a session that is concerned.
func (st *Settings) watched() map[string]string {
	files := map[string]string{}
	for _, f := range st.o.View.Health().Settings {
		if filepath.IsAbs(f.File) {
			files[f.File] = f.SessionID
		}
	}
	living := slices.DeleteFunc(st.o.View.Sessions(), func(s broker.Session) bool {
		return !profile.Of(s.Agent).Traits.AsksSettings || !s.EndedAt.IsZero() || !filepath.IsAbs(cmp.Or(s.ProjectDir, s.CWD))
	})
	slices.SortFunc(living, func(x, y broker.Session) int { return y.LastSeenAt.Compare(x.LastSeenAt) })
	for _, s := range living[:min(len(living), settingsFiles)] {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			file := filepath.Join(cmp.Or(s.ProjectDir, s.CWD), ".claude", name)
			if _, ok := files[file]; !ok {
				files[file] = s.ID
			}
		}
	}
	return files
}

// fileState changes when a file does. The inode is in it because a file may be replaced by one
// with the same size and an old time.
func fileState(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "none"
	}
	inode := uint64(0)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), inode, info.Mode())
}
