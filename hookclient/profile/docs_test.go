package profile

import (
	"os"
	"strings"
	"testing"
)

// The tables of docs/agents.md say what the pages say.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); len(cells) > 1 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if rows[cells[0]] == nil {
				rows[cells[0]] = cells[1:]
			}
		}
	}
	titles := rows[""]
	for row, says := range map[string]func(Traits) bool{
		"its input can be changed":  func(t Traits) bool { return t.Edit },
		"the turn can be ended":     func(t Traits) bool { return t.StopTurn },
		"sub-agents are told apart": func(t Traits) bool { return t.Subagents },
		"a call has an id":          func(t Traits) bool { return t.CallID },
	} {
		for i, p := range All() {
			if len(titles) != len(All()) || titles[i] != p.Title || len(rows[row]) != len(All()) {
				t.Fatalf("%s: the columns are %q, its cells %q", row, titles, rows[row])
			}
			if yes := rows[row][i] != "no"; yes != says(p.Traits) {
				t.Errorf("%s of %s: %q", row, p.Title, rows[row][i])
			}
		}
	}
	for _, p := range All() {
		if p.Gate.Since == "" {
			continue
		}
		if row := rows[p.Title]; len(row) == 0 || !strings.HasPrefix(row[0]+" ", p.Gate.Since+" ") {
			t.Errorf("%s asks from %s: %q", p.Title, p.Gate.Since, row)
		}
	}
	if list := "claude, codex, gemini, qwen, opencode, copilot, cursor"; strings.Join(Names(), ", ") != list || !strings.Contains(string(text), list) {
		t.Errorf("the agents are %q, and not in docs/agents.md", Names())
	}
}

// Every page says what all others rely on.
func TestPages(t *testing.T) {
	for _, p := range All() {
		if p.Name == "" || p.Title == "" || len(p.Programs) == 0 || p.Settings.Home == "" || p.Settings.File == "" || len(p.Settings.Guarded) == 0 || p.Traits.Gate == "" || p.Traits.Title == "" {
			t.Errorf("%s: %+v", p.Name, p)
		}
		if (p.HardCap > 0) != (p.Wait > 0) || p.Wait > p.HardCap {
			t.Errorf("%s waits %v of %v", p.Name, p.Wait, p.HardCap)
		}
	}
}
