package check

import "github.com/aoctl/aoctl/hookclient/install"

// Status is how one look came out, in the words that all of doctor uses.
type Status = install.Status

// Finding is one thing that was looked at.
type Finding = install.Finding

// Repair mends what a Finding is about.
type Repair = install.Repair

// The statuses.
const (
	OK      = install.OK
	Warn    = install.Warn
	Fail    = install.Fail
	Skipped = install.Skipped
)
