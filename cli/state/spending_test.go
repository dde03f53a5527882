package state

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/broker/wire"
)

// spenders are a record of sessions.
type spenders struct {
	record
	list []broker.Session
}

func (s spenders) Sessions(context.Context, broker.SessionFilter) ([]broker.Session, error) {
	return s.list, nil
}

func write(t *testing.T, path string, tokens int, dollars float64) {
	t.Helper()
	text := fmt.Sprintf(`{"type":"assistant","message":{"role":"assistant","id":"m","content":"a","usage":{"input_tokens":%d}}}`+"\n", tokens)
	if dollars > 0 {
		text = fmt.Sprintf(`{"type":"cost-state","totalCostUSD":%v,"modelUsage":{"opus":{"outputTokens":%d}}}`+"\n", dollars, tokens)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Money is only what an agent names; tokens of the others are told beside it. A file that has
// changed is read again, another one is not.
func TestSpending(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, first, 7, 0.5)
	write(t, second, 20, 0)
	from := spenders{list: []broker.Session{
		{ID: "a", Agent: "claude", Transcript: first},
		{ID: "b", Agent: "codex", Transcript: second},
		{ID: "c", Agent: "codex"},
		{ID: "d", Agent: "claude", Run: &broker.Run{RunTally: broker.RunTally{Cost: 0.25, Usage: wire.RunUsage{CacheRead: 3}}}},
	}}
	r := tally.Report{Agents: []tally.Group{{ID: "codex"}, {ID: "claude"}}}
	for _, s := range from.list {
		r.Sessions = append(r.Sessions, tally.Group{ID: s.ID})
	}
	var sp Spending
	got, err := sp.Of(t.Context(), from, r)
	if want := (tally.Spent{Sessions: 3, Priced: 2, Cost: 0.75, Input: 20, Output: 7, CacheRead: 3}); err != nil || got.Spent != want {
		t.Fatalf("%+v, %v; want %+v", got.Spent, err, want)
	}
	if codex, claude := got.Agents[0].Spent, got.Agents[1].Spent; codex != (tally.Spent{Sessions: 1, Input: 20}) || claude.Cost != 0.75 || claude.Sessions != 2 {
		t.Errorf("codex %+v, claude %+v", codex, claude)
	}
	if got.Sessions[2].Spent != (tally.Spent{}) || r.Sessions[0].Spent != (tally.Spent{}) {
		t.Error("a session that told nothing spent something, or the caller's report was changed")
	}
	at := time.Now().Add(time.Hour)
	write(t, first, 9, 0.5)
	if err := os.Chtimes(first, at, at); err != nil {
		t.Fatal(err)
	}
	sp.known["b"] = transcriptRead{sp.known["b"].path, sp.known["b"].size, sp.known["b"].mod, tally.Spent{Input: 21}}
	if got, err = sp.Of(t.Context(), from, got); err != nil || got.Spent.Output != 9 || got.Spent.Input != 21 {
		t.Errorf("the second time: %+v, %v", got.Spent, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(Spending).Of(over, from, r); err == nil {
		t.Error("half of it is no answer")
	}
}
