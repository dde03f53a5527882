//go:build linux || darwin

package proctree

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary end a tree as another user.
func TestMain(m *testing.M) {
	if text := os.Getenv("PROCTREE_END"); text != "" {
		var t Target
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			panic(err)
		}
		t.pace = &quick
		r, err := End(context.Background(), t)
		if err != nil {
			panic(err)
		}
		_ = json.NewEncoder(os.Stdout).Encode(r)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// quick is patience for tests: what ignores a request is killed soon.
var quick = patience{hold: 2 * time.Second, grace: 200 * time.Millisecond, kill: 2 * time.Second, pause: 10 * time.Millisecond}

// agent is a shell that plays an agent.
type agent struct {
	t      *testing.T
	cmd    *exec.Cmd
	folder string
	said   map[string]int // pids by name
	target Target
}

// play runs script as an agent's process, in a group of its own like a shell's job, and
// waits until it has said "ready" and told of all names. A line "name pid" tells of a process.
func play(t *testing.T, script string, names ...string) *agent {
	t.Helper()
	a := &agent{t: t, folder: t.TempDir(), said: map[string]int{}}
	a.cmd = exec.CommandContext(t.Context(), "sh", "-c", script)
	a.cmd.Dir = a.folder
	a.cmd.Env = append(os.Environ(), "CLAUDE_CODE_SESSION_ID=proctree-"+filepath.Base(a.folder)+"-"+strconv.Itoa(os.Getpid()))
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = End(context.Background(), a.target) // also what a failing test left
		_ = a.cmd.Wait()
	})
	a.listen(out, names)
	a.target = Target{
		PID: a.cmd.Process.Pid, Start: start(t, a.cmd.Process.Pid), Folder: a.folder, pace: &quick,
		SessionID: strings.TrimPrefix(a.cmd.Env[len(a.cmd.Env)-1], "CLAUDE_CODE_SESSION_ID="),
	}
	return a
}

func (a *agent) listen(out io.Reader, names []string) {
	a.t.Helper()
	ready := false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, pid, _ := strings.Cut(lines.Text(), " ")
		if name == "ready" {
			ready = true
		} else {
			n, err := strconv.Atoi(strings.TrimSpace(pid))
			if err != nil {
				a.t.Fatalf("the agent said %q", lines.Text())
			}
			a.said[name] = n
		}
		if ready && !slices.ContainsFunc(names, func(name string) bool { return a.said[name] == 0 }) {
			return
		}
	}
	a.t.Fatal("the agent ended before it was ready")
}

func start(t *testing.T, pid int) uint64 {
	t.Helper()
	list, err := machine().list()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.PID == pid {
			return p.Start
		}
	}
	t.Fatalf("process %d is not there", pid)
	return 0
}

// runs reports whether pid is a process that runs.
func runs(t *testing.T, pid int) bool {
	t.Helper()
	list, err := machine().list()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.PID == pid {
			return !p.dead
		}
	}
	return false
}

func (a *agent) end() Report {
	a.t.Helper()
	r, err := End(a.t.Context(), a.target)
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

func (r Report) of(pid int) Found {
	for _, f := range r.Processes {
		if f.PID == pid {
			return f
		}
	}
	return Found{}
}

// sheds is a script's way to leave the tree: a child whose parent ends at once.
const sheds = `
(setsid sh -c 'echo setsid $$; exec sleep 1000' &)
(nohup sh -c 'echo nohup $$; exec sleep 1000' 2>/dev/null &)
(setsid sh -c '(sh -c "echo double \$\$; exec sleep 1000" &)' &)
`

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("needs %s", p)
		}
	}
}

func TestEndsWhatLeftTheTree(t *testing.T) {
	needs(t, "setsid", "nohup")
	a := play(t, sheds+`
sh -c 'echo child $$; sleep 1000 & echo grandchild $!; wait' &
echo ready; wait; sleep 1000`, "setsid", "nohup", "double", "child", "grandchild")
	before, err := Find(a.target)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"setsid", "nohup", "double", "child", "grandchild"} {
		f := before.of(a.said[name])
		t.Logf("%s: %d counts because: %s", name, f.PID, f.Why)
		if f.PID == 0 || f.Fate != Running || f.Why == "" {
			t.Errorf("%s (%d) was not found: %+v", name, a.said[name], f)
		}
	}
	if !runs(t, a.said["child"]) {
		t.Fatal("looking ended something")
	}
	r := a.end()
	for name, pid := range a.said {
		if f := r.of(pid); runs(t, pid) || f.Fate != Ended {
			t.Errorf("%s (%d): runs %v, reported %+v", name, pid, runs(t, pid), f)
		}
	}
	if !r.Over() || runs(t, a.target.PID) {
		t.Errorf("the end: %+v", r)
	}
}

