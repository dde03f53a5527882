package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"pgregory.net/rapid"
)

var testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bashCall is a command line as an agent asks about it, in a project.
func bashCall(line string) *rules.Call { return rules.Prepare(bashQuestion(line, "/home/me/src/api")) }

func bashQuestion(line, project string) rules.Question {
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		panic(err)
	}
	return rules.Question{
		Tool: "Bash", Input: input, Agent: "claude", SessionID: "s-1", Trusted: true,
		Place: risk.Place{CWD: project, Project: project, Home: "/home/me"},
	}
}

func mustCompile(tb testing.TB, list []rules.Rule) *rules.Set {
	tb.Helper()
	s, err := rules.Compile(list)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// short is a rule as one line.
func short(r rules.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Decision, r.Tool)
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		fmt.Fprintf(&b, " %s=%s", key, r.Where[key])
	}
	return b.String()
}

func changed(r rules.Rule, change func(*rules.Rule)) rules.Rule {
	change(&r)
	return r
}

func where(d rules.Verdict, tool string, pairs ...string) rules.Rule {
	r := rules.Rule{Enabled: true, Priority: rules.DefaultPriority, Decision: d, Tool: tool, Where: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		r.Where[pairs[i]] = pairs[i+1]
	}
	return r
}

func mustCompileRapid(t *rapid.T, list []rules.Rule) *rules.Set {
	s, err := rules.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
