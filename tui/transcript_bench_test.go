package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// longTalk is a transcript of n entries as they come in practice.
func longTalk(n int) story.Transcript {
	t := story.Transcript{Agent: "claude", Part: story.NewestPart, AtStart: true, AtEnd: true, Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, To: int64(n)}}
	for i := range n {
		s := story.Said{Line: int64(i), At: seconds(n - i)}
		switch i % 4 {
		case 0:
			s.By, s.Text = "agent", fmt.Sprintf("Step %d: I **look** at `server.go`, then\n\n- run the tests\n- see [what](x) fails\n", i)
		case 1:
			s.By, s.Tool, s.ID, s.Text = "call", "Bash", fmt.Sprint("toolu_", i), fmt.Sprintf(`{"command":"go test -run T%d ./...","description":"Run"}`, i)
		case 2:
			s.By, s.ID, s.Text = "result", fmt.Sprint("toolu_", i-1), strings.Repeat("ok  example/pkg 0.1s\n", 30)
		case 3:
			s.By, s.Tool, s.Text = "call", "Edit", `{"file_path":"/p/a.go","old_string":"x := 1","new_string":"x := 2"}`
		}
		t.Said = append(t.Said, s)
	}
	return t
}

func onLongTalk(b *testing.B) *still {
	b.Helper()
	s := newStill(b, broker.Snapshot{Sessions: someSessions()}, nil, termenv.TrueColor)
	s.draw(120, 40, "shift+tab", "T")
	return s
}

// BenchmarkTranscriptFirst puts 5,000 entries together and draws the first frame.
func BenchmarkTranscriptFirst(b *testing.B) {
	got := longTalk(5000 * 4 / 3)
	s := onLongTalk(b)
	b.ResetTimer()
	for range b.N {
		s.m.tr = transcript{session: "s1", gen: s.m.tr.gen, follow: true}
		s.m.Update(transcriptMsg{gen: s.m.tr.gen, got: got})
		_ = s.m.View()
	}
	b.ReportMetric(float64(len(s.m.tr.items)), "entries")
}

// BenchmarkTranscriptScroll is a key press that scrolls by half a page, and its frame.
func BenchmarkTranscriptScroll(b *testing.B) {
	s := onLongTalk(b)
	s.m.Update(transcriptMsg{gen: s.m.tr.gen, got: longTalk(5000 * 4 / 3)})
	up, down := keyMsg("ctrl+u"), keyMsg("ctrl+d")
	b.ResetTimer()
	for i := range b.N {
		if i%400 < 200 {
			s.m.Update(up)
		} else {
			s.m.Update(down)
		}
		_ = s.m.View()
	}
}

// BenchmarkTranscriptNews is one entry more at the end of 5,000, and its frame.
func BenchmarkTranscriptNews(b *testing.B) {
	s := onLongTalk(b)
	s.m.Update(transcriptMsg{gen: s.m.tr.gen, got: longTalk(5000 * 4 / 3)})
	b.ResetTimer()
	for i := range b.N {
		at := int64(10_000 + i)
		s.m.Update(transcriptMsg{gen: s.m.tr.gen, got: story.Transcript{
			Part: story.LaterPart, AtEnd: true, Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, From: at, To: at + 1},
			Said: []story.Said{{By: "agent", Text: "more", Line: at}},
		}})
		_ = s.m.View()
	}
}
