package check

import "github.com/aoctl/aoctl/hookclient/install"

// What is found is said in the words that all of doctor uses.
type (
	Status  = install.Status
	Finding = install.Finding
	Repair  = install.Repair
)

// The statuses.
const (
	OK      = install.OK
	Warn    = install.Warn
	Fail    = install.Fail
	Skipped = install.Skipped
)
