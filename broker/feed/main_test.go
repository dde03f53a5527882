package feed_test

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // feeds are short, and there are many
	os.Exit(m.Run())
}
