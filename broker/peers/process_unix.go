//go:build !linux && !darwin

package peers

import (
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// startOf and commandOf tell nothing here. A start of 0 is one that is not known.
func startOf(int) uint64   { return 0 }
func commandOf(int) string { return "" }

// ancestorOf and environOf cannot tell on this platform, so that nobody counts as an operator.
func ancestorOf(int) (Ancestor, error) { return Ancestor{}, errors.New("this platform does not tell") }
func environOf(int) ([]byte, error)    { return nil, errors.New("this platform does not tell") }

// AgeOf is not known here.
func AgeOf(broker.Process) (time.Duration, bool) { return 0, false }
