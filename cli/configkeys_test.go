package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/cli/config"
)

// What "aoctl config edit" begins with is a file that sets nothing, and each of its
// comments is a line that may stand there.
func TestNewConfigText(t *testing.T) {
	text := newConfigText()
	if list, err := config.Parse(text, configSchema()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	var lines []string
	for l := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(l, "# "), " = "); ok && slices.Contains(configNames(), name) {
			lines = append(lines, strings.TrimPrefix(l, "# "))
		}
	}
	list, err := config.Parse([]byte(strings.Join(lines, "")), configSchema())
	if err != nil || len(list) != len(configKeys()) {
		t.Errorf("%v, %v of %q", list, err, lines)
	}
}
