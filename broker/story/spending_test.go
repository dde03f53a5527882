package story_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/wire"
)

// reply is a line of Claude Code's about so many tokens.
func reply(id string, in, out int) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"role":"assistant","id":%q,"model":"opus","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":%d,"output_tokens":%d}}}`+"\n", id, in, out)
}

// total is a line of its books.
func total(dollars float64, in int) string {
	return fmt.Sprintf(`{"type":"cost-state","totalCostUSD":%v,"modelUsage":{"opus":{"inputTokens":%d}}}`+"\n", dollars, in)
}

func TestSpentBy(t *testing.T) {
	long := strings.Repeat(`{"type":"user","message":{"role":"user","content":"`+strings.Repeat("word ", 200)+`"}}`+"\n", 600) // several pages
	for _, tc := range []struct {
		name, file string
		want       story.Spent
		told       bool
	}{
		{"nothing told", `{"type":"user","message":{"role":"user","content":"usage"}}`, story.Spent{}, false},
		{"the last word about each reply counts", reply("a", 5, 1) + reply("a", 5, 3) + reply("b", 2, 2), story.Spent{Usage: wire.RunUsage{Input: 7, Output: 5}}, true},
		{"replies of a long file", reply("a", 5, 1) + long + reply("b", 2, 2) + long + reply("c", 1, 1), story.Spent{Usage: wire.RunUsage{Input: 8, Output: 4}}, true},
		{"a total wins over replies", reply("a", 5, 1) + total(0.25, 90) + total(0.5, 99), story.Spent{Cost: 0.5, Usage: wire.RunUsage{Input: 99}}, true},
		{"a total far from the end", total(0.5, 99) + long + reply("c", 1, 1), story.Spent{Cost: 0.5, Usage: wire.RunUsage{Input: 99}}, true},
		{"half a line at the end", reply("a", 5, 1) + `{"type":"cost-state","totalCostUSD":9`, story.Spent{Usage: wire.RunUsage{Input: 5, Output: 1}}, true},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got, told, err := story.SpentBy(t.Context(), broker.Session{ID: "s", Transcript: path})
		if err != nil || told != tc.told || got != tc.want {
			t.Errorf("%s: %+v, %v, %v; want %+v", tc.name, got, told, err, tc.want)
		}
	}
}

// A session that aoctl holds has told its runner; a file that is no transcript tells nothing.
func TestSpentByWithoutAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(reply("a", 5, 1), 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	run := &broker.Run{RunTally: broker.RunTally{Cost: 0.5, Usage: wire.RunUsage{Input: 3}}}
	if got, told, err := story.SpentBy(t.Context(), broker.Session{Transcript: path, Run: run}); err != nil || !told || got.Cost != 0.5 || got.Usage.Input != 3 {
		t.Errorf("%+v, %v, %v", got, told, err)
	}
	for _, no := range []string{"", link, path + ".none", t.TempDir()} {
		if got, told, err := story.SpentBy(t.Context(), broker.Session{Transcript: no}); err != nil || told || got != (story.Spent{}) {
			t.Errorf("%q: %+v, %v, %v", no, got, told, err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, told, err := story.SpentBy(over, broker.Session{Transcript: path}); !errors.Is(err, context.Canceled) || told {
		t.Errorf("nobody waits any longer: %v, %v", told, err)
	}
}
