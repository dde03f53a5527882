package main

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed recorder.c.txt
var recorder string

// insideArg is the first argument of the driver when it is to become a shell in the sandbox.
const insideArg = "-inside-the-sandbox"

// kinds are the shells that are tried, with what keeps them from reading any settings.
var kinds = []shell{
	{name: "bash", args: []string{"--norc", "--noprofile"}},
	{name: "dash"},
	{name: "zsh", args: []string{"-f"}},
	{name: "busybox", args: []string{"sh"}},
	{name: "mksh"},
}

type shell struct {
	name string
	args []string
	path string // in the sandbox
}

// sandbox is a folder that shells take for the root of the file system. The only programs in it
// are recorders, under many names; the shells lie where no line can guess.
type sandbox struct {
	root    string
	self    string // this driver
	shells  []shell
	missing []string
}

// newSandbox makes one in memory, or where that cannot be, on the disk.
func newSandbox(programs []string) (b *sandbox, err error) {
	for _, parent := range []string{"/dev/shm", ""} {
		b = &sandbox{}
		if b.root, err = os.MkdirTemp(parent, "aoctl-shells"); err != nil {
			continue
		}
		if err = b.fill(programs); err == nil {
			return b, nil
		}
		b.close()
	}
	return nil, err
}

func (b *sandbox) close() { _ = os.RemoveAll(b.root) }

func (b *sandbox) names() []string {
	var list []string
	for _, s := range b.shells {
		list = append(list, s.name)
	}
	return list
}

func (b *sandbox) fill(programs []string) error {
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	secret := "/" + rand.Text()
	for _, dir := range []string{"bin", "evil", "w", "dev", "tmp", secret} {
		if err := os.Mkdir(filepath.Join(b.root, dir), 0o700); err != nil {
			return err
		}
	}
	if err := b.recorders(programs); err != nil {
		return err
	}
	for _, s := range kinds {
		path, err := exec.LookPath(s.name)
		if err != nil {
			b.missing = append(b.missing, s.name)
			continue
		}
		s.path = secret + "/" + s.name
		if err := b.bring(path, s.path); err != nil {
			return err
		}
		b.shells = append(b.shells, s)
	}
	if len(b.shells) == 0 {
		return fmt.Errorf("%w: no shell", errCannot)
	}
	if _, err := b.run(b.shells[0], []line{{text: "m1"}}, false); err != nil {
		return fmt.Errorf("%w: no user namespaces: %w", errCannot, err)
	}
	return nil
}

// recorders makes the programs: hard links of one.
func (b *sandbox) recorders(programs []string) error {
	source, one := filepath.Join(b.root, "recorder.c"), filepath.Join(b.root, "bin/m1")
	if err := os.WriteFile(source, []byte(recorder), 0o600); err != nil {
		return err
	}
	if out, err := exec.CommandContext(context.Background(), "cc", "-O1", "-static", "-o", one, source).CombinedOutput(); err != nil { //nolint:gosec // G204: the compiler
		return fmt.Errorf("%w: the recorder cannot be compiled: %w: %s", errCannot, err, out)
	}
	for _, name := range programs {
		for _, dir := range []string{"bin", "evil"} {
			if err := os.Link(one, filepath.Join(b.root, dir, name)); err != nil && !errors.Is(err, os.ErrExist) {
				return err
			}
		}
	}
	return nil
}

