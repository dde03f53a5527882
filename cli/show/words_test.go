package show

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 90 * time.Minute: "1h",
		47 * time.Hour: "47h", 48 * time.Hour: "2d", 1000 * time.Hour: "41d",
	} {
		if got := Age(d); got != want {
			t.Errorf("age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCountdown(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Minute: "0:00", 9*time.Minute + 5*time.Second: "9:05", 90 * time.Minute: "90:00", 999 * time.Millisecond: "0:00",
	} {
		if got := Countdown(d); got != want {
			t.Errorf("countdown(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCallLine(t *testing.T) {
	for _, tc := range []struct{ name, tool, input, want string }{
		{"command", "Bash", `{"command":"ls","description":"x"}`, "ls"},
		{"file", "Edit", `{"file_path":"/a","old_string":"b"}`, "/a"},
		{"unknown tools are shown whole", "mcp__x__run", `{"command":"ls","target":"prod"}`, `{"command":"ls","target":"prod"}`},
		{"wrong type", "Bash", `{"command":["ls"]}`, `{"command":["ls"]}`},
		{"missing", "Bash", `{"description":"x"}`, `{"description":"x"}`},
		{"no object", "Bash", `[1]`, `[1]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Call(broker.Request{ToolName: tc.tool, ToolInput: []byte(tc.input)}); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestShortIDs(t *testing.T) {
	ids := []string{"0197aaaa-1111", "0197aaaa-1112", "0197bbbb-0000", "s-1", "s-1", "", "0197aaaa"}
	short := ShortIDs(ids)
	for _, id := range ids {
		p := short[id]
		if !strings.HasPrefix(id, p) || len(p) < min(minPrefix, len(id)) {
			t.Errorf("%q is shown as %q", id, p)
		}
		for _, other := range ids {
			if other != id && p != id && strings.HasPrefix(other, p) {
				t.Errorf("%q, shown for %q, fits %q as well", p, id, other)
			}
		}
	}
	if short["0197bbbb-0000"] != "0197bbbb" {
		t.Errorf("a longer prefix than needed: %q", short["0197bbbb-0000"])
	}
}
