package transcript

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/tuitest"
	"github.com/aoctl/aoctl/tui/words"
)

// aBroker answers as it is told to.
type aBroker func(part story.TranscriptPart, have story.TranscriptSpan) story.Transcript

func (b aBroker) Transcript(_ context.Context, _ string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error) {
	return b(part, have), nil
}

// console is what the tests' screens have around them: it remembers the line that is asked for.
type console struct {
	desk.Root
	line desk.Line
}

func (c *console) Say(draw.Ink, ...string) tea.Cmd       { return nil }
func (c *console) Read(l desk.Line)                      { c.line = l }
func (c *console) Around(broker.Request) callview.Around { return callview.Around{} }
func (c *console) Open(string, desk.Subject) tea.Cmd     { return nil }
func (c *console) Copy(string, string) tea.Cmd           { return nil }
func (c *console) CopyCall(broker.Request) tea.Cmd       { return nil }

// rig is a screen that is open on a session.
type rig struct {
	*Screen
	console *console
}

func newRig(tb testing.TB, b aBroker, width, height int, profile termenv.Profile) *rig {
	tb.Helper()
	r := &rig{console: new(console)}
	d := &desk.Desk{
		Root: r.console, Board: board.NewBoard(), Book: words.NewBook(broker.RuleBook{}), Ctx: tb.Context(), At: tuitest.Noon,
		Styles: draw.NewStyles(draw.DefaultPalette(), profile, true, profile != termenv.Ascii), Width: width, Height: height, Stacked: width < desk.StackBelow,
	}
	r.Screen = New(d, b)
	r.Opens(desk.Subject{Session: "s1"})
	r.told()
	return r
}

// told lets the screen's questions be answered until it asks no more.
func (r *rig) told() {
	for cmd := r.Update(desk.Settle{}); cmd != nil; cmd = r.Update(desk.Settle{}) {
		r.Update(cmd())
	}
}

// press presses a key, and has the place settled.
func (r *rig) press(name string) {
	msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
	if t, ok := map[string]tea.KeyType{"enter": tea.KeyEnter, "ctrl+d": tea.KeyCtrlD, "ctrl+u": tea.KeyCtrlU}[name]; ok {
		msg = tea.KeyMsg{Type: t}
	}
	for _, k := range r.Keys() {
		for _, n := range k.Keys() {
			if n == name {
				k.Do(msg)
				r.settleOnly()
				return
			}
		}
	}
}

// settleOnly settles without asking: what is asked for then is asked for again by told.
func (r *rig) settleOnly() {
	if r.Update(desk.Settle{}) != nil {
		r.asking, r.due = false, true
	}
}

// search types words into the line that / asks for.
func (r *rig) search(text string) {
	r.press("/")
	for i := range text {
		r.console.line.Typed(text[:i+1])
		r.settleOnly()
	}
}

func (r *rig) drawn() string { return strings.Join(r.View(r.Width, r.Height), "\n") }

// A transcript that grows: drawing it never goes beyond the window, a reader who follows
// always sees the newest entry, one who does not keeps the row that was on top, and only
// the keys move the place.
func TestTranscriptFollows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "entries")
		first := 0 // of those that were handed out
		entry := func(i int) story.Said {
			text := fmt.Sprintf("entry %d. ", i) + strings.Repeat(rapid.SampledFrom([]string{"words ", "宽 ", "line\n", "`code` "}).Draw(rt, "kind"), rapid.IntRange(0, 40).Draw(rt, "long"))
			s := story.Said{By: rapid.SampledFrom([]agents.Speaker{"user", "agent", "thought", "result", "other"}).Draw(rt, "by"), Text: text, Line: int64(i)}
			if i%3 == 0 {
				s = story.Said{By: "call", Tool: "Bash", Text: `{"command":"entry ` + fmt.Sprint(i) + `."}`, Line: int64(i)}
			}
			return s
		}
		var all []story.Said
		for i := range n {
			all = append(all, entry(i))
		}
		first = rapid.IntRange(0, n-1).Draw(rt, "first")
		size := rapid.SampledFrom([][2]int{{40, 10}, {80, 22}, {120, 38}}).Draw(rt, "size")
		s := newRig(t, func(part story.TranscriptPart, have story.TranscriptSpan) story.Transcript {
			from, to := 0, len(all)
			switch part {
			case story.NewestPart:
				from = first
			case story.LaterPart:
				from = int(have.To)
			case story.EarlierPart:
				from, to = max(0, int(have.From)-5), int(have.From)
			case story.OldestPart:
				to = min(5, len(all))
			}
			return story.Transcript{
				Part: part, Said: all[from:to], Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, From: int64(from), To: int64(to)},
				AtStart: from == 0, AtEnd: to == len(all), Same: part == story.LaterPart && from == to,
			}
		}, size[0], size[1], termenv.Ascii)
		keys := []string{"j", "k", "ctrl+u", "ctrl+d", "g", "G", "enter", "u", "/", "n", "N"}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "grows") {
				top, follows := s.topRow(), s.list.follow
				all = append(all, entry(len(all)))
				s.Update(desk.Tick{})
				s.told()
				tuitest.CheckView(t, s.drawn(), size[0], size[1])
				if follows != s.list.follow {
					rt.Fatal("news change whether it follows")
				}
				if !follows && s.tell.AtEnd() && top != "" && s.topRow() != top {
					rt.Fatalf("news move the reader from %q to %q", top, s.topRow())
				}
			}
			k := rapid.SampledFrom(keys).Draw(rt, "key")
			if k == "/" {
				s.search("en")
			} else {
				s.press(k)
			}
			s.told()
			view := s.drawn()
			tuitest.CheckView(t, view, size[0], size[1])
			if s.list.follow && s.tell.AtEnd() {
				s.seesNewest(rt)
			}
			if at, ok := s.list.selected(); !ok || s.off(at) {
				rt.Fatalf("after %s the selected entry is not on the screen:\n%s", k, view)
			}
		}
	})
}

