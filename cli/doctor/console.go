package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/autostart"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/version"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui/figures"
)

// answerTime is how long a console may take to answer the doctor. A console that is
// suspended takes connections and says nothing.
const answerTime = 3 * time.Second

// console looks at the socket and at who serves it. It stops at the first thing that
// is wrong, since what follows would only say the same in other words. That no console
// is open is a warning and no failure: calls behind a gate are refused then, as
// promised. The checks go from the outside to the inside: folder, socket, who owns it,
// who holds the lock, who answers, and which program that is.
func (e *examination) console(ctx context.Context, o options) {
	if o.socket == "" {
		e.add(agentcheck.Fail, "socket", "set HOME, AOCTL_HOME or AOCTL_SOCKET", "%v", paths.ErrNoHome)
		return
	}
	if !e.socketFolder(filepath.Dir(o.socket)) {
		return
	}
	info, err := os.Lstat(o.socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(agentcheck.Warn, "socket", "start a console with: aoctl", "no console is listening on %s: every call behind a gate is refused", o.socket)
		return
	case err != nil:
		e.add(agentcheck.Fail, "socket", "see that you may read its folder", "cannot look at %s: %v", o.socket, exit.RootCause(err))
		return
	case info.Mode().Type() != fs.ModeSocket:
		e.add(agentcheck.Fail, "socket", "move it away, then start a console with: aoctl", "%s is not a socket: every call behind a gate is refused", o.socket)
		return
	}
	if uid := ownerOf(info); uid != os.Geteuid() {
		e.add(agentcheck.Fail, "socket", "find out who that is, or name your own with AOCTL_SOCKET", "%s belongs to user %d", o.socket, uid)
		return
	}
	e.mode("socket", o.socket, info, 0o600)
	e.holder(ctx, o.socket)
}

// socketFolder reports whether the folder of the socket is one that a hook would
// trust. The hook client looks at the same things before it sends anything: a folder
// in which somebody else can write is one in which somebody else can answer. false
// means that nothing more can be said of the socket.
func (e *examination) socketFolder(dir string) bool {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(agentcheck.Warn, "folder", "start a console with: aoctl", "there is no %s yet: no console has run here, and every call behind a gate is refused", dir)
		return false
	case err != nil:
		e.add(agentcheck.Fail, "folder", "see that you may read it", "cannot look at %s: %v", dir, exit.RootCause(err))
		return false
	case info.Mode().Type() == fs.ModeSymlink:
		e.add(agentcheck.Fail, "folder", "name the folder itself with AOCTL_HOME or AOCTL_SOCKET", "%s is a symbolic link", dir)
		return false
	case !info.IsDir():
		e.add(agentcheck.Fail, "folder", "move it away, then start a console with: aoctl", "%s is not a folder", dir)
		return false
	case ownerOf(info) != os.Geteuid():
		e.add(agentcheck.Fail, "folder", "name a folder of your own with AOCTL_HOME or AOCTL_SOCKET", "%s belongs to user %d", dir, ownerOf(info))
		return false
	}
	e.mode("folder", dir, info, 0o700)
	return true
}

// mode compares a file's permissions with what aoctl gives it. What others may only
// read can be mended; where they could write, a person has to look first. A file that
// others can write is mended, as closing it is all that can be done about it; a folder
// may hold what they put there. Its repair is closeFile. The mode is compared for
// others alone: what the user may do with a file of their own is their affair.
func (e *examination) mode(name, path string, info fs.FileInfo, want fs.FileMode) {
	perm := info.Mode().Perm()
	cure := fmt.Sprintf("chmod %o %s", want, path)
	switch {
	case perm&0o077 == 0:
		e.add(agentcheck.OK, name, "", "%s, mode %04o, yours", path, perm)
	case perm&0o022 != 0 && info.IsDir():
		e.add(agentcheck.Fail, name, "look what is in it, then: "+cure, "%s can be written by others (mode %04o)", path, perm)
	default:
		c := e.add(agentcheck.Fail, name, cure, "%s is open to others (mode %04o)", path, perm)
		c.repair = &agentcheck.Repair{Key: "mode " + path, Do: func() (string, error) { return closeFile(path, want) }}
	}
}

