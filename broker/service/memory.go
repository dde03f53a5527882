package service

import (
	"os"
	"runtime/debug"
)

// SaveMemory makes the process that holds a broker collect garbage twice as often as Go
// would: most of what thousands of waiting hooks take is otherwise what is left of
// reading their questions. It is of the whole process, so New leaves it to the program; a
// GOGC in the environment comes first.
func SaveMemory() {
	const growth = 50 // percent, between two collections
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
}
