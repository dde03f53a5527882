package main

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
)

// canary stands in every file that holds a secret, and in the environment.
const canary = "MARKED-SECRET"

// ranMark is a file that no project has. Its code tries to open it.
const ranMark = "aoctl-effects-ran"

// allowance is where programs may read or write whatever a line was granted, or with some effects.
type allowance struct {
	below string      // a path, or a folder with all in it
	with  effects.Set // one of these must be named; 0: always
	write bool
	alone bool // nothing that lies in it
	why   string
}

// allowances are what a trace shows without a defect, beside the project itself. A later row
// may widen an earlier one. world stands for the folder of the line's world.
var allowances = []allowance{
	{below: "/usr", why: "programs, and what they load"},
	{below: "/lib", why: "libraries"},
	{below: "/lib64", why: "libraries"},
	{below: "/bin", why: "programs"},
	{below: "/sbin", why: "programs"},
	{below: "/opt", why: "programs"},
	{below: "/root/.pyenv", why: "a toolchain, for all users of this machine"},
	{below: "/root/.rustup", why: "a toolchain"},
	{below: "/root/.cargo", why: "a toolchain"},
	{below: "/etc/ld.so.cache", why: "every program's loader reads it"},
	{below: "/etc/inputrc", with: effects.Of(effects.Check), why: "how keys are read in every program"},
	{below: "/etc/ld.so.preload", why: "every program's loader asks for it"},
	{below: "/etc/passwd", why: "the C library reads names of users there; a line that names it is not vouched for"},
	{below: "/etc/group", why: "the C library"},
	{below: "/etc/nsswitch.conf", why: "the C library"},
	{below: "/etc/localtime", why: "the C library"},
	{below: "/etc/locale.alias", why: "the C library"},
	{below: "/etc/alternatives", why: "links to programs"},
	{below: "/etc/host.conf", why: "the C library, to find a name"},
	{below: "/etc/hosts", why: "the C library, to find a name"},
	{below: "/etc/resolv.conf", why: "the C library, to find a name"},
	{below: "/etc/gai.conf", why: "the C library, to find a name"},
	{below: "/etc/ssl/openssl.cnf", why: "node loads it"},
	{below: "/etc/pip.conf", why: "pip's own settings, of the machine"},
	{below: "/etc/java-17-openjdk", why: "a toolchain's own settings"},
	{below: "/etc/maven", why: "a toolchain's own settings"},
	{below: "/etc/timezone", why: "a fact of the machine"},
	{below: "/etc/ssl/certs", why: "public certificates"},
	{below: "/etc/mime.types", with: effects.Of(effects.Check), why: "Python and Go load it"},
	{below: "/etc/magic", why: "file loads it"},
	{below: "/etc/gitconfig", why: "the machine's own settings of git"},
	{below: "/etc", alone: true, with: effects.Of(effects.Check), why: "pip looks for the name of the system there"},
	{below: "/etc/debian_version", why: "node asks for it"},
	{below: "/etc/os-release", why: "the same on every machine"},
	{below: "/etc/zsh", why: "zsh -f still reads its first file"},
	{below: "/etc/mtab", why: "df lists what is mounted"},
	{below: "/proc", why: "facts of the machine; what another program holds there is a row of notProc"},
	{below: "/sys", why: "facts of the machine"},
	{below: "/dev/null", write: true, why: "nothing"},
	{below: "/dev/tty", write: true, why: "the terminal"},
	{below: "/dev/pts", write: true, why: "the terminal"},
	{below: "/dev/stdout", write: true, why: "what the line prints"},
	{below: "/dev/stderr", write: true, why: "what the line prints"},
	{below: "/dev/fd", write: true, why: "what is open already"},
	{below: "/dev/zero", why: "nothing"},
	{below: "/dev/urandom", why: "nothing"},
	{below: "/dev/random", why: "nothing"},
	{below: "/dev/full", write: true, why: "nothing"},
	{below: "world/home/.gitconfig", why: "git's own settings, of the user"},
	{below: "world/home/.config/git", why: "git's own settings, of the user"},
	{below: "world/home/.npmrc", with: effects.Of(effects.Check, effects.Fetch), why: "npm's own settings, of the user"},
	{below: "world/home/.config/go", why: "go's own settings, of the user"},
	{below: "world/home/.config/go/telemetry", write: true, why: "go counts its own errors there"},
	{below: "world/home/.cargo", with: effects.Of(effects.Check, effects.Fetch), why: "cargo's own settings, of the user"},
	{below: "world/home/.cache", with: effects.Of(effects.Check, effects.Fetch), write: true, why: "build caches"},
	{below: "world/home/.m2", with: effects.Of(effects.Check, effects.Fetch), write: true, why: "what Maven fetched"},
	{below: "world/home/set", why: "files that the user's settings of git name"},
	{below: "world/home/hooks", with: effects.Of(effects.Commit), write: true, why: "hooks that the user set for all repositories"},
	{below: cache, with: effects.Of(effects.Check, effects.Fetch), write: true, why: "build caches"},
	{below: "/tmp", with: effects.Of(effects.Check, effects.Fetch), write: true, why: "temporary files of builds and tests"},
	{below: "/dev/shm", with: effects.Of(effects.Check), write: true, why: "temporary files of tests"},
}