// closeFile takes from others what they may do with path. Neither a link nor another
// user's file is touched. It only takes away: a mode that was tighter than want stays.
// The sentence says what was done, "" when there was nothing to do. The file is opened
// first and looked at afterwards, so that what is changed is what was looked at.
func closeFile(path string, want fs.FileMode) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // aoctl's own file
	if errors.Is(err, syscall.ENXIO) {                                                // a socket cannot be opened
		return closeSocket(path, want)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if ownerOf(info) != os.Geteuid() {
		return "", fmt.Errorf("%s belongs to user %d", path, ownerOf(info))
	}
	before := info.Mode().Perm()
	if before&0o077 == 0 {
		return "", nil
	}
	if err := f.Chmod(before & want); err != nil {
		return "", err
	}
	return fmt.Sprintf("mode of %s: %04o instead of %04o", path, before&want, before), nil
}

// closeSocket is closeFile for a socket, which cannot be opened to be looked at. Its
// folder was found to be this user's alone before, so nobody can exchange it in
// between.
func closeSocket(path string, want fs.FileMode) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Type() != fs.ModeSocket || ownerOf(info) != os.Geteuid() {
		return "", fmt.Errorf("%s is not a socket of yours", path)
	}
	if err := os.Chmod(path, want); err != nil { // in a folder that only we can write to
		return "", err
	}
	return fmt.Sprintf("mode of %s: %04o instead of %04o", path, want, info.Mode().Perm()), nil
}

// ownerOf is the user that a file belongs to, -1 when the system does not say. -1 is
// nobody's id, so such a file counts as somebody else's.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// holder looks who holds the socket's lock, and whether it is the one who serves. A
// socket whose lock nobody holds was left by a console that was killed; taking it away
// needs no person. The lock is only tried, never kept: a console that starts at this
// moment is not held up for longer than an instant.
func (e *examination) holder(ctx context.Context, socket string) {
	pid, held, err := state.Holder(socket)
	if err != nil {
		e.add(agentcheck.Fail, "lock", "start the console again", "%s: %v", socket+".lock", err)
		return
	}
	if !held {
		c := e.add(agentcheck.Warn, "lock", "start a console with: aoctl", "nobody holds it: the console that made the socket is gone, and every call behind a gate is refused")
		c.repair = &agentcheck.Repair{Key: "stale " + socket, Do: func() (string, error) { return removeStaleSocket(socket) }}
		return
	}
	e.add(agentcheck.OK, "lock", "", "held by process %d", pid)
	e.answers(ctx, socket, pid)
}

// removeStaleSocket lets the broker's own rule decide: it takes the lock, refuses a
// socket that somebody serves, and takes its socket away again when it closes. So a
// console that starts at this moment keeps its socket.
func removeStaleSocket(socket string) (string, error) {
	l, err := api.Listen(socket)
	if err != nil {
		return "", err
	}
	if err := l.Close(); err != nil {
		return "", err
	}
	return "removed the socket that an ended console left: " + socket, nil
}

