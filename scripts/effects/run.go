package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// patience is how long a line may run. What hangs has been traced until then.
const patience = 20 * time.Second

// calls are the system calls that are traced.
const calls = "trace=open,openat,openat2,creat,execve,execveat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,mknod,mknodat," +
	"chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,utimensat,setxattr,lsetxattr,removexattr,chdir,fchdir,clone,clone3,fork,vfork," +
	"connect,bind,listen,sendto,setuid,setgid,setreuid,setregid,setresuid,setresgid,setgroups,mount,umount2,sethostname,clock_settime,settimeofday,ptrace,kill,tgkill,chroot,unshare,setns,process_vm_readv"

// plainLine is a line that every shell surely reads alike.
var plainLine = regexp.MustCompile(`^[\w ./:=,+-]*$`)

// shellsFor are the shells that a line runs in.
func shellsFor(line string) [][]string {
	list := [][]string{{"bash", "--norc", "--noprofile", "-c", line}}
	if plainLine.MatchString(line) {
		return list
	}
	for _, other := range [][]string{{"dash", "-c", line}, {"zsh", "-f", "-c", line}} {
		if _, err := exec.LookPath(other[0]); err == nil {
			list = append(list, other)
		}
	}
	return list
}

// try runs a line in each shell and says what it did that was not named. dirty: it changed the world.
func (w *world) try(r *result) (dirty bool, err error) {
	for _, argv := range shellsFor(r.Text) {
		if dirty {
			if err := w.put("group"); err != nil {
				return false, err
			}
		}
		t, code, err := w.run(argv)
		if err != nil {
			return false, err
		}
		r.runs++
		r.missing = r.missing || code == 127
		for _, d := range w.unnamed(t, r.judged.set) {
			if d = argv[0] + ": " + d; !slices.Contains(r.defects, d) {
				r.defects = append(r.defects, d)
			}
		}
		dirty = t.wrote(w.root)
	}
	return dirty, nil
}

// run runs one program with a trace.
func (w *world) run(argv []string) (t trace, code int, err error) {
	dir, err := os.MkdirTemp("/mnt", "trace")
	if err != nil {
		return t, 0, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", slices.Concat([]string{"-ff", "-y", "-qq", "--seccomp-bpf", "-s", "4096", "-e", calls, "-e", "signal=none", "-o", dir + "/t"}, argv)...) //nolint:gosec // G204: the corpus is ours
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.project(), w.environ(), &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	_ = cmd.Run()
	if cmd.Process != nil { // what it left running
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	names, err := filepath.Glob(dir + "/t.*")
	if err != nil {
		return t, 0, err
	}
	texts := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name) //nolint:gosec // G304: a trace that was just written
		if err != nil {
			return t, 0, err
		}
		texts[strings.TrimPrefix(name, dir+"/t.")] = string(b)
	}
	t = readTrace(texts, w.project())
	t.output = out.String()
	return t, cmd.ProcessState.ExitCode(), nil
}
