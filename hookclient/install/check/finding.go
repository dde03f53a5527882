package check

// Status says how one check came out. They are words for programs as well: doctor prints them as
// JSON.
type Status string

// The statuses. A warning is something to know or to mend; a failure is a way in which a
// call may run unasked, or a gate that refuses everything.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Skipped Status = "skipped" // nothing to look at, or no way to
)

// Finding is one thing that was looked at. Its texts may hold anything that stood in a
// file or in a process's command line. Texts are made safe by whoever prints them.
type Finding struct {
	Name   string // short and stable: "timeout"
	Status Status
	Seen   string // one line
	Cure   string // what to do, a command where there is one; may be empty
	Repair *Repair
}

// Repair mends what a Finding is about. Findings with the same Key share one. Do says in one
// sentence what it did, and "" when there was nothing to do. It may be called once.
type Repair struct {
	Key string
	Do  func() (did string, err error)
}
