package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/shell"
)

// changesFiles are the tools whose answer depends on what the file holds now: the change on the
// card was made from it.
var changesFiles = map[string]bool{"Edit": true, "MultiEdit": true, "Write": true, "NotebookEdit": true}

// runnable are the endings of files that other programs run.
var runnable = []string{".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".mk", ".json", ".toml", ".yaml", ".yml", ".gradle", ".r", ".ps1"}

// runners are programs that run what their operands hold, whatever these are called;
// without the digits and dots at their ends, which leaves nothing of the shell's own dot.
var runners = []string{
	"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "", "source", "eval", "exec", "python", "pypy", "node", "deno", "bun", "perl", "ruby",
	"php", "lua", "rscript", "make", "gmake", "just", "awk", "gawk", "mawk", "sed", "expect", "tclsh", "osascript", "pwsh", "psql", "mysql", "sqlite",
	"kubectl", "helm", "terraform", "tofu", "patch", "crontab", "pip", "npm", "docker", "podman",
}

// runsFiles reports whether a command line may run what the files it names hold. Of what
// package shell doubts it may; nil is no line.
func runsFiles(l *shell.Line) bool {
	if l == nil {
		return false
	}
	for _, e := range l.Elements {
		if e.Kind == shell.Unknown || e.Kind == shell.Command && (e.Exact != "" || e.Unsure != "") {
			return true
		}
		if len(e.Argv) > 1 && filepath.Base(e.Argv[0]) == "git" && (slices.Contains(e.Argv, "apply") || slices.Contains(e.Argv, "am")) {
			return true
		}
		if e.Kind == shell.Command && len(e.Argv) > 0 &&
			slices.Contains(runners, strings.TrimRight(strings.ToLower(filepath.Base(e.Argv[0])), "0123456789.-")) {
			return true
		}
	}
	return false
}

// stampedFiles are the files that c names, and whether all of them are looked into.
func stampedFiles(c *rules.Call) (files []string, whole bool) {
	files, whole = c.Files(), changesFiles[c.Tool()]
	if runsFiles(c.Line()) {
		// Whoever runs files may be given them as any word.
		files, whole = append(files, c.Operands()...), true
		slices.Sort(files)
		files = slices.Compact(files)
	}
	return files, whole
}

// TouchedSince reports whether a file that c names changed, or a link to it, since at. It is for
// a call that has no stamp from that time. A file that is not there counts as untouched.
func TouchedSince(c *rules.Call, at time.Time) bool {
	// In doubt the file was touched.
	at = at.Add(-ClockGrain)
	files, _ := stampedFiles(c)
	for _, path := range files {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		for _, name := range []string{path, real} {
			info, err := os.Lstat(name) //nolint:gosec,nolintlint // G703, which is found on some runs only: nothing of the file is read
			// A folder changes with every file in it.
			if err != nil || info.IsDir() {
				continue
			}
			if st, ok := info.Sys().(*syscall.Stat_t); !ok || !ChangeTime(st).Before(at) {
				return true
			}
		}
	}
	return false
}

// CallStamp is the stamp of the files that c names, as they are now; "" for a call that names
// none. Two equal stamps mean that the same paths lead to the same files, which hold the same
// where that decides what the call does. The text of a stamp means nothing else and is compared
// only.
func CallStamp(c *rules.Call) string {
	files, whole := stampedFiles(c)
	if len(files) == 0 && len(c.Gits()) == 0 {
		return ""
	}
	h := sha256.New()
	// Another repository, or other settings of it, make git another program.
	for _, g := range c.Gits() {
		_, _ = fmt.Fprintf(h, "%+v\n", g)
	}
	for _, file := range stampedRefs(c) {
		if info, err := os.Lstat(file); err == nil {
			_, _ = fmt.Fprintf(h, "%q: %+v\n", file, StampOfInfo(info))
		}
	}
	f := NewPaths() // of this look: what was known before may be another file by now
	for _, path := range files {
		real, info, err := f.follow(path)
		if real == "" {
			_, _ = fmt.Fprintf(h, "%q: %s\n", path, missingOr(err))
			continue
		}
		_, _ = fmt.Fprintf(h, "%q: %q %v\n", path, real, err)
		// A log that is only read may grow while the call waits; a script may not.
		if err == nil && info.Mode().IsRegular() && (whole || info.Mode()&0o111 != 0 || isRunnable(real)) {
			_, _ = fmt.Fprintf(h, "%+v %v\n", StampOfInfo(info), error(nil))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// follow is where an absolute path leads, "" with the reason when that is nowhere, and what is
// there. Unlike real it does not say where a file would be made.
func (f *Paths) follow(path string) (real string, info fs.FileInfo, err error) {
	real, info, err = f.plain(path)
	switch {
	case real != "" && err == nil:
		return real, info, nil
	case real != "":
		return "", nil, err
	}
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, err
	}
	info, err = os.Stat(real)
	return real, info, err
}

// missingOr is why a path leads nowhere: that it is not there yet, or something else. The first
// has the same words on all systems, as it goes into the stamp.
func missingOr(err error) string {
	if os.IsNotExist(err) {
		return "missing"
	}
	return err.Error()
}

// ChangesLinked reports whether c changes a file that has more than one name: no rule about the
// one name has the other in mind. Other names may lie outside the project, or be an agent's
// settings.
func ChangesLinked(c *rules.Call) bool {
	if !changesFiles[c.Tool()] {
		return false
	}
	for _, path := range c.Files() {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
			return true
		}
	}
	return false
}

// isRunnable reports whether a file is one that programs run, by its name.
func isRunnable(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return name == "makefile" || name == "dockerfile" || slices.Contains(runnable, filepath.Ext(name))
}

// ClockGrain is how much older than the clock a file system's times may be: a change right
// after the look must not seem to be one before it.
const ClockGrain = 20 * time.Millisecond