// noBraces is how a name with braces is given to what would take them for a pattern.
var noBraces = strings.NewReplacer("{", "_", "}", "_")

// ownTemp are temporary files of shells for here-documents, which they remove at once.
var ownTemp = regexp.MustCompile(`^/tmp/(sh-thd|zsh)[^/]*$`)

// sameUser are arguments that change no user: the trial runs as root.
var sameUser = regexp.MustCompile(`^(-1|0)(, (-1|0))*$`)

// notProc are files of /proc that tell what programs hold or were given.
var notProc = regexp.MustCompile(`^/proc/[^/]+/(environ|mem|maps|cmdline|fd/.*|cwd|root)$`)

// ownNotes are files that git writes anew without a change.
var ownNotes = regexp.MustCompile(`^(index|config)(\.lock)?$`)

// gitCode are the parts of .git that can run programs.
var gitCode = regexp.MustCompile(`^(hooks(/|$)|config|info/attributes|modules/|worktrees/.*/config|commondir|gitdir)`)

// localhost is an address of this machine.
var localhost = regexp.MustCompile(`inet_addr\("127\.|"::1"|::ffff:127\.`)

// found is an effect that a trace shows, and by what.
type found struct {
	effect effects.Effect
	by     string
	reads  bool // or runs, outside the project
}

// unnamed says which effects of a trace are not in the set that was named, each with what shows it.
// Every line may look.
func (w *world) unnamed(t trace, named effects.Set) (list []string) {
	named |= effects.Of(effects.Look)
	for _, f := range w.effects(t, named) {
		// A check goes where the project's own files lead.
		if w.leads && named.Has(effects.Check) && f.reads {
			continue
		}
		if !named.Has(f.effect) && len(list) < 4 {
			list = append(list, fmt.Sprintf("%s, by %.300s", f.effect, f.by))
		}
	}
	return list
}

// effects are those that a trace shows. named is what was named, as builds may write more than others.
func (w *world) effects(t trace, named effects.Set) (list []found) {
	made := map[string]bool{}
	for _, e := range t.events {
		if effect, ok := w.effect(t, e, named, made); ok {
			list = append(list, found{effect, e.raw, effect == effects.Outside && !writes(e) || effect == effects.Unknown && e.call == "execve"})
		}
	}
	if t.wrote(w.project() + "/.git") {
		if w.staged() != w.index {
			list = append(list, found{effect: effects.Commit, by: "what git has staged"})
		}
		if w.settings() != w.conf {
			list = append(list, found{effect: effects.Unknown, by: "the repository's settings"})
		}
	}
	if i := strings.Index(t.output, canary); i >= 0 {
		list = append(list, found{effect: effects.Secrets, by: fmt.Sprintf("output %q", t.output[max(0, i-60):min(len(t.output), i+40)])})
	}
	return list
}

