package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func serving(mode string) func(w *world) error {
	return func(w *world) error {
		_, err := w.serve(mode)
		return err
	}
}

// controls are calls that must come through, so that a run can tell a refusal from a
// broken client.
func controls() []fault {
	return []fault{
		{name: "control: a person allows", want: allow, prepare: serving(allows)},
		{name: "control: a rule allows", want: allow, prepare: serving(ruleAllows)},
		{name: "control: a console that observes", want: left, prepare: serving(observes)},
	}
}

// causes are the refusals that must read unlike each other (threat 2).
func causes() []fault {
	return []fault{
		{name: "a person denies", cause: "person", words: []string{"A person denied this call in aoctl", "ask what to do instead"}, prepare: serving(denies)},
		{name: "a person denies and says why", cause: "person, why", words: []string{"A person denied this call in aoctl", "use the staging box"}, prepare: serving(explains)},
		{name: "a rule denies", cause: "rule", words: []string{"A rule in aoctl denied this call", "verdict trial", "(rule ", "asking again changes nothing"}, prepare: serving(ruleDenies)},
		{name: "nobody answers in time", cause: "time", words: []string{"Nobody answered in aoctl within 1s", "ask the user before trying again"}, prepare: serving(holds), timeout: time.Second},
		{name: "the session is stopped", cause: "stop", words: []string{"Stopped by the user in aoctl", "until the user speaks again"}, prepare: serving(stops)},
		{name: "the call cannot be recorded", cause: "record", words: []string{"record"}, prepare: serving(fullAtOnce)},
		{name: "the decision cannot be recorded", cause: "record, later", words: []string{"could not be recorded"}, prepare: serving(fullLater)},
	}
}

// places are consoles that are not there, or not what they should be.
func places() []fault {
	const cure = `start one with "aoctl"`
	return []fault{
		{name: "no console", cause: "no console", words: []string{"no console is listening", cure}},
		{name: "no state folder", words: []string{"no console is listening", cure}, prepare: func(w *world) error { return os.Remove(w.home) }},
		{name: "the console has ended", words: []string{"no console is listening", cure}, prepare: func(w *world) error {
			c, err := w.serve(holds)
			if err == nil {
				c.kill()
			}
			return errors.Join(err, older(w.socket+".lock"))
		}},
		{name: "socket of mode 000", words: []string{"no permission", "chmod"}, prepare: func(w *world) error {
			return errors.Join(serving(allows)(w), os.Chmod(w.socket, 0))
		}, skip: rootMay("open a socket of mode 000")},
		{name: "a regular file", words: []string{"a regular file, not a socket", "move it away"}, prepare: func(w *world) error { return os.WriteFile(w.socket, []byte(allowed), 0o600) }},
		{name: "a folder", words: []string{"a folder, not a socket"}, prepare: func(w *world) error { return os.Mkdir(w.socket, 0o700) }},
		{name: "a loop of links", words: []string{"a symbolic link, not a socket"}, prepare: func(w *world) error { return os.Symlink(w.socket, w.socket) }},
		{name: "a link to a living socket", words: []string{"a symbolic link, not a socket"}, prepare: func(w *world) error { return os.Symlink(w.lab.world.socket, w.socket) }},
		{name: "a FIFO", words: []string{"a FIFO, not a socket"}, prepare: func(w *world) error { return syscall.Mkfifo(w.socket, 0o600) }},
		{name: "a folder that others can write", words: []string{"not private", "chmod 700"}, prepare: func(w *world) error {
			return errors.Join(serving(allows)(w), os.Chmod(w.home, 0o777)) //nolint:gosec // G302: that is the fault
		}},
		{name: "a server that is not aoctl", words: []string{"it is not aoctl"}, prepare: func(w *world) error {
			return errors.Join(w.falsely(answer{body: allowed}.reply), os.Remove(w.socket+".lock"))
		}},
		{name: "a server beside the console's lock", words: []string{"the console there is process 1"}, prepare: func(w *world) error {
			return errors.Join(w.falsely(answer{body: allowed}.reply), w.lock(1))
		}},
		{name: "a socket of another user", words: []string{"belongs to user id 65534"}, prepare: func(w *world) error {
			return errors.Join(w.falsely(answer{body: allowed}.reply), os.Chown(w.socket, 65534, 65534))
		}, skip: needsRoot},
		{name: "a path that is too long", words: []string{"longer than 103 bytes"}, alter: func(w *world, s *start) {
			s.env["AOCTL_SOCKET"] = filepath.Join(w.dir, strings.Repeat("long/", 30), "s")
		}},
		{name: "a read-only state folder", words: []string{"no console is listening"}, prepare: func(w *world) error { return os.Chmod(w.home, 0o500) }}, //nolint:gosec // G302: a folder
		{name: "a queue that is full", words: []string{"does not answer"}, prepare: crowded},
	}
}

