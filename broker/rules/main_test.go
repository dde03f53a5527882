package rules

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // lines are short, and there are many
	os.Exit(m.Run())
}