// effect is what one call shows. ok is false when it shows nothing beyond looking.
func (w *world) effect(t trace, e event, named effects.Set, made map[string]bool) (effects.Effect, bool) {
	if slices.ContainsFunc(e.paths, func(p string) bool { return strings.HasSuffix(p, ranMark) }) {
		return effects.Check, true
	}
	switch e.call {
	case "connect", "bind", "listen", "sendto":
		return w.socket(e, named)
	case "kill", "tgkill":
		pid, _, _ := strings.Cut(strings.TrimPrefix(e.flags, "-"), ",")
		pid, _, _ = strings.Cut(pid, "<")
		return effects.Privilege, !t.pids[pid] && pid != "0" && !e.fails && !strings.HasSuffix(e.flags, ", 0")
	case "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "mount", "umount2", "sethostname", "clock_settime", "settimeofday", "ptrace", "chroot", "setns", "process_vm_readv":
		return effects.Privilege, !sameUser.MatchString(e.flags)
	}
	if e.fails {
		return 0, false
	}
	switch e.call {
	case "execve", "execveat":
		return w.executes(e, named)
	case "open", "openat", "openat2", "creat":
		if writes(e) {
			return w.writes(e, t.pids, named, made)
		}
		return w.reads(e, t.pids, named)
	}
	return w.writes(e, t.pids, named, made)
}

// writes reports whether an open can change the file.
func writes(e event) bool {
	return e.call == "creat" || strings.Contains(e.flags, "O_WRONLY") || strings.Contains(e.flags, "O_RDWR") || strings.Contains(e.flags, "O_TRUNC")
}

// wrote reports whether a trace changed a file below a folder.
func (t trace) wrote(dir string) bool {
	reading := []string{"execve", "execveat", "open", "openat", "openat2", "connect", "bind", "listen", "sendto", "kill", "tgkill"}
	for _, e := range t.events {
		if !e.fails && (!slices.Contains(reading, e.call) || writes(e)) && slices.ContainsFunc(e.paths, func(p string) bool { return below(dir, p) }) {
			return true
		}
	}
	return false
}

// socket is what a call about sockets shows. Tests and builds may talk to themselves.
func (w *world) socket(e event, named effects.Set) (effects.Effect, bool) {
	inet := strings.Contains(e.flags, "AF_INET") || strings.Contains(e.flags, "<TCP") || strings.Contains(e.flags, "<UDP")
	switch {
	case e.call == "listen" && strings.Contains(e.flags, "UNIX"), e.call == "bind" && !inet:
		return 0, false
	case e.call == "listen" && !e.fails:
		return effects.Serve, true
	case e.call == "bind" || e.call == "listen", e.call == "sendto" && !inet:
		return 0, false
	case strings.Contains(e.flags, "AF_UNIX"):
		return effects.Unknown, !e.fails && !named.Has(effects.Check)
	case !inet, localhost.MatchString(e.flags) && named.Has(effects.Check):
		return 0, false
	case localhost.MatchString(e.flags) && named.Has(effects.Serve):
		return effects.Serve, true
	// Which machine it is, nobody can tell here: there is no network.
	case named.Has(effects.Fetch):
		return effects.Fetch, true
	}
	return effects.Network, true
}

// executes is what it shows that a program was started. What the project's code starts is its own.
func (w *world) executes(e event, named effects.Set) (effects.Effect, bool) {
	for _, p := range e.paths {
		p = real(p)
		switch {
		case below(w.project(), p):
			return effects.Check, true
		case named.Has(effects.Check) && (below("/tmp", p) || below(cache, p)): // a test that was built
		case !w.allowed(p, false, named):
			return effects.Unknown, true
		}
	}
	return 0, false
}