// answers asks the console something that costs it nothing: a session that there is
// not. Only the head of the answer counts, which has the version of the protocol.
//
// The kernel says which process is at the other end. When that is not the one that
// holds the lock, somebody has put another socket in its place, and hooks refuse its
// answers. A token is never sent along: reading needs none, and what listens there may
// be anybody.
func (e *examination) answers(ctx context.Context, socket string, pid int) {
	var serving int
	hc := &http.Client{Timeout: answerTime, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := client.Dial(ctx, socket)
			if err == nil {
				serving, _ = client.PeerPID(conn) // 0 where it cannot be told
			}
			return conn, err
		},
	}}
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://aoctl/sessions/aoctl-doctor", nil)
	if err != nil {
		e.add(agentcheck.Fail, "answer", "", "%v", err)
		return
	}
	resp, err := hc.Do(req)
	if err != nil {
		failed, _ := errors.AsType[exit.Error](client.Unanswered(socket, err))
		e.add(agentcheck.Fail, "answer", failed.Hint, "%s", failed.Text)
		return
	}
	_ = resp.Body.Close() // only its head matters
	if serving != 0 && serving != pid {
		e.add(agentcheck.Fail, "answer", "end that process, then start the console again", "the socket was replaced: process %d serves it, and the console is process %d", serving, pid)
		return
	}
	switch protocol := resp.Header.Get(wire.HeaderProtocol); protocol {
	case wire.Version:
		e.add(agentcheck.OK, "answer", "", "in %v, protocol %s", time.Since(began).Round(100*time.Microsecond), protocol)
	case "":
		e.add(agentcheck.Fail, "answer", "end that process, then start a console with: aoctl", "what listens on %s does not answer like aoctl", socket)
		return
	default:
		e.add(agentcheck.Fail, "answer", "quit the console and start this one", "the console speaks protocol %s, this aoctl %s: every call is refused", protocol, wire.Version)
	}
	e.running(pid)
}

// started is what a console wrote into its log when it began. A line of an older
// release may lack some of it.
type started struct {
	Time    time.Time `json:"time"`
	Msg     string    `json:"msg"`
	PID     int       `json:"pid"`
	Version string    `json:"version"`
	Commit  string    `json:"commit"`
	Observe bool      `json:"observe"`
}

// running compares the console that runs with this program. They differ most often
// after an update, when the console was not started again. A log that does not say
// which one runs is skipped. Only what was logged under this process's number is
// compared.
func (e *examination) running(pid int) {
	s, ok := consoleStart(pid)
	mine := version.Read()
	switch {
	case !ok || s.Version == "":
		e.add(agentcheck.Skipped, "version", "", "the log does not say which version process %d is", pid)
	case s.Version != mine.Version || s.Commit != mine.Commit:
		e.add(agentcheck.Warn, "version", "quit the console and start it again", "the console is aoctl %s, this one %s", buildName(s.Version, s.Commit), buildName(mine.Version, mine.Commit))
	default:
		e.add(agentcheck.OK, "version", "", "aoctl %s, running for %s", buildName(s.Version, s.Commit), figures.Ago(time.Since(s.Time)))
	}
}

// buildName is a version with the beginning of its commit, as people compare them.
// Either may be "".
func buildName(version, commit string) string {
	return strings.TrimSpace(version + " " + commit[:min(len(commit), 12)])
}

// consoleStart finds in the program's log how the console with this pid began. A pid
// may come again, so the last such line counts. The log is read without waiting for a
// pipe in its place, and at most four times as much of it as it may hold. A line that
// is no JSON is passed over. One of more than a mebibyte ends the reading, and what
// was found until then counts.
func consoleStart(pid int) (s started, found bool) {
	path, err := paths.LogFile()
	if err != nil {
		return s, false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // aoctl's own log
	if err != nil {
		return s, false
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	lines := bufio.NewScanner(io.LimitReader(f, 4*state.MaxLogFile))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(state.StartedMsg)) {
			continue
		}
		var l started
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Msg == state.StartedMsg && l.PID == pid {
			s, found = l, true
		}
	}
	return s, found
}

// service looks at the broker that is to start with the login, where there is one.
func (e *examination) service(socket string) {
	program, err := os.Executable()
	if err != nil {
		return
	}
	s, err := autostart.Of(program, "serve")
	if err != nil {
		return
	}
	there, same := s.Installed()
	_, held, err := state.Holder(socket)
	switch {
	case !there:
	case !same:
		e.add(agentcheck.Warn, "service", "aoctl install --service", "%s runs another program than this one, %s", s.File, program)
	case err == nil && !held:
		e.add(agentcheck.Warn, "service", strings.Join(s.Start[len(s.Start)-1], " "), "%s is there, and no broker runs", s.File)
	default:
		e.add(agentcheck.OK, "service", "", "%s", s.File)
	}
}
