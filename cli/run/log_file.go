package run

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/hookclient/paths"
)

const (
	maxLog  = 4 << 20             // size at which a run's log is set aside as .1, bytes
	keepLog = 30 * 24 * time.Hour // after a run's last word its log is removed
)

// logFolder is where the logs of runs lie, made if need be. It is as private as the state
// folder that it lies in, since the environments of sessions lie beside the logs.
func logFolder() (string, error) {
	home, err := paths.StateDir()
	if err != nil {
		return "", err
	}
	if err = state.Prepare(home); err != nil {
		return "", err
	}
	dir := filepath.Join(home, "runs")
	return dir, state.Prepare(dir)
}

// openLog opens the log of one run, for this user's eyes only. It never grows beyond twice
// maxLog. closeLog is to be called once, when nothing logs any more.
func openLog(path string) (log *slog.Logger, closeLog func(), err error) {
	pruneLogs(filepath.Dir(path), time.Now())
	w := &logFile{path: path}
	if err := w.open(); err != nil {
		return nil, nil, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot write the run's log %s: %v", path, exit.RootCause(err)), Hint: "move it away, or name another state folder with AOCTL_HOME", Cause: err}
	}
	return slog.New(slog.NewJSONHandler(w, nil)), w.close, nil
}

// pruneLogs removes logs of runs that are long over, and then the environments that these
// were started with. What cannot be removed stays for the next run to try. A log counts as
// over by its last change: a session that is still held writes into its own.
func pruneLogs(dir string, now time.Time) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		isEnv := strings.HasSuffix(e.Name(), envSuffix)
		// An environment's file is named after its log, with the seal behind the last "-".
		_, noLog := os.Lstat(filepath.Join(dir, e.Name()[:max(0, strings.LastIndexByte(e.Name(), '-'))]+".log"))
		old := err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > keepLog
		if old && (strings.Contains(e.Name(), ".log") || isEnv && noLog != nil) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next one tries again
		}
	}
}

// logFile is a file that is set aside when it has grown large. A disk that is full loses
// lines of it, and nothing else. Several goroutines may write.
type logFile struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

// open opens the file and finds out its size. A link is refused, and so is anything but a
// file.
func (l *logFile) open() error {
	// A pipe in its place must not hold up the runner before its agent runs.
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return &fs.PathError{Op: "open", Path: l.path, Err: syscall.EINVAL}
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write appends p. A full file becomes the old one, and the old one before it goes.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size+int64(len(p)) > maxLog {
		if err := os.Rename(l.path, l.path+".1"); err != nil {
			return 0, err
		}
		_ = l.file.Close()
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// close closes the file; nothing may be written afterwards.
func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.file.Close()
}
