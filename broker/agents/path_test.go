package agents

import (
	"errors"
	"strings"
	"testing"
)

// A folder that no system can open would be the agent's text in the console's own rows.
func TestFolderTooLong(t *testing.T) {
	payload := func(n int) string {
		return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"ls"},"cwd":"/` + strings.Repeat("a", n-1) + `"}`
	}
	d := claudeDialect(t)
	if _, err := d.Decode([]byte(payload(maxPath))); err != nil {
		t.Errorf("a folder of %d bytes: %v", maxPath, err)
	}
	if _, err := d.Decode([]byte(payload(maxPath + 1))); !errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), "4097 bytes, more than 4096") {
		t.Errorf("a folder of %d bytes: %v", maxPath+1, err)
	}
}
