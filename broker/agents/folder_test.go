package agents_test

import (
	"encoding/json"
	"testing"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// A command line is read in the folder that the call itself names, whatever that parameter is
// called: the same words elsewhere are another call.
func TestRulesSeeTheFolderOfACall(t *testing.T) {
	for _, tt := range []struct{ agent, tool, input string }{
		{"opencode", "bash", `{"command":"rm a.txt","workdir":"/etc"}`},
		{"cursor", "Shell", `{"command":"rm a.txt","cwd":"/etc"}`},
		{"copilot", "Bash", `{"command":"cd /etc && rm a.txt"}`},
	} {
		tool, input, known := agents.Common(tt.agent, tt.tool, json.RawMessage(tt.input))
		c := rules.Prepare(rules.Question{Tool: tool, Input: input, Trusted: known, Place: risk.Place{CWD: "/p", Project: "/p"}})
		found := false
		for _, f := range c.Files() {
			found = found || f == "/etc/a.txt"
		}
		if tool != "Bash" || !found {
			t.Errorf("%s: %s works on %q, want /etc/a.txt among them", tt.agent, tool, c.Files())
		}
	}
}
