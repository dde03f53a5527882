//go:build !linux

package check

import "errors"

// runningProcesses cannot tell on this system, and says so instead of "none".
func runningProcesses() ([]Process, error) {
	return nil, errors.New("this system does not show the command lines of processes")
}
