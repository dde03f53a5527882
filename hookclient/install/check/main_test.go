package check

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // settings are small, and there are many
	os.Exit(m.Run())
}
