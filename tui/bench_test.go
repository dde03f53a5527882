package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// manyCalls makes n waiting calls of 200 sessions.
func manyCalls(n int) broker.Snapshot {
	var snap broker.Snapshot
	for i := range 200 {
		snap.Sessions = append(snap.Sessions, broker.Session{
			ID: fmt.Sprintf("s%d", i), Agent: "claude", Name: fmt.Sprintf("project-%d", i), State: broker.SessionActive, StartedAt: seconds(600),
		})
	}
	for i := range n {
		snap.Requests = append(snap.Requests, benchCall(i, tuitest.Noon.Add(-time.Hour+time.Duration(i)*time.Millisecond)))
	}
	return snap
}

func benchCall(i int, at time.Time) broker.Request {
	r := tuitest.NewCall(fmt.Sprintf("r%06d", i), fmt.Sprintf("s%d", i%200), "Bash", at,
		`{"command":"for f in $(git ls-files '*.go'); do gofmt -l \"$f\" || exit 1; done && go test ./pkg`+fmt.Sprint(i)+`/...","description":"Check"}`)
	r.ExpiresAt = tuitest.Noon.Add(time.Hour)
	return r
}

// BenchmarkRepaint10k is a key press and the frame after it, among ten thousand
// waiting calls while five hundred a second arrive: eight between two frames.
func BenchmarkRepaint10k(b *testing.B) {
	s := newStill(b, manyCalls(10_000), nil, termenv.TrueColor)
	s.draw(120, 40)
	rnd := rand.New(rand.NewPCG(1, 2))
	next, worst := 10_000, time.Duration(0)
	keys := []string{"j", "k", "G", "g", "j", "j"}
	for b.Loop() {
		var list []broker.Update
		for range 8 {
			r := benchCall(next, tuitest.Noon.Add(time.Duration(next)*time.Millisecond))
			list = append(list, broker.Update{Request: &r})
			next++
		}
		for range 8 { // as many are settled
			if c := s.m.Board.Waiting[rnd.IntN(len(s.m.Board.Waiting))]; c != nil {
				r := settled(c.Req, broker.Allowed, broker.Actor{Kind: broker.ByRule}, "", tuitest.Noon)
				list = append(list, broker.Update{Request: &r})
			}
		}
		start := time.Now()
		s.m.Update(updatesMsg{gen: 1, list: list})
		s.m.View()
		s.at = s.at.Add(time.Second)
		s.m.Update(keyMsg(keys[next%len(keys)]))
		s.m.View()
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/repaint")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/worst")
}

// BenchmarkLargeCall is the first frame of a call of almost a megabyte.
func BenchmarkLargeCall(b *testing.B) {
	large := bash("r1", "s1", seconds(5), strings.Repeat("echo 'nothing of interest' # in here\n", 25_000))
	s := newStill(b, broker.Snapshot{Requests: []broker.Request{large}}, nil, termenv.TrueColor)
	for b.Loop() {
		s.m.shared.sheets.Clear()
		s.m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		s.m.View()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/frame")
}

// manySessions makes n sessions, every other one of which has ended.
func manySessions(n int) broker.Snapshot {
	var snap broker.Snapshot
	for i := range n {
		s := broker.Session{ID: fmt.Sprintf("s%d", i), Agent: "claude", Name: fmt.Sprintf("project-%d", i), State: broker.SessionActive, StartedAt: seconds(600)}
		if i%2 == 1 {
			s.State, s.EndedAt = broker.SessionFinished, seconds(60)
		}
		snap.Sessions = append(snap.Sessions, s)
	}
	return snap
}

// BenchmarkSessions10k is a key press in the pane of the sessions and the frame after it, among ten
// thousand sessions.
func BenchmarkSessions10k(b *testing.B) {
	s := newStill(b, manySessions(10_000), nil, termenv.TrueColor)
	s.draw(120, 40)
	s.m.Update(keyMsg("3"))
	keys := []string{"j", "k", "j"}
	for n := 0; b.Loop(); n++ {
		s.at = s.at.Add(time.Second)
		s.m.Update(keyMsg(keys[n%len(keys)]))
		s.m.View()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/frame")
}