// topRow names the entry and the row of it on top of the screen.
func (r *rig) topRow() string {
	if r.list.top >= len(r.list.items) {
		return ""
	}
	return fmt.Sprint(r.list.items[r.list.top].Key, " ", r.list.offset)
}

// off reports whether no row of entry i is on the screen.
func (r *rig) off(i int) bool {
	first, last := r.list.onScreen()
	return i < first || i > last
}

func (r *rig) seesNewest(rt *rapid.T) {
	if below := r.list.below(r.list.height); below > r.list.height {
		rt.Fatalf("%d rows from the top to the end, and %d fit", below, r.list.height)
	}
	if r.off(len(r.list.items) - 1) {
		rt.Fatal("the newest entry is not on the screen")
	}
}

// What is searched for is found in what is not read yet, and around the end.
func TestTranscriptSearchesOlder(t *testing.T) {
	var all []story.Said
	for i := range 300 {
		all = append(all, story.Said{By: "user", Text: fmt.Sprintf("entry %d", i), Line: int64(i)})
	}
	all[7].Text, all[250].Text = "a Needle here", "one needle"
	s := newRig(t, func(part story.TranscriptPart, have story.TranscriptSpan) story.Transcript {
		from, to := 200, 300
		if part == story.EarlierPart {
			from, to = max(0, int(have.From)-20), int(have.From)
		}
		return story.Transcript{
			Part: part, Said: all[from:to], Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, From: int64(from), To: int64(to)},
			AtStart: from == 0, AtEnd: to == 300, Same: part == story.LaterPart,
		}
	}, 80, 22, termenv.TrueColor)
	at := func() string {
		i, ok := s.list.selected()
		if !ok {
			return "nowhere"
		}
		return s.list.items[i].Text
	}
	s.search("needle")
	if view := s.drawn(); at() != "one needle" || !strings.Contains(view, s.Styles.Plain[draw.Sign]+"needle") {
		t.Errorf("first at %q:\n%s", at(), view)
	}
	if hint := s.console.line.Hint("needle"); hint != "" {
		t.Errorf("found, and the line says %q", hint)
	}
	s.press("n")
	s.told()
	if view := s.drawn(); at() != "a Needle here" || !strings.Contains(view, s.Styles.Plain[draw.Sign]+"Needle") {
		t.Errorf("older at %q:\n%s", at(), view)
	}
	for s.press("n"); !s.tell.AtStart(); s.press("n") {
		s.told()
	}
	s.told()
	if at() != "one needle" {
		t.Errorf("around the start at %q", at())
	}
	if s.press("N"); at() != "a Needle here" {
		t.Errorf("back around the end at %q", at())
	}
	s.search("nowhere")
	if hint := s.console.line.Hint("nowhere"); hint == "" {
		t.Error("the line does not say that nothing was found")
	}
}

// longTalk is a transcript of n entries as they come in practice.
func longTalk(n int) story.Transcript {
	t := story.Transcript{Agent: "claude", Part: story.NewestPart, AtStart: true, AtEnd: true, Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, To: int64(n)}}
	for i := range n {
		s := story.Said{Line: int64(i), At: tuitest.Noon.Add(-time.Duration(n-i) * time.Second)}
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

// frame settles and draws.
func (r *rig) frame() {
	r.Update(desk.Settle{})
	_ = r.View(r.Width, r.Height)
}

func onLongTalk(b *testing.B) *rig {
	b.Helper()
	got := longTalk(5000 * 4 / 3)
	return newRig(b, func(story.TranscriptPart, story.TranscriptSpan) story.Transcript { return got }, 120, 38, termenv.TrueColor)
}

// BenchmarkTranscriptFirst puts 5,000 entries together and draws the first frame.
func BenchmarkTranscriptFirst(b *testing.B) {
	got := longTalk(5000 * 4 / 3)
	s := onLongTalk(b)
	b.ResetTimer()
	for range b.N {
		s.Opens(desk.Subject{Session: "s1"})
		s.Update(partMsg{gen: s.gen, got: got})
		s.frame()
	}
	b.ReportMetric(float64(len(s.list.items)), "entries")
}

// BenchmarkTranscriptScroll is a key press that scrolls by half a page, and its frame.
func BenchmarkTranscriptScroll(b *testing.B) {
	s := onLongTalk(b)
	b.ResetTimer()
	for i := range b.N {
		if i%400 < 200 {
			s.press("ctrl+u")
		} else {
			s.press("ctrl+d")
		}
		s.frame()
	}
}

// BenchmarkTranscriptNews is one entry more at the end of 5,000, and its frame.
func BenchmarkTranscriptNews(b *testing.B) {
	s := onLongTalk(b)
	b.ResetTimer()
	for i := range b.N {
		at := int64(10_000 + i)
		s.Update(partMsg{gen: s.gen, got: story.Transcript{
			Part: story.LaterPart, AtEnd: true, Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, From: at, To: at + 1},
			Said: []story.Said{{By: "agent", Text: "more", Line: at}},
		}})
		s.frame()
	}
}
