// Package prepared has calls that are ready to be judged, and sets of rules that judge them, for the tests of
// the packages below rules. It is no part of rulestest because the tests of rules itself use that.
package prepared

import (
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// Now is the time at which such tests judge.
var Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Call is a command line as an agent asks about it, in a project.
func Call(line string) *rules.Call { return rules.Prepare(Question(line, "/home/me/src/api")) }

// Question is a command line in a project's folder, before it is prepared. Paths lead to
// themselves, as there is no disk.
func Question(line, project string) rules.Question {
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err)
	}
	return rules.Question{
		Tool: "Bash", Input: input, Agent: "claude", SessionID: "s-1", Trusted: true,
		Place: risk.Place{CWD: project, Project: project, Home: "/home/me"},
	}
}

// Failer ends a test: a testing.TB or a *rapid.T.
type Failer interface {
	Helper()
	Fatal(args ...any)
}

// Set compiles rules, or ends the test.
func Set(tb Failer, list []rules.Rule) *rules.Set {
	tb.Helper()
	s, err := rules.Compile(list)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