// ends are consoles that stop, die and come back while a call waits.
func ends() []fault {
	return []fault{
		{name: "console stopped past the deadline", words: []string{"does not answer", "kill -CONT"}, prepare: serving(holds), meanwhile: whenWaiting((*console).pause)},
		{name: "console stopped before the call", words: []string{"does not answer", "kill -CONT"}, prepare: func(w *world) error {
			c, err := w.serve(allows)
			if err == nil {
				c.pause()
			}
			return err
		}},
		{name: "console stopped, then going on too late", words: []string{"does not answer"}, prepare: serving(holds), meanwhile: func(w *world, p *running) error {
			err := p.console.await("pending")
			p.console.pause()
			<-p.ended
			p.console.signal(syscall.SIGCONT)
			return err
		}},
		{name: "console killed while the call waits", words: []string{"the console ended while this call waited", "start it again"}, prepare: serving(holds), meanwhile: whenWaiting((*console).kill)},
		{name: "console killed at a random moment", either: true, prepare: serving(allows), meanwhile: func(w *world, p *running) error {
			time.Sleep(w.upTo(20 * time.Millisecond))
			p.console.kill()
			return nil
		}},
		{name: "killed, started again, then denied", words: []string{"A person denied"}, timeout: 10 * time.Second, prepare: serving(holds), meanwhile: restarted(denies)},
		{name: "control: killed, started again, allowed", want: allow, timeout: 10 * time.Second, prepare: serving(holds), meanwhile: restarted(allows)},
	}
}

func (c *console) pause() { c.signal(syscall.SIGSTOP) }

func whenWaiting(act func(*console)) func(*world, *running) error {
	return func(_ *world, p *running) error {
		err := p.console.await("pending")
		act(p.console)
		return err
	}
}

func restarted(mode string) func(*world, *running) error {
	return func(w *world, p *running) error {
		if err := p.console.await("pending"); err != nil {
			return err
		}
		p.console.kill()
		_, err := w.serve(mode)
		return err
	}
}

// crowded listens and takes no connection, with its queue full.
func crowded(w *world) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	w.atEnd(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: w.socket}), syscall.Listen(fd, 0), w.lock(os.Getpid())); err != nil {
		return err
	}
	for { // fill the queue
		var d net.Dialer
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		c, err := d.DialContext(ctx, "unix", w.socket)
		cancel()
		if err != nil {
			return nil //nolint:nilerr // that it is full is what was wanted
		}
		w.atEnd(func() { _ = c.Close() })
	}
}

// older makes a file look as if it had been there for a while: a fresh lock file means
// that a console is just coming up, for which a client waits.
func older(path string) error {
	then := time.Now().Add(-time.Hour)
	return os.Chtimes(path, then, then)
}

func (w *world) upTo(d time.Duration) time.Duration {
	return time.Duration(w.random.Int64N(int64(d)))
}

func rootMay(what string) func() string {
	return func() string {
		if os.Geteuid() == 0 {
			return "root may " + what
		}
		return ""
	}
}

func needsRoot() string {
	if os.Geteuid() != 0 {
		return "needs root"
	}
	return ""
}
