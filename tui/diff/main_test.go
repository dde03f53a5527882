package diff

import (
	"os"
	"testing"
	"time"
)

// TestMain lets comparisons find all that is the same, on a busy machine too.
func TestMain(m *testing.M) {
	WhileDrawing, OffScreen = time.Hour, time.Hour
	os.Exit(m.Run())
}
