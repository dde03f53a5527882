package change

import (
	"os"
	"testing"
	"time"

	"github.com/aoctl/aoctl/tui/diff"
)

// TestMain lets comparisons find all that is the same, on a busy machine too.
func TestMain(m *testing.M) {
	diff.WhileDrawing, diff.OffScreen = time.Hour, time.Hour
	os.Exit(m.Run())
}
