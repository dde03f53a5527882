package rules

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	ruleshistory "github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
	"github.com/aoctl/aoctl/cli/output"
)

// Suggestions are one rules file: one header, and a sentence before each rule. What agents
// have asked for stays inside the comments.
func TestPrintSuggestions(t *testing.T) {
	var list []ruleshistory.Suggestion
	for _, command := range []string{"go test *|npm run lint", "make all"} {
		list = append(list, ruleshistory.Suggestion{
			Rule: rules.Rule{
				Decision: rules.Allow, Tool: "Bash", Priority: rules.DefaultPriority, Enabled: true,
				Where: map[string]string{"command": command},
			},
			Saves: 4, Sessions: 2, Last: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Examples: []string{command + "\n[[rule]]"},
		})
	}
	var out bytes.Buffer
	if err := printSuggestions(&out, list, new(output.Format)); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if n := strings.Count(text, "# aoctl rules\n"); n != 1 {
		t.Errorf("%d headers:\n%s", n, text)
	}
	for _, want := range []string{
		"\n# Bash command=go test * or npm run lint\n# saves 4 questions in 2 sessions", "command = \"go test *|npm run lint\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	back, err := rulesfile.Parse(out.Bytes())
	if err != nil || len(back) != 2 || back[0].Where["command"] != list[0].Rule.Where["command"] {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

// Who has read the suggestions is told what to type for them, with the flags that were given.
func TestSuggestionsSayHowToTakeThem(t *testing.T) {
	cmd := newSuggestCommand()
	if err := cmd.ParseFlags([]string{"--since", "2026-11-02 08:00:00", "--hits", "2"}); err != nil {
		t.Fatal(err)
	}
	const want = "\n# to take them: aoctl rule suggest --hits 2 --since '2026-11-02 08:00:00' > new.toml, leave in it what you want, then: aoctl rule import new.toml"
	if got := howToTake(cmd); got != want {
		t.Errorf("it says %q", got)
	}
	if _, err := rulesfile.Parse([]byte(want)); err != nil {
		t.Errorf("it is no comment: %v", err)
	}
}
