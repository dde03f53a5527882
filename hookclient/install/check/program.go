package check

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// compared says how a version stands to the one that aoctl was tried with.
func compared(version, tried string) string {
	switch order := machine.CompareVersions(version, tried); {
	// It is told and is no warning: most releases change nothing that matters here.
	case order < 0:
		return ", older than " + tried + ", which aoctl was tried with"
	case order > 0:
		return ", newer than " + tried + ", which aoctl was tried with"
	}
	return ""
}

// hookProgram looks at the program that a hook starts.
//
// It returns its finding, since what comes after depends on how bad it is. The checks go from
// "cannot be run" to "is not this build".
func (c *checker) hookProgram(path, cure string) *Finding {
	if !filepath.IsAbs(path) {
		found, err := exec.LookPath(path)
		if err != nil {
			return c.add(Fail, "hook program", cure, "%s is not on PATH here: every call is refused", path)
		}
		path = found
	}
	if err := machine.Executable(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such file")
		}
		return c.add(Fail, "hook program", cure, "%s cannot be run (%v): every call is refused", path, err)
	}
	// Whoever can replace the hook's program decides what is asked.
	if why := writableByOthers(path); why != "" {
		return c.add(Fail, "hook program", "move aoctl to a folder of your own, then: "+cure, "%s: anybody could put another program there", why)
	}
	what, known := whichBuild(path, c.o.Program.Path)
	// Another program under aoctl's name may answer anything.
	if !known {
		return c.add(Fail, "hook program", cure, "%s is %s", path, what)
	}
	if strings.HasPrefix(path, filepath.Clean(os.TempDir())+string(filepath.Separator)) {
		return c.add(Warn, "hook program", "install aoctl elsewhere, then: "+cure, "%s, %s, in the folder for temporary files: once that is cleared, every call is refused", path, what)
	}
	if what != sameBuild {
		return c.add(Warn, "hook program", "bring both to one version, then: "+cure, "%s, %s", path, what)
	}
	return c.add(OK, "hook program", "", "%s, %s", path, what)
}

const sameBuild = "this aoctl"

// whichBuild says whether path is this very aoctl, which own is too, or which other one. The
// build information that Go puts into a program is read, and the program is not run.
func whichBuild(path, own string) (what string, known bool) {
	self, _ := os.Executable() // "" is no other file
	// The small client beside this aoctl is of the same build.
	for _, ours := range []string{self, filepath.Join(filepath.Dir(self), "aoctl-hook"), own} {
		if ours != "" && machine.SameFile(path, ours) {
			return sameBuild, true
		}
	}
	theirs, err := buildinfo.ReadFile(path)
	if err != nil || !strings.HasPrefix(theirs.Path, modulePath) {
		return "not aoctl", false
	}
	mine, ok := debug.ReadBuildInfo()
	if !ok {
		return "an aoctl", true
	}
	if a, b := revision(mine), revision(theirs); a != b {
		return fmt.Sprintf("another aoctl (%s; this one is %s)", b, a), true
	}
	return sameBuild, true
}

const modulePath = "github.com/aoctl/aoctl"

// revision names a build: its version, and the commit when that is known. A build without version
// control has a version alone.
func revision(b *debug.BuildInfo) string {
	name := b.Main.Version
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			name += " " + s.Value[:min(len(s.Value), 12)]
		}
	}
	return strings.TrimSpace(name)
}

// writableByOthers names the file, or the folder on the way to it, that other users may
// change; "" when there is none. A sticky folder lets nobody replace another's file. A path that
// cannot be followed is no finding here: that the program is missing is told elsewhere.
func writableByOthers(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for p := real; ; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if err != nil {
			return ""
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fmt.Sprintf("%s can be written by everybody (mode %04o)", p, info.Mode().Perm())
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
			return fmt.Sprintf("%s belongs to user %d", p, st.Uid)
		}
		if p == filepath.Dir(p) {
			return ""
		}
	}
}
