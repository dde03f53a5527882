package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// someRows are calls whose rows have room, or not, in some of the windows.
func someRows(rnd *rand.Rand) broker.Snapshot {
	snap := broker.Snapshot{Sessions: []broker.Session{
		{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive, CWD: home, ProjectDir: home},
		{ID: "s2", Agent: "claude", Name: strings.Repeat("long-name-", 3), State: broker.SessionActive, CWD: home, ProjectDir: home},
	}}
	for i := range 2 + rnd.IntN(14) {
		text := fmt.Sprintf("echo %s %d", strings.Repeat([]string{"x", "日", "é", "ab "}[rnd.IntN(4)], rnd.IntN(70)), i)
		tool, field := "Bash", "command"
		if rnd.IntN(3) == 0 {
			tool, field = []string{"Read", "Skill", "Grep", "WebSearch"}[rnd.IntN(4)], "pattern"
		}
		r := tuitest.NewCall(fmt.Sprintf("r%02d", i), fmt.Sprintf("s%d", 1+rnd.IntN(2)), tool, seconds(60+i), fmt.Sprintf(`{%q:%q}`, field, text))
		r.CWD, r.ExpiresAt = home, tuitest.Noon.Add(time.Hour)
		if rnd.IntN(4) == 0 {
			r.SubagentID, r.SubagentType = "a1", "reviewer-of-"+strings.Repeat("y", rnd.IntN(20))
		}
		snap.Requests = append(snap.Requests, r)
	}
	return snap
}

// A row that counts as the whole call has all of it on one line of the screen, with whose it is.
func TestSeenRowIsOnTheScreen(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 9))
	whole := 0
	for range 150 {
		s := newStill(t, someRows(rnd), nil, termenv.Ascii)
		for range 6 {
			for _, c := range s.m.Board.Cards {
				c.SeenRow = false
			}
			s.draw(40+rnd.IntN(180), 12+rnd.IntN(40))
			s.m.Update(keyMsg([]string{"j", "k", "G", "tab", "g"}[rnd.IntN(5)]))
			lines := strings.Split(s.m.View(), "\n")
			for _, c := range s.m.Board.Cards {
				c.SeenRow = false
			}
			s.m.settle()
			for _, c := range s.m.Board.Cards {
				if !c.SeenRow {
					continue
				}
				whole++
				if !onOneLine(lines, c.Summary().Text+" ", s.m.Board.Label(c.Req.SessionID), c.Req.SubagentType) {
					t.Fatalf("%q counts as shown:\n%s", c.Summary().Text, strings.Join(lines, "\n"))
				}
			}
		}
	}
	if whole < 500 {
		t.Errorf("only %d rows were whole", whole)
	}
}

func onOneLine(lines []string, parts ...string) bool {
	for _, l := range lines {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(l, p)
		}
		if all {
			return true
		}
	}
	return false
}
