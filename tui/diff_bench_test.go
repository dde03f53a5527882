package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// diff5000 is an Edit that replaces 5,000 lines of Go, every third of which it changes,
// in a file of 6,000.
func diff5000() (r broker.Request, file string) {
	var before, old, fresh strings.Builder
	for i := range 500 {
		fmt.Fprintf(&before, "// head %d\n", i)
	}
	for i := range 5000 {
		line := fmt.Sprintf("\tif err := s.step%d(ctx, \"name\", %d); err != nil { return fmt.Errorf(\"step: %%w\", err) } // no %d\n", i, i*7, i)
		old.WriteString(line)
		if i%3 == 0 {
			line = strings.Replace(line, "ctx,", "ctx, s.opts,", 1)
		}
		fresh.WriteString(line)
	}
	r = tuitest.NewCall("r1", "s1", "Edit", seconds(5), map[string]any{
		"file_path": "/home/ada/x.go", "old_string": old.String(), "new_string": fresh.String(), "replace_all": false,
	})
	return r, before.String() + old.String() + before.String()
}

// inMS reports the time per operation as the speeds of the console are written down.
func inMS(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/frame")
}

// BenchmarkDiff5000FirstFrame is a frame of a diff of 5,000 lines that was never drawn
// before: when the call has come, when its file was read, and when its colours are
// there, one below the other and beside each other.
func BenchmarkDiff5000FirstFrame(b *testing.B) {
	r, file := diff5000()
	snap := broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}}
	b.Run("asked", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := newStill(b, broker.Snapshot{Sessions: someSessions()}, nil, termenv.TrueColor)
			s.draw(200, 50)
			b.StartTimer()
			s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &snap.Requests[0]}}})
			s.m.View()
		}
		inMS(b)
	})
	s := newStill(b, snap, nil, termenv.TrueColor)
	s.draw(200, 50)
	s.m.opts.ReadFile = func(string) ([]byte, error) { return []byte(file), nil }
	s.m.opts.Stamp = func(string) string { return "" }
	read := s.reads()
	c := s.m.card()
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			s.m.Update(read[0])
			s.m.View()
		}
		inMS(b)
	})
	bare, dressed := c.Sections, s.reads()
	for _, sides := range []bool{false, true} {
		b.Run(map[bool]string{false: "coloured", true: "sides"}[sides], func(b *testing.B) {
			s.m.shared.sheets.View = callview.DiffView{Sides: sides, More: 3}
			for b.Loop() {
				c.Sections = bare
				s.m.Update(dressed[len(dressed)-1])
				s.m.View()
			}
			inMS(b)
		})
	}
}

// BenchmarkDiff5000Scroll is a key that scrolls in such a diff, and the frame after it.
func BenchmarkDiff5000Scroll(b *testing.B) {
	r, file := diff5000()
	s := newStill(b, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}}, nil, termenv.TrueColor)
	s.draw(200, 50, "enter")
	s.files(file, nil)
	keys := []string{"j", "ctrl+d", "j", "k", "ctrl+d", "ctrl+u", "G", "g"}
	n := 0
	for b.Loop() {
		s.at = s.at.Add(time.Second)
		s.m.Update(keyMsg(keys[n%len(keys)]))
		s.m.View()
		n++
	}
	inMS(b)
}
