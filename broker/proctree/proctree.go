// Package proctree finds the processes that belong to an agent's session and ends them, also
// those that left the tree of parents and children: by a double fork, by setsid, by nohup.
//
// A Target says which session is meant. Find lists its processes and touches nothing; End ends
// them, in some eight seconds at most. Both return a Report: each process with the reason why it
// counts and its Fate.
//
// What belongs to the session is found in the system's own process table: descendants of the
// agent, members of their process groups and POSIX sessions, processes whose environment names
// the session (search.go). A process that shed its parent, its group, its session and its
// environment leaves no trace there. When it works in the session's folder it is listed as
// unsure, and is not touched. So a report says what was seen, and no more.
//
// End stops every process where it is (SIGSTOP), looks again until nothing new appears, and
// only then asks all of them to end; what still runs a few seconds later is killed (end.go).
// Hooks that wait for an answer are let go last, so that an agent never takes a killed hook for
// permission (hooks.go). A process is always signalled through a handle that belongs to one run
// of a program, so that a pid that was used again is never hit.
//
// This process, its ancestors, those of the agent, terminal servers and what Target.Spare names
// are never ended. The package knows nothing of requests; package service calls it when an
// operator kills a session.
//
// The files machine_* have what the systems tell, behind the interface system; tests put a
// table of their own in its place. One search is used by one goroutine and for one look or one
// end.
package proctree

import (
	"context"
	"errors"
	"time"
)

// ErrUnsupported marks a platform on which processes cannot be looked at.
var ErrUnsupported = errors.New("looking at processes is not supported on this system")

// errGone marks a process that has ended, or whose pid is another one's now.
var errGone = errors.New("the process is gone")

// Process is one process as it was seen. It is a record and no hold: the pid may be another's
// by the time it is read. Only a handle is sure.
type Process struct {
	PID     int    `json:"pid"`
	Start   uint64 `json:"start"` // opaque start mark, as broker.Process has it; 0 when unknown
	Parent  int    `json:"parent"`
	Group   int    `json:"group"`
	Session int    `json:"session"` // POSIX session
	UID     int    `json:"uid"`
	Name    string `json:"-" cbor:"name"` // the program's short name
	Command string `json:"command"`       // its arguments, or its name; not fit to be printed as it is
	dead    bool   // a zombie: it runs no more
	orphan  bool   // its parent is the process that adopts orphans
}

// id tells one run of a program from a later one with the same pid.
type id struct {
	pid   int
	start uint64
}

func (p Process) id() id { return id{p.PID, p.Start} }

// Fate is what became of a process.
type Fate string

// The fates.
const (
	Running  Fate = "running"  // it runs; nothing was done
	Ended    Fate = "ended"    // it was seen to be gone
	Survived Fate = "survived" // it still runs although it was to end
	Spared   Fate = "spared"   // it belongs to the session, and is one that is never ended
	Unsure   Fate = "unsure"   // it may belong to the session; it was left alone
)

// Found is a process that counts as the session's. Why and Note are our own words; Command in
// it is the agent's text.
type Found struct {
	Process
	Why  string `json:"why"` // why it counts: "the agent", "child of 4711", …
	Fate Fate   `json:"fate"`
	Note string `json:"note,omitempty"` // what ended it, or why it lives
}

// Report is what was found, and what was done. Its order is that of the screen: the agent, what
// is below it, what left the tree, then what was spared and what is unsure.
type Report struct {
	Processes  []Found  `json:"processes"`            // parents before children, as far as they have any
	Unfinished string   `json:"unfinished,omitempty"` // why there may be more than is listed; empty when nothing more was found
	Shared     []Sharer `json:"shared,omitempty"`     // filled in by who knows sessions
}

// Sharer is another session that one of the processes serves, and that ends with it. Agents
// that serve several sessions from one process have such.
type Sharer struct {
	SessionID string `json:"session_id"`
	Name      string `json:"name"` // as people call it; foreign text
	PID       int    `json:"pid"`
}

// Count says how many processes have a fate.
func (r Report) Count(f Fate) int {
	n := 0
	for _, p := range r.Processes {
		if p.Fate == f {
			n++
		}
	}
	return n
}

// Over reports whether nothing that was to end is known to live on. Unsure processes do not
// count, as nobody asked them to end.
func (r Report) Over() bool {
	return r.Unfinished == "" && r.Count(Survived) == 0 && r.Count(Spared) == 0 && r.Count(Running) == 0
}

// Target says which processes are meant. Without PID and Start, only processes whose
// environment has SessionID are found, and the report says that the agent is not known.
type Target struct {
	PID       int       // the agent's process; 0 when it is not known
	Start     uint64    // its start mark; without one the pid alone proves nothing
	SessionID string    // the agent's own id for its session
	Folder    string    // where the session works; may be empty
	Spare     []int     // processes that are never ended, beside this one, its ancestors, the agent's ancestors and terminal servers
	Hooks     []int     // processes that wait for an answer to an agent's call, as far as they are known
	sys       system    // the machine's own when nil
	pace      *patience // usual times when nil
}

// patience is how long each part of ending may take. Tests have shorter ones.
type patience struct {
	hold  time.Duration // to find and hold everything
	grace time.Duration // for what was asked to end
	kill  time.Duration // to kill what did not
	pause time.Duration // between two looks
}

// usual adds up to less than the eight seconds that End has.
var usual = patience{hold: 2 * time.Second, grace: 3 * time.Second, kill: 2 * time.Second, pause: 20 * time.Millisecond}

// system is the process table of a machine. Its methods are asked again and again while
// processes come and go, so each answer may be about another moment.
type system interface {
	self() int
	list() ([]Process, error)   // everything that runs
	environ(p Process) []string // nil when it may not be read
	folder(p Process) string    // the working directory, "" when it may not be read
	command(p Process) string
	open(p Process) (handle, error) // errGone when p is no longer that process
	signalGroup(group int, s signal) error
}

// handle holds on to one run of a program. Where the system has no such thing, it is a pid
// whose start is compared before each use.
type handle interface {
	send(s signal) error // errGone
	alive() bool
	close()
}

// signal is what is sent to a process, by its purpose; each system has its number.
type signal int

const (
	hold signal = iota // stop where it is
	term
	resume
	kill
)

// Find lists the processes of t without touching them. Errors: ErrUnsupported, or what the
// process table said. It takes one look, so a process that starts its successor and ends may be
// missing.
func Find(t Target) (Report, error) {
	l, err := newSearch(t)
	if err != nil {
		return Report{}, err
	}
	if _, err := l.update(); err != nil {
		return Report{}, err
	}
	return l.report(), nil
}

// End ends the processes of t. First everything is held where it is, until a look finds nothing
// new, so that nothing can start another one meanwhile. Then all are asked to end and let go,
// hooks only once nobody hears of their end, and what still runs a few seconds later is killed,
// with what it started. It takes eight seconds at the most, or ten looks for killing where each takes
// long, also when processes come faster than they can be ended: the report then says so. Errors are those of Find; processes that
// could not be ended are in the report. When ctx ends, each part that is left takes one look
// and no more, and the report says that it was interrupted.
func End(ctx context.Context, t Target) (Report, error) {
	l, err := newSearch(t)
	if err != nil {
		return Report{}, err
	}
	defer l.close()
	return l.end(ctx)
}
