package show

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

func TestCallLine(t *testing.T) {
	for _, tc := range []struct{ name, tool, input, want string }{
		{"command", "Bash", `{"command":"ls","description":"x"}`, "ls"},
		{"file", "Edit", `{"file_path":"/a","old_string":"b"}`, "/a"},
		{"unknown tools are shown whole", "mcp__x__run", `{"command":"ls","target":"prod"}`, `{"command":"ls","target":"prod"}`},
		{"wrong type", "Bash", `{"command":["ls"]}`, `{"command":["ls"]}`},
		{"missing", "Bash", `{"description":"x"}`, `{"description":"x"}`},
		{"a question", "AskUserQuestion", `{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"SQLite"}]}]}`, "Which database?"},
		{"a question of another shape", "AskUserQuestion", `{"x":1}`, `{"x":1}`},
		{"a plan", "ExitPlanMode", `{"plan":"test first"}`, "test first"},
		{"no object", "Bash", `[1]`, `[1]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Call(broker.Request{ToolName: tc.tool, ToolInput: []byte(tc.input)}); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The screen has the ends of ids, so that a person finds here what is seen there.
func TestIDEnds(t *testing.T) {
	ids := []string{"0197aaaa-11113c62", "0197aaaa-11127185", "0198-11127185", "s-1"}
	ends := IDEnds(ids)
	for id, want := range map[string]string{"0197aaaa-11113c62": "11113c62", "0197aaaa-11127185": "a-11127185", "0198-11127185": "8-11127185", "s-1": "s-1"} {
		if ends[id] != want {
			t.Errorf("%q is shown as %q, want %q", id, ends[id], want)
		}
		if !NamesID(id, ends[id]) {
			t.Errorf("%q does not name %q", ends[id], id)
		}
	}
	for ref, want := range map[string]bool{"0197aaaa-11113c62": true, "01": true, "3c62": true, "c62": false, "": false, "1111": false} {
		if NamesID(ids[0], ref) != want {
			t.Errorf("%q names %q: %v", ref, ids[0], !want)
		}
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
