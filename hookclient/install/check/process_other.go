//go:build !linux

package check

import "errors"

func runningProcesses() ([]Process, error) {
	return nil, errors.New("this system does not show the command lines of processes")
}
