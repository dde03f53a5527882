package broker

import "github.com/aoctl/aoctl/broker/proctree"

// Killed is what was found of a session's processes, and what became of them. Commands in
// it are foreign text.
type Killed = proctree.Report

// What may become of a process; proctree says more of each.
const (
	ProcessRunning  = proctree.Running
	ProcessEnded    = proctree.Ended
	ProcessSurvived = proctree.Survived
	ProcessSpared   = proctree.Spared
)

// KilledData is the data of an EventKillRequested and an EventSessionKilled. The list is cut so
// that one event stays small whatever a session has started; the numbers count all processes.
type KilledData struct {
	By         Actor           `json:"by"`
	Processes  []KilledProcess `json:"processes"`      // the first 200
	More       int             `json:"more,omitempty"` // processes that are not listed
	Ended      int             `json:"ended"`          // processes that were seen to be gone
	Survivors  int             `json:"survivors"`      // processes that were to end and were not seen to
	Unfinished string          `json:"unfinished,omitempty"`
}

// KilledProcess is one process in a KilledData.
type KilledProcess struct {
	PID     int           `json:"pid"`
	Start   uint64        `json:"start"`
	Command string        `json:"command"`
	Why     string        `json:"why"`
	Fate    proctree.Fate `json:"fate"`
	Note    string        `json:"note,omitempty"`
}
