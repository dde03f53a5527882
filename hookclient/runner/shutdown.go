package runner

import (
	"cmp"
	"fmt"
	"syscall"

	"github.com/aoctl/aoctl/broker/wire"
)

// shutdown brings the agent's process to its end and keeps why. It goes one stage at a
// time, each because the one before did not help within its time: the turn is interrupted,
// stdin closed, then come SIGTERM and SIGKILL. What the console hears of each is a step. Its
// stages only go forward. An end that was begun is never taken back.
type shutdown struct {
	out   *outbox
	times times

	stage   stage
	orders  []string // the console's orders to end, which are done at the end
	wanted  bool     // somebody asked for the end
	failure string   // why it must end, when something is wrong
	exit    int      // the process's exit code
}

// stage is how far a shutdown has come. Each stage has a time of its own; see times.
type stage int

const (
	notBegun stage = iota
	interrupting
	closing // stdin was closed
	terminating
	killing
)

// order keeps an order of the console's to end.
func (s *shutdown) order(id string) {
	s.wanted = true
	s.orders = append(s.orders, id)
}

// fail keeps why the agent must be ended. The first reason is the one that counts. It is shown to
// the person before the runner at once.
func (s *shutdown) fail(why string) {
	if s.failure != "" {
		return
	}
	s.failure = why
	s.out.report(wire.RunReport{Kind: wire.ReportNote, Text: why, Error: why})
	s.out.see(Seen{Kind: SeenNote, Text: why, Error: true})
}

// awaitTurn waits for the end of a turn that was interrupted.
func (s *shutdown) awaitTurn() {
	s.stage = interrupting
	s.out.step("interrupted its turn")
	s.out.wakeIn(s.times.turn)
}

// notInterrupted says that the agent did not take the interruption.
func (s *shutdown) notInterrupted(why error) {
	if s.stage == interrupting {
		s.out.step("%v", why)
	}
}

// turnEnded goes on once the turn is over.
func (s *shutdown) turnEnded(result string) {
	if s.stage == interrupting {
		s.out.step("it ended its turn: %s", result)
		s.closeInput()
	}
}

// closeInput tells the agent that there is nothing more.
func (s *shutdown) closeInput() {
	s.stage = closing
	s.out.do(shut{})
	s.out.step("closed its input")
	s.out.wakeIn(s.times.exit)
}

// leave closes stdin of an agent that has nothing more to do. That is the usual end, no step
// of an ending by force, and the agent has longer for it.
func (s *shutdown) leave() {
	s.stage = closing
	s.out.do(shut{})
	s.out.wakeIn(s.times.leave)
}

// escalate takes the next stage. It is false when there is none left. It is called when the phase
// timer fires, which each stage sets anew.
func (s *shutdown) escalate() bool {
	switch s.stage {
	case interrupting:
		s.out.step("it did not end its turn within %s", s.times.turn)
		s.closeInput()
	case closing:
		s.stage = terminating
		s.out.step("it did not end; sent SIGTERM to its process group")
		s.out.do(kill{syscall.SIGTERM})
		s.out.wakeIn(s.times.exit)
	case terminating:
		s.stage = killing
		s.out.step("it did not end within %s; sent SIGKILL to its process group", s.times.exit)
		s.out.do(kill{syscall.SIGKILL})
		s.out.wakeIn(s.times.dead)
	case killing:
		s.out.step("it was not seen to end within %s of SIGKILL", s.times.dead)
		return false
	case notBegun:
	}
	return true
}

// expected reports that the process ends because it was to.
func (s *shutdown) expected() bool { return s.stage > notBegun && (s.wanted || s.failure != "") }

// finish reports the end: last is the report of the latest turn, r what is known of the
// process's end. It is the last thing that happens. A failure of ours comes before the agent's
// own words.
func (s *shutdown) finish(last, r wire.RunReport) {
	for _, id := range s.orders {
		s.out.done(id, nil)
	}
	last.ExitCode = r.ExitCode
	last.Error = cmp.Or(s.failure, r.Error, last.Error)
	s.failure = cmp.Or(s.failure, r.Error)
	s.out.report(last)
	s.out.do(finish{})
}

// exit is how a process ended. The zero exit is a process that ended well.
type exit struct {
	code   int            // -1 after a signal
	signal syscall.Signal // 0 for none
	said   string         // its last lines on standard error
}

// String goes on from "it" or "the agent".
func (e exit) String() string {
	switch {
	case e.signal == syscall.SIGKILL:
		return "was killed"
	case e.signal != 0:
		return "was ended by " + e.signal.String()
	}
	return fmt.Sprintf("ended with exit code %d", e.code)
}

// lastWords is what the agent said of its end, and where there is more.
func (e exit) lastWords(log string) string {
	text := ""
	if e.said != "" {
		text = ": " + cut(e.said, maxReason/2)
	}
	if log != "" {
		text += " (its log: " + log + ")"
	}
	return text
}
