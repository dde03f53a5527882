package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing/iotest"
	"time"
)

// processes are clients that are starved, signalled and killed.
func processes() []fault {
	const guard = "aoctl: hook client failed, call refused"
	list := []fault{
		{name: "the program is missing", onlyLine: true, words: []string{guard}, alter: generous(missing)},
		{name: "the program is not executable", onlyLine: true, words: []string{guard}, alter: generous(notExecutable)},
		{name: "the program is another one that fails", onlyLine: true, words: []string{guard}, alter: generous(func(_ *world, s *start) { s.replaceProgram("/bin/false") })},
		{name: "memory: 96 MiB", onlyLine: true, either: true, words: []string{"fatal error:"}, alter: wraps(`ulimit -v 98304; exec "$@"`)},
		{name: "memory: 16 MiB", onlyLine: true, words: []string{guard}, alter: wraps(`ulimit -v 16384; exec "$@"`)},
		{name: "descriptors: 3", onlyLine: true, alter: generous(func(_ *world, s *start) {
			s.line = "ulimit -n 3; " + s.line // of the shell, because one that is limited from the start cannot start
		})},
		{name: "descriptors: 4", either: true, alter: wraps(`ulimit -n 4; exec "$@"`)},
		{name: "descriptors: 5", either: true, alter: wraps(`ulimit -n 5; exec "$@"`)},
		{name: "no processor time left", onlyLine: true, slow: true, words: []string{guard}, timeout: time.Minute, alter: generous(func(_ *world, s *start) {
			s.wrap, s.stdin = `ulimit -t 1; exec "$@"`, iotest.OneByteReader(letters{}) // its time is over long before it has read too much
		})},
		{name: "its parent dies", onlyBare: true, words: []string{"the process that started this hook is gone"}, timeout: 4 * time.Second, prepare: saysWait, alter: func(_ *world, s *start) {
			s.wrap, s.orphan = `"$@"; :`, true
		}, meanwhile: whenAskedAgain(func(p *running, _ int) error { return p.cmd.Process.Kill() })},
		{name: "the agent dies", words: []string{"the agent is gone"}, timeout: 4 * time.Second, prepare: mortalAgent, alter: func(w *world, s *start) {
			s.env["CLAUDE_PID"] = strconv.Itoa(w.agent.Pid)
		}, meanwhile: func(w *world, p *running) error {
			time.Sleep(1500 * time.Millisecond) // a second after its start the client looks whether there is one
			return whenAskedAgain(func(*running, int) error { return w.agent.Kill() })(w, p)
		}},
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS} {
		list = append(list, fault{
			name: name(sig) + " while it waits", words: []string{"ended the wait before there was an answer (" + sig.String()},
			prepare: saysWait, meanwhile: whenAskedAgain(kills(sig)), timeout: 4 * time.Second,
		})
	}
	list = append(list, fault{name: "SIGPIPE while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGPIPE)), words: []string{"aoctl"}})
	list = append(list, fault{
		name: "SIGKILL while it waits", onlyLine: true, words: []string{guard}, prepare: serving(holds), timeout: 4 * time.Second,
		meanwhile: func(_ *world, p *running) error {
			pid, err := p.waiting()
			if err == nil && pid != 0 {
				err = kills(syscall.SIGKILL)(p, pid)
			}
			return err
		},
	})
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGQUIT, syscall.SIGSEGV, syscall.SIGKILL} {
		list = append(list, fault{
			name: name(sig) + " at a random moment", onlyLine: true, either: true, alter: generous(nil),
			meanwhile: func(w *world, p *running) error {
				pause := w.upTo(12 * time.Millisecond)
				pid := p.find()
				time.Sleep(pause)
				if pid == 0 {
					return nil
				}
				return kills(sig)(p, pid)
			},
		})
	}
	return list
}

func name(sig syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT", syscall.SIGPIPE: "SIGPIPE",
		syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGUSR1: "SIGUSR1",
	}
	return names[sig]
}

func kills(sig syscall.Signal) func(p *running, pid int) error {
	return func(_ *running, pid int) error {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) { // it may just have ended
			return err
		}
		return nil
	}
}

// whenAskedAgain acts once the client has asked a second time: then it is past its first
// few milliseconds, in which it cannot catch a signal. Its console says wait, and no more.
func whenAskedAgain(act func(p *running, pid int) error) func(*world, *running) error {
	return func(w *world, p *running) error {
		select {
		case <-w.again:
		case <-p.ended:
			return errors.New("the client did not ask again")
		}
		pid := p.find()
		if pid == 0 {
			return errors.New("the client is gone")
		}
		return act(p, pid)
	}
}

func saysWait(w *world) error {
	return w.falsely(waitOnly(func() {
		select {
		case w.again <- struct{}{}:
		default:
		}
	}))
}

// waitOnly says wait once, and then nothing; again is called when it was asked again.
func waitOnly(again func()) reply {
	return func(c net.Conn, q question) error {
		if strings.HasSuffix(q.path, "/r-1") {
			again()
			return nil
		}
		return wait.reply(c, q)
	}
}

func (s *start) replaceProgram(by string) {
	s.line = strings.Replace(s.line, "'"+s.client.program()+"'", "'"+by+"'", 1)
}

func missing(w *world, s *start) { s.replaceProgram(w.dir + "/removed/aoctl") }

func notExecutable(w *world, s *start) {
	path, err := w.write("aoctl-"+strconv.Itoa(os.Getpid()), "#!/bin/sh\nexit 0\n")
	if err == nil {
		s.replaceProgram(path)
	}
}

// mortalAgent is a process that a hook takes for its agent, and a console that says wait.
func mortalAgent(w *world) error {
	cmd := exec.Command("sleep", "60") //nolint:noctx // ended with its world
	if err := cmd.Start(); err != nil {
		return err
	}
	w.agent = cmd.Process
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	w.atEnd(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return saysWait(w)
}