// bring copies a program and the libraries that it is linked with.
func (b *sandbox) bring(from, to string) error {
	if err := copyFile(from, filepath.Join(b.root, to)); err != nil {
		return err
	}
	out, err := exec.CommandContext(context.Background(), "ldd", from).Output() //nolint:gosec // G204: a shell of this machine
	if err != nil {
		return nil //nolint:nilerr // it is linked with none
	}
	for _, word := range strings.Fields(string(out)) {
		if strings.HasPrefix(word, "/") {
			if err := copyFile(word, filepath.Join(b.root, word)); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from) //nolint:gosec // a shell or its library
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700) //nolint:gosec // in the sandbox
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// call is a program that ran.
type call struct {
	line int
	path string // its PATH
	argv []string
}

// run runs lines in a shell and gives the calls that they made.
func (b *sandbox) run(s shell, lines []line, each bool) ([]call, error) {
	if err := b.clean(); err != nil {
		return nil, err
	}
	if !each {
		return b.calls(s, script(lines))
	}
	var all []call
	for i, l := range lines {
		if err := b.clean(); err != nil {
			return nil, err
		}
		calls, err := b.calls(s, "-c", l.text)
		if err != nil {
			return nil, err
		}
		for _, c := range calls {
			c.line = i
			all = append(all, c)
		}
	}
	return append(all, call{line: len(lines)}), nil
}

// clean makes the working folder and the record new.
func (b *sandbox) clean() error {
	w := filepath.Join(b.root, "w")
	if err := os.RemoveAll(w); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(w, "src", "a"), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"a.txt", "b.txt", "src/main.go", "README.md"} {
		if err := os.WriteFile(filepath.Join(w, name), nil, 0o600); err != nil {
			return err
		}
	}
	record := filepath.Join(b.root, "record")
	return errors.Join(os.RemoveAll(record), os.Mkdir(record, 0o700), os.WriteFile(filepath.Join(b.root, "dev/null"), nil, 0o600))
}

// script runs each line by eval in a shell of its own kind, which costs a fork.
func script(lines []line) string {
	var text strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&text, "LINE_OF_TRIAL=%d; export LINE_OF_TRIAL\n(ulimit -t 1; eval '%s') </dev/null >/dev/null 2>&1\n", i, strings.ReplaceAll(l.text, "'", `'\''`))
	}
	fmt.Fprintf(&text, "wait\nLINE_OF_TRIAL=%d; m1\n", len(lines)) // a batch that took too long does not come here
	return text.String()
}

// calls starts the shell with a script or arguments, and reads the record.
func (b *sandbox) calls(s shell, args ...string) ([]call, error) {
	if len(args) == 1 {
		file := filepath.Join(filepath.Dir(s.path), "script")
		if err := os.WriteFile(filepath.Join(b.root, file), []byte(args[0]), 0o600); err != nil {
			return nil, err
		}
		args = []string{file}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, b.self, append(append([]string{insideArg, b.root, s.path}, s.args...), args...)...) //nolint:gosec // ourselves
	c.Env = []string{"PATH=/bin", "HOME=/w", "LINE_OF_TRIAL=0"}
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Setpgid:     true,
	}
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	c.WaitDelay = time.Second
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || exit != nil && strings.HasPrefix(said.String(), insideArg) {
		return nil, fmt.Errorf("%s in the sandbox: %w: %s", s.name, err, said.String())
	}
	return readRecord(filepath.Join(b.root, "record"))
}

// readRecord reads what the recorders wrote, a file for each line and one for calls that hid theirs.
func readRecord(dir string) ([]call, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []call
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name())) //nolint:gosec // in the sandbox
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(file.Name())
		if err != nil {
			n = -1
		}
		for text := range strings.SplitSeq(strings.TrimSuffix(string(data), "\036"), "\036") {
			if words := strings.Split(text, "\037"); len(words) > 1 { // else a program without any word
				all = append(all, call{line: n, path: words[0], argv: words[1:]})
			}
		}
	}
	return all, nil
}

// inside makes this process, which has namespaces of its own, the shell: within small limits,
// and with the sandbox for its root.
func inside(args []string) error {
	for what, most := range map[int]uint64{syscall.RLIMIT_FSIZE: 1 << 20, syscall.RLIMIT_CPU: 50, syscall.RLIMIT_CORE: 0, syscall.RLIMIT_AS: 1 << 30} {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	if err := errors.Join(syscall.Chroot(args[0]), syscall.Chdir("/w")); err != nil {
		return err
	}
	return syscall.Exec(args[1], args[1:], os.Environ()) //nolint:gosec // G204: what this program was given to run
}
