package check

import "github.com/aoctl/aoctl/hookclient/install"

// What is found is said in the words that all of doctor uses.
type (
	// Status says how bad a finding is.
	Status = install.Status
	// Finding is one line of the report.
	Finding = install.Finding
	// Repair is what mends one.
	Repair = install.Repair
)

// The statuses.
const (
	OK      = install.OK
	Warn    = install.Warn
	Fail    = install.Fail
	Skipped = install.Skipped
)
