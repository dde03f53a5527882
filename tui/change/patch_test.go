package change

import (
	"testing"

	"github.com/aoctl/aoctl/tui/tuitest"
)

// A patch is drawn only where it is the one that the agent reads: a harmless one beside it
// must not be drawn in its place.
func TestPatchThatIsRead(t *testing.T) {
	const harmless = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"
	const other = "*** Begin Patch\n*** Delete File: b\n*** End Patch"
	for _, tt := range []struct {
		input map[string]any
		drawn bool
	}{
		{map[string]any{"command": harmless}, true},
		{map[string]any{"input": harmless}, true},
		{map[string]any{"patchText": other}, false},
		{map[string]any{"command": harmless, "patchText": other}, false},
		{map[string]any{"command": harmless, "input": other}, false},
		{map[string]any{}, false},
	} {
		if _, ok := ChangesOf(tuitest.ToolCall("apply_patch", tt.input)); ok != tt.drawn {
			t.Errorf("%v: drawn is %v", tt.input, ok)
		}
	}
}
