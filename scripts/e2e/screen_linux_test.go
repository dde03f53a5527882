package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() { scriptCommands["screen"] = cmdScreen }

// screen is a program at a terminal of 120 × 40 cells.
type screen struct {
	cmd    *exec.Cmd
	master *os.File
	ended  chan struct{}
	err    error // how it ended; to be read once ended is closed

	mu  sync.Mutex
	out bytes.Buffer // all that was drawn

	heard int // bells that were counted
}

// screens are the terminals of a script.
type screens struct {
	named map[string]*screen
	at    string
}

// typed is what a terminal sends for what cannot be typed in a script.
var typed = strings.NewReplacer("<enter>", "\r", "<esc>", "\x1b", "<ctrl+z>", "\x1a", "<focus>", "\x1b[I", "<blur>", "\x1b[O")

// cmdScreen runs a program at a terminal:
//
//	screen start PROGRAM ARG…
//	screen to NAME            what follows is about the terminal of that name; the first one is ""
//	screen env NAME REGEXP    the variable gets the last text that was drawn and fits
//	screen waitfor TEXT       the text was drawn
//	screen press KEY WHAT     press a key again and again until WHAT is met: gone, pending N, answered PROGRAM ARG…, or a text that is drawn anew
//	screen type TEXT          type it once; <enter>, <esc>, <ctrl+z>, <focus> and <blur> in it are what a terminal sends for these
//	screen bells N            the terminal was sent so many bells since the last time that was asked
//	screen osc TEXT           the terminal was sent this text in a sequence of that kind
//	screen notices            nothing but the console's own sequences was sent, and notifications of plain words
//	screen early KEY          press it as soon as a call is drawn: it decides nothing
//	screen again KEY TEXT     press a key again and again until TEXT is drawn
//	screen allow WHAT         type the digits that a dangerous call asks for, again and again until WHAT is met, as for press
//	screen settle             the shown card has been there for longer than the console stays deaf
//	screen clean              nothing but the console's own sequences was sent to the terminal
//	screen hangup             the terminal goes away
//	screen signal NAME        INT, TERM, KILL, HUP, STOP or CONT
//	screen exits CODE         the program has ended with that code
func cmdScreen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: screen start|waitfor|press|again|allow|settle|type|clean|hangup|signal|exits …")
	}
	values, ok := ts.Value(consoleKey{}).(*scriptConsole)
	if !ok {
		ts.Fatalf("no place to keep the terminal")
	}
	all, ok := values.screens.(*screens)
	if !ok {
		all = &screens{named: map[string]*screen{}}
		values.screens = all
	}
	switch {
	case args[0] == "start" && len(args) > 1:
		s, err := startScreen(ts, args[1:])
		ts.Check(err)
		all.named[all.at] = s
		ts.Defer(s.kill)
		return
	case args[0] == "to":
		all.at = strings.Join(args[1:], " ")
		return
	}
	s := all.named[all.at]
	if s == nil {
		ts.Fatalf("no program was started")
	}
	switch rest := strings.Join(args[1:], " "); args[0] {
	case "env":
		if len(args) != 3 {
			ts.Fatalf("usage: screen env NAME REGEXP")
		}
		fits, err := regexp.Compile(args[2])
		ts.Check(err)
		var found []string
		if !eventually(func() bool { found = fits.FindAllString(s.text(), -1); return len(found) > 0 }) {
			ts.Fatalf("nothing that fits %s was drawn; this was:\n%s", fits, s.text())
		}
		ts.Setenv(args[1], found[len(found)-1])
	case "waitfor":
		if !eventually(func() bool { return strings.Contains(s.text(), rest) }) {
			ts.Fatalf("%q was not drawn; this was:\n%s", rest, s.text())
		}
	case "press":
		ts.Check(s.press(ts, args[1:]))
	case "type":
		_, err := s.master.WriteString(typed.Replace(rest))
		ts.Check(err)
	case "again":
		ts.Check(s.again(args[1:]))
	case "early":
		ts.Check(s.early(ts, rest))
	case "allow":
		ts.Check(s.allow(ts, args[1:]))
	case "settle":
		<-time.After(settled) // a real console at a real clock: nothing else tells that it hears again
	case "clean":
		s.mu.Lock()
		found := dirt(s.out.Bytes())
		s.mu.Unlock()
		if found != "" {
			ts.Fatalf("the terminal was sent %s", found)
		}
	case "bells":
		want, err := strconv.Atoi(rest)
		ts.Check(err)
		n := 0 // one that lacks may be on its way
		if !eventually(func() bool { n += s.bells(); return n >= want }) || n != want {
			ts.Fatalf("%d bells, want %d", n, want)
		}
	case "osc":
		if !eventually(func() bool { return s.sent("\x1b]" + rest + "\x1b\\") }) {
			ts.Fatalf("the terminal was not sent %q", rest)
		}
	case "notices":
		s.mu.Lock()
		rest, notices := withoutNotices(s.out.Bytes())
		s.mu.Unlock()
		if found := dirt(rest); found != "" || notices == 0 {
			ts.Fatalf("beside %d notifications the terminal was sent %s", notices, found)
		}
	case "hangup":
		ts.Check(s.master.Close())
	case "signal":
		signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT}
		ts.Check(s.cmd.Process.Signal(signals[rest]))
		for begun := time.Now(); rest == "STOP" && !stands(s.cmd.Process.Pid); <-time.After(time.Millisecond) {
			if time.Since(begun) > time.Minute {
				ts.Fatalf("the program goes on after SIGSTOP")
			}
		}
	case "exits":
		code, err := s.wait()
		ts.Check(err)
		if strconv.Itoa(code) != rest {
			ts.Fatalf("exit code %d, want %s; drawn:\n%s", code, rest, s.text())
		}
	default:
		ts.Fatalf("unknown: screen %s", args[0])
	}
}

