package rules

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

var testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bashCall is a command line as an agent asks about it, in a project.
func bashCall(line string) *Call { return Prepare(bashQuestion(line, "/home/me/src/api")) }

func bashQuestion(line, project string) Question {
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err)
	}
	return Question{
		Tool: "Bash", Input: input, Agent: "claude", SessionID: "s-1", Trusted: true,
		Place: risk.Place{CWD: project, Project: project, Home: "/home/me"},
	}
}

func mustCompile(tb testing.TB, list []Rule) *Set {
	tb.Helper()
	s, err := Compile(list)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
