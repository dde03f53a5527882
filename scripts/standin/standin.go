// Package standin plays Claude Code as it runs over its stream-json protocol, for trials that
// need many agents, or one that misbehaves. It has no model: what its user tells it is what it
// does, one instruction a line:
//
//	run COMMAND     call Bash; what it may run it runs, with sh
//	mark WORD       call Bash with WORD; reason or new input of the answer must hold "answer WORD"
//	fat BYTES FILE  call Bash with "touch FILE" in a command of so many bytes
//	ask WORD        call AskUserQuestion about WORD; the answer must hold "answer WORD"
//	say TEXT        say it
//	big BYTES       say so much
//	line TEXT       print a line that is no message
//	half TEXT       print it without its end, and end
//	unknown         send a message and a question that nobody knows
//	die             be killed
//	end             end the process
//	deaf            from now on obey no interrupt, no signal that can be caught, no end of input
//	hang            work until somebody interrupts
//
// A call runs if and only if the real agent would run it: with no callback for it, or with an
// answer that decides nothing, it runs. What it sees and does goes to the file that
// STANDIN_LOG names, a line each.
package standin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// agent is one process.
type agent struct {
	session, folder string
	out             io.Writer
	log             io.Writer
	kept            string // the file that tells a resumed session what was put off
	again           string // the id of the call that is asked again

	mu        sync.Mutex
	hooks     map[string]callback
	waiting   map[string]question
	takenBack map[string]int // questions, with how many had been asked by then
	asked     int
	endTurn   context.CancelFunc
	deaf      bool
	messages  chan string
	turns     int
}

// callback is what the host wants to be asked at an event.
type callback struct {
	id    string
	block bool // a failed answer refuses
}

// question is what the host was asked and did not answer yet.
type question struct {
	number int
	answer chan reply
}

// Main is the agent's program; it returns its exit code.
func Main(args []string, in io.Reader, out io.Writer) int {
	a, err := newAgent(args, out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		return 1
	}
	a.note("begins %s", strings.Join(args, " "))
	ended := make(chan error, 1)
	go func() { ended <- a.listen(in) }()
	code, err := a.work(ended)
	if err != nil {
		a.note("BROKEN %v", err)
		return 1
	}
	return code
}

func newAgent(args []string, out io.Writer) (*agent, error) {
	a := &agent{out: out, log: io.Discard, hooks: map[string]callback{}, waiting: map[string]question{}, takenBack: map[string]int{}, messages: make(chan string, 64)}
	var err error
	if a.folder, err = os.Getwd(); err != nil {
		return nil, err
	}
	if name := os.Getenv("STANDIN_LOG"); name != "" {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600) //nolint:gosec // G304: whoever starts a trial names it
		if err != nil {
			return nil, err
		}
		a.log = f
	}
	return a, a.identify(args)
}

// identify takes the session's id from the words of the command line. A session can be
// resumed when an earlier process had it.
func (a *agent) identify(args []string) error {
	resumed := false
	if i := slices.Index(args, "--resume"); i >= 0 && i+1 < len(args) {
		a.session, resumed = args[i+1], true
	}
	if i := slices.Index(args, "--session-id"); i >= 0 && i+1 < len(args) {
		a.session = args[i+1]
	}
	if a.session == "" {
		return errors.New("no session id")
	}
	a.kept = filepath.Join(os.Getenv("HOME"), ".standin", filepath.Base(a.session))
	_, err := os.Stat(a.kept)
	switch {
	case resumed && err != nil:
		return fmt.Errorf("no conversation found with session ID: %s", a.session)
	case !resumed && err == nil:
		return fmt.Errorf("session ID %s is already in use", a.session)
	case resumed:
		return nil
	}
	return errors.Join(os.MkdirAll(filepath.Dir(a.kept), 0o700), os.WriteFile(a.kept, nil, 0o600))
}

func (a *agent) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(a.log, format+"\n", args...)
}

// send writes one message.
func (a *agent) send(m map[string]any) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // made of strings and numbers
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.out.Write(append(text, '\n')) // the end of input tells of a host that is gone
}

// listen reads what the host says until it has nothing more to say.
func (a *agent) listen(in io.Reader) error {
	defer close(a.messages)
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			if err := a.hear(line); err != nil {
				return err
			}
		}
		if err != nil {
			return nil // the end of input is how a host ends its agent
		}
	}
}

// work does what it is told, message by message. A resumed session first asks again for the
// call that was put off.
func (a *agent) work(ended <-chan error) (code int, err error) {
	if kept, err := os.ReadFile(a.kept); err == nil && len(kept) > 0 {
		id, text, _ := strings.Cut(string(kept), "\n")
		a.awaitInitialize()
		a.again = id
		code = a.turn(text)
	}
	for text := range a.messages {
		code = a.turn(text)
	}
	err = <-ended
	if a.isDeaf() {
		select {}
	}
	return code, err
}

func (a *agent) awaitInitialize() {
	for !a.initialized() {
		pause()
	}
}

// beDeaf ignores whatever can be ignored.
func (a *agent) beDeaf() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deaf = true
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
}

func (a *agent) isDeaf() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.deaf
}