// stands reports whether every thread of a process was stopped: one of them may go on for a
// moment after the signal was sent.
func stands(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is well-formed
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		if _, rest, _ := strings.Cut(string(stat), ") "); err == nil && !strings.HasPrefix(rest, "T") {
			return false
		}
	}
	return len(threads) > 0
}

func startScreen(ts *testscript.TestScript, args []string) (*screen, error) {
	master, slave, err := openPTY()
	if err != nil {
		return nil, err
	}
	defer func() { _ = slave.Close() }()
	s := &screen{master: master, ended: make(chan struct{})}
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Dir = ts.Getenv("WORK")
	s.cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8"}
	for _, name := range []string{"PATH", "HOME", "AOCTL_HOME", "TMPDIR", "NO_COLOR", "WORK"} {
		s.cmd.Env = append(s.cmd.Env, name+"="+ts.Getenv(name))
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	go s.read()
	go func() {
		defer close(s.ended)
		s.err = s.cmd.Wait()
	}()
	return s, nil
}

func openPTY() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, slave, nil
}

func (s *screen) read() {
	buf := make([]byte, 16<<10)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		s.out.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// text is all that was drawn so far, without colours and movements.
func (s *screen) text() string { return s.textBehind(0) }

// textBehind is the text of what was drawn behind so many bytes.
func (s *screen) textBehind(bytes int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ansi.Strip(string(s.out.Bytes()[bytes:]))
}

// sent reports whether the terminal was sent these bytes.
func (s *screen) sent(raw string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.out.Bytes(), []byte(raw))
}

// bells counts the bells since the last time.
func (s *screen) bells() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := bytes.Count(s.out.Bytes(), []byte{'\a'})
	n := all - s.heard
	s.heard = all
	return n
}

// settled is longer than the console stays deaf after its card changed.
const settled = 700 * time.Millisecond

// presses is a key that is pressed again and again, slower each time: a machine that is short of
// time reads keys late and in bursts, and the console takes no decision from those.
type presses struct {
	s     *screen
	key   string
	pause time.Duration
	next  time.Time
}

// due presses the key when it is time to.
func (p *presses) due() error {
	if time.Now().Before(p.next) {
		return nil
	}
	p.pause = max(settled, min(p.pause*3/2, 8*settled))
	if p.key == "<ctrl+z>" || p.key == "y" {
		// A second ctrl+z takes back the question that the first one asks, and a y that comes when the broker
		// has left, or has not, is for what is drawn then.
		p.pause = 8 * settled
	}
	p.next = time.Now().Add(p.pause)
	_, err := p.s.master.WriteString(typed.Replace(p.key))
	return err
}

// again presses a key until a text was drawn at any time.
func (s *screen) again(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: screen again KEY TEXT")
	}
	text := strings.Join(args[1:], " ")
	keys := presses{s: s, key: args[0], next: time.Now().Add(settled)}
	if !eventually(func() bool {
		if strings.Contains(s.text(), text) {
			return true
		}
		_ = keys.due() // the end of the program is seen by what is not drawn
		return false
	}) {
		return fmt.Errorf("pressing %q did not draw %q but:\n%s", args[0], text, s.text())
	}
	return nil
}

// earlyEnough is well within the time for which the console takes no decision on a card that came.
const earlyEnough = 300 * time.Millisecond

