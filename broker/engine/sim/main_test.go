package sim

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // worlds are small and short, and there are many
	os.Exit(m.Run())
}