// reads is what it shows that files were read.
func (w *world) reads(e event, pids map[string]bool, named effects.Set) (effects.Effect, bool) {
	secret := risk.SecretAt(w.place())
	for _, p := range e.paths {
		switch {
		// git reads its own settings, and npm its own; that they are printed, the mark in them shows.
		case below(w.project()+"/.git", p), w.allowed(p, false, named):
		case ownProc(p, pids), ownTemp.MatchString(p):
		case notProc.MatchString(p):
			return effects.Secrets, true
		// git compares files and keeps what it is told to add. That it prints one, the mark in it shows.
		case secret(p) && e.by == "git" && below(w.project(), p):
		case secret(p) && !strings.HasSuffix(p, "/.npmrc"):
			return effects.Secrets, true
		case !below(w.project(), p):
			return effects.Outside, true
		}
	}
	return 0, false
}

// writes is what it shows that files were changed, made or taken away.
func (w *world) writes(e event, pids map[string]bool, named effects.Set, made map[string]bool) (effects.Effect, bool) {
	for i, p := range e.paths {
		p = parentReal(p)
		inGit, isGit := strings.CutPrefix(p, w.project()+"/.git/")
		switch {
		case w.allowed(p, true, named), ownTemp.MatchString(p), ownProc(p, pids):
		// What git writes there is compared as a whole.
		case isGit && ownNotes.MatchString(inGit):
		case e.call == "link" || e.call == "linkat" || e.call == "rename" || e.call == "renameat" || e.call == "renameat2":
			if !below(w.project(), p) {
				return effects.Outside, true
			}
			made[p] = i > 0
			if isGit && gitCode.MatchString(inGit) {
				return effects.Unknown, true
			}
			if isGit {
				return effects.Commit, !named.Has(effects.Commit)
			}
			return effects.Edit, !named.Has(effects.Check)
		case !below(w.project(), p):
			return effects.Outside, true
		case isGit && gitCode.MatchString(inGit):
			return effects.Unknown, true
		case isGit:
			return effects.Commit, true
		case risk.Guarded(noBraces.Replace(p), w.place()):
			return effects.Gate, true
		case e.call == "rmdir" || e.call == "unlinkat" && strings.Contains(e.flags, "AT_REMOVEDIR"):
			if !named.Has(effects.Check) { // an empty folder
				return effects.Edit, true
			}
		case e.call == "unlink" || e.call == "unlinkat":
			if tracked, known := w.known[p]; known && !tracked && !made[p] && !named.Has(effects.Check) {
				return effects.Delete, true
			}
			if !made[p] && !named.Has(effects.Check) {
				return effects.Edit, true
			}
		default:
			made[p] = made[p] || strings.Contains(e.flags, "O_CREAT")
			if !named.Has(effects.Check) {
				return effects.Edit, true
			}
		}
	}
	return 0, false
}

// allowed reports whether a row of allowances holds for a path.
func (w *world) allowed(p string, write bool, named effects.Set) bool {
	if strings.HasPrefix(p, "pipe:") || strings.HasPrefix(p, "socket:") || strings.HasPrefix(p, "anon_inode:") || p == "/" {
		return true
	}
	for _, a := range allowances {
		dir := strings.Replace(a.below, "world", w.root, 1)
		if below(dir, p) && (p == dir || !a.alone) && (a.write || !write) && (a.with == 0 || a.with&named != 0) && !notProc.MatchString(p) {
			return true
		}
	}
	return false
}

// ownProc reports whether a file of /proc is about one of the line's own processes. What they have in
// their environment is told by the mark in what is printed.
func ownProc(p string, pids map[string]bool) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	pid, _, _ := strings.Cut(rest, "/")
	return ok && (pid == "self" || pids[pid])
}

func below(dir, p string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// real is where a path leads, the path itself when nothing is there.
func real(p string) string {
	if to, err := filepath.EvalSymlinks(p); err == nil {
		return to
	}
	return p
}

// parentReal is where the entry of a folder lies.
func parentReal(p string) string { return path.Join(real(path.Dir(p)), path.Base(p)) }