// early has calls asked, and presses a key as soon as one is drawn, until it came early enough to be a key that the
// call slid under: it must decide nothing then. On a machine that is short of time the card may have been there
// for long; what the key does then proves nothing.
func (s *screen) early(ts *testscript.TestScript, key string) error {
	api := newScriptAPI(ts.Getenv("AOCTL_HOME"))
	for try := range 20 {
		command, before := fmt.Sprintf("make early%d", try), s.drawn()
		ask, err := hostileHook(ts, map[string]any{
			"session_id": "s-0", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command}, "tool_use_id": command,
		})
		if err != nil {
			return err
		}
		shown := func(text string) bool { return strings.Contains(s.textBehind(before), text) }
		var unseen time.Time
		if !eventually(func() bool {
			looked := time.Now()
			ok := shown(command)
			if !ok {
				unseen = looked
			}
			return ok
		}) {
			return fmt.Errorf("%q was not drawn: %s", command, ask.saidSoFar())
		}
		if _, err := s.master.WriteString(key); err != nil {
			return err
		}
		took := time.Since(unseen)
		decided := func() bool { ok, _ := api.pending("0"); return ok }
		if !eventually(func() bool { return shown("just came up") || decided() }) {
			return fmt.Errorf("nothing came of %q; drawn:\n%s", key, s.text())
		}
		switch {
		case !decided():
			if err := s.press(ts, []string{"d", "pending", "0"}); err != nil {
				return err
			}
			return ask.end()
		case took <= earlyEnough:
			return fmt.Errorf("%q decided a call that had been there for %s at the most: %s", key, took, ask.saidSoFar())
		}
		if err := ask.end(); err != nil {
			return err
		}
	}
	return errors.New("this machine is too short of time to press a key early")
}

// allow types the digits of the code that was asked for last, each when the console hears it, until what is
// wanted is met.
func (s *screen) allow(ts *testscript.TestScript, wanted []string) error {
	next, pause, keys := time.Now().Add(settled), settled, ""
	return s.until(ts, wanted, func() {
		if time.Now().Before(next) {
			return
		}
		if keys == "" {
			keys, pause = "a", min(pause*3/2, 8*settled) // what is typed too early keeps the console deaf
			if asked := dangerCode.FindAllStringSubmatch(s.text(), -1); len(asked) > 0 {
				keys += asked[len(asked)-1][1]
			}
		}
		_, _ = s.master.WriteString(keys[:1]) // the end of the program is seen by what is not drawn
		if keys = keys[1:]; keys == "" {
			next = time.Now().Add(pause)
		} else {
			next = time.Now().Add(settled)
		}
	})
}

// dangerCode is how the console asks for the digits that allow a dangerous call.
var dangerCode = regexp.MustCompile(`type (\d\d)`)

// press presses a key until what is wanted is met. Once may fall into the time in which the console is deaf.
func (s *screen) press(ts *testscript.TestScript, args []string) error {
	if len(args) < 2 {
		return errors.New("usage: screen press KEY gone|pending N|answered PROGRAM ARG…|TEXT")
	}
	keys := presses{s: s, key: args[0]}
	return s.until(ts, args[1:], func() { _ = keys.due() }) // as above
}

// until does something again and again until what is wanted is met: gone (the program has ended), pending N
// (so many calls wait), answered PROGRAM ARG… (that one ends well), or a text that is drawn from now on.
func (s *screen) until(ts *testscript.TestScript, wanted []string, do func()) error {
	met := func() bool { return false }
	switch api, text, behind := newScriptAPI(ts.Getenv("AOCTL_HOME")), strings.Join(wanted, " "), s.drawn(); wanted[0] {
	case "gone":
		met = func() bool {
			select {
			case <-s.ended:
				return true
			default:
				return false
			}
		}
	case "pending":
		met = func() bool {
			ok, _ := api.pending(wanted[1])
			return ok
		}
	case "answered":
		met = func() bool { return ts.Exec(wanted[1], wanted[2:]...) == nil }
	default:
		met = func() bool { return strings.Contains(s.textBehind(behind), text) }
	}
	if !eventually(func() bool {
		if met() {
			return true
		}
		do()
		return false
	}) {
		return fmt.Errorf("pressing keys did not lead to %s; drawn:\n%s", strings.Join(wanted, " "), s.text())
	}
	return nil
}

func (s *screen) wait() (code int, err error) {
	select {
	case <-s.ended:
	case <-time.After(waitTime):
		return 0, fmt.Errorf("the program has not ended; drawn:\n%s", s.text())
	}
	if exit, ok := errors.AsType[*exec.ExitError](s.err); ok {
		return exit.ExitCode(), nil
	}
	return 0, s.err
}

func (s *screen) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
	_ = s.master.Close()
}
