package callview

import (
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/aoctl/aoctl/tui/diff"
)

// TestMain lets comparisons find all that is the same, on a busy machine too.
func TestMain(m *testing.M) {
	diff.WhileDrawing, diff.OffScreen = time.Hour, time.Hour
	debug.SetGCPercent(400) // calls are small, and there are many
	os.Exit(m.Run())
}