func TestKillsWhatDoesNotListen(t *testing.T) {
	a := play(t, `
sh -c 'trap "" TERM; echo deaf $$; while :; do sleep 1; done' &
sh -c 'echo held $$; kill -STOP $$; sleep 1000' &
sleep 0.2; trap "" TERM; echo ready; wait; sleep 1000`, "deaf", "held")
	slow := quick
	slow.grace = 2 * time.Second // what was held needs a moment to end when it is asked
	a.target.pace = &slow
	r := a.end()
	for _, name := range []string{"deaf", "held"} {
		if runs(t, a.said[name]) || r.of(a.said[name]).Fate != Ended {
			t.Errorf("%s: %+v", name, r.of(a.said[name]))
		}
	}
	if f := r.of(a.said["deaf"]); !strings.Contains(f.Note, "killed") {
		t.Errorf("what ignored the request: %+v, want a word that it was killed", f)
	}
	if f := r.of(a.said["held"]); f.Note != "" {
		t.Errorf("what had been stopped: %+v, want it to end when asked", f)
	}
}

func TestAZombieIsNoSurvivor(t *testing.T) {
	a := play(t, `sh -c 'exit 0' & echo zombie $!; echo ready; exec sleep 1000`, "zombie")
	for runs(t, a.said["zombie"]) {
		time.Sleep(time.Millisecond)
	}
	r := a.end()
	if f := r.of(a.said["zombie"]); f.PID != 0 || !r.Over() {
		t.Errorf("%+v", r)
	}
}

func TestEndsWhatForksFast(t *testing.T) {
	for name, script := range map[string]string{ // both end by themselves, should nothing end them
		"one after the other": `[ "$1" -gt 20000 ] || sh "$0" $(($1 + 1)) & exit`,
		"more and more":       `[ "$1" -gt 500 ] || sh "$0" $(($1 + 1)) & exec sleep 30`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fork.sh")
			if err := os.WriteFile(path, []byte(script+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			a := play(t, `trap "" TERM; sh "`+path+`" 0 & echo ready; sleep 1000; sleep 1000`)
			r := a.end()
			t.Logf("%d processes, %q", len(r.Processes), r.Unfinished)
			again, err := Find(a.target)
			if err != nil {
				t.Fatal(err)
			}
			left := again.Count(Running)
			if left > 0 && r.Over() {
				t.Errorf("%d processes run on and the report says that it is over", left)
			}
		})
	}
}

func TestWhatCannotBeShownIsLeftAlone(t *testing.T) {
	needs(t, "setsid")
	if runtime.GOOS != "linux" {
		t.Skip("needs the working directory of other processes")
	}
	a := play(t, `(env -i /usr/bin/env setsid sh -c '(echo stranger $$; exec sleep 1000)' &) ; echo ready; sleep 1000`, "stranger")
	pid := a.said["stranger"]
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	r := a.end()
	if f := r.of(pid); f.Fate != Unsure || !runs(t, pid) {
		t.Errorf("%+v", f)
	}
	if !r.Over() {
		t.Errorf("%+v", r)
	}
}

func TestNeverUsOrAboveUs(t *testing.T) {
	r, err := End(t.Context(), Target{PID: os.Getpid(), Start: start(t, os.Getpid()), pace: &quick, Spare: []int{os.Getppid()}})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.of(os.Getpid()); f.Fate != Spared || r.Over() {
		t.Errorf("%+v", r)
	}
}

// TestAnotherUsersProcess: it cannot be ended, and the report says so.
func TestAnotherUsersProcess(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	if os.Getuid() != 0 {
		t.Skip("needs root, to have processes of two users")
	}
	dir, err := os.MkdirTemp("", "proctree") //nolint:usetesting // another user must reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	own, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "end"), own, 0o755), os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, "end"), 0o755))
	}
	if err != nil {
		t.Skip("needs a copy of itself: ", err)
	}
	a := play(t, `sh -c 'echo child $$; exec sleep 1000' & echo ready; sleep 1000`, "child")
	text, err := json.Marshal(Target{PID: a.target.PID, Start: a.target.Start})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "end"))
	cmd.Env = []string{"PROCTREE_END=" + string(text)}
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{a.target.PID, a.said["child"]} {
		if f := r.of(pid); f.Fate != Survived || !strings.Contains(f.Note, fmt.Sprintf("belongs to user %d", os.Getuid())) || !runs(t, pid) {
			t.Errorf("%d: %+v", pid, f)
		}
	}
	if r.Over() {
		t.Error("the report says that it is over")
	}
}
