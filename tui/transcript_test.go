package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// aTalk is a session as its agent wrote it down, with what is on record of it.
func aTalk() story.Transcript {
	you := broker.Actor{Kind: broker.ByOperator}
	var r record
	test := bash("t1", "s1", seconds(160), "go test ./...")
	test.ToolUseID = "toolu_1"
	r.add(160, broker.EventRequestCreated, &test, nil)
	r.decided(150, test, broker.Allowed, you, "")
	r.add(140, broker.EventPostTool, &test, ranData(true, 9800, "FAIL"))
	edit := editCall("t2", seconds(130))
	edit.ToolUseID = "toolu_2"
	r.decided(130, edit, broker.Allowed, broker.Actor{Kind: broker.ByRule, ID: "builtin:read-only"}, "")
	remove := bash("t3", "s1", seconds(100), "rm -rf dist")
	remove.ToolUseID = "toolu_3"
	r.decided(90, remove, broker.Denied, you, "keep the build")
	expired := bash("t4", "s1", seconds(85), "terraform apply")
	expired.ToolUseID = "toolu_4"
	r.decided(80, expired, broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "")
	side := bash("t5", "s1", seconds(70), "git clean -n dist") // a sub-agent's, which writes elsewhere
	side.ToolUseID, side.SubagentType = "toolu_5", "reviewer"
	r.decided(69, side, broker.Allowed, you, "")
	r.add(40, broker.EventStopRequested, nil, map[string]any{"by": you})
	wait := bash("r1", "s1", seconds(30), "git push --force")
	wait.ToolUseID = "toolu_6"
	r.add(30, broker.EventRequestCreated, &wait, nil)
	usage := wire.RunUsage{Input: 1200, Output: 340, CacheRead: 11_000}
	return story.Transcript{
		Agent: "claude", CWD: home, Path: "/home/ada/.claude/projects/-home-ada-src-api-server/s1.jsonl", Part: story.NewestPart,
		Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}, From: 0, To: 400_000, First: 1, Last: 99}, Size: 400_000, AtStart: true, AtEnd: true,
		Moments: r.list,
		Said: []story.Said{
			{By: "user", Text: "Make the tests pass,\nthen clean up.", At: seconds(170), Line: 1},
			{By: "thought", Text: "Tests first.\nThen the rest.", At: seconds(168), Line: 2},
			{By: "agent", Text: "I will run them **first**:\n\n1. run `go test`\n2. look at what *fails*\n", At: seconds(165), Line: 3, Model: "claude-opus-5-5", Reply: "m1", Usage: usage},
			{By: "call", Tool: "Bash", ID: "toolu_1", Text: `{"command":"go test ./..."}`, At: seconds(160), Line: 4, Reply: "m1", Usage: usage},
			{By: "failed", ID: "toolu_1", Text: strings.Repeat("--- FAIL: TestClose\n", 30), At: seconds(140), Line: 5},
			{By: "call", Tool: "Edit", ID: "toolu_2", Text: string(edit.ToolInput), At: seconds(130), Line: 6},
			{By: "result", ID: "toolu_2", Text: "done \x1b]0;owned\a \u202edetrever", At: seconds(129), Line: 7},
			{By: "call", Tool: "Bash", ID: "toolu_3", Text: `{"command":"rm -rf dist"}`, At: seconds(100), Line: 8},
			{By: "failed", ID: "toolu_3", Text: "A person denied this call in aoctl: keep the build", At: seconds(90), Line: 9},
			{By: "call", Tool: "Bash", ID: "toolu_4", Text: `{"command":"terraform apply"}`, At: seconds(85), Line: 10},
			{By: "call", Tool: "Read", ID: "toolu_7", Text: `{"file_path":"` + home + `/宽.txt"}`, At: seconds(60), Line: 11},
			{By: "result", ID: "toolu_7", Text: "", At: seconds(60), Line: 12},
			{By: "other", Tool: "attachment", Text: `{"type":"attachment"}`, Line: 13},
			{By: "other", Text: `{"x":1}`, Line: 14},
			{By: "call", Tool: "Bash", ID: "toolu_6", Text: `{"command":"git push --force"}`, At: seconds(30), Line: 15},
		},
	}
}

// anotherTalk is aTalk where the file has other calls under the ids of those on record.
func anotherTalk() story.Transcript {
	got := aTalk()
	last := len(got.Said) - 1
	got.Said[last].Text = `{"command":"ls\u001b[2J # ` + strings.Repeat("so harmless ", 20) + `"}`
	large := bash("r0", "s1", seconds(20), "")
	large.ToolUseID, large.ToolInput, large.State = "toolu_8", nil, broker.Allowed
	large.Outcome = &broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByOperator}}
	got.Moments = append(got.Moments, story.Moment{Event: broker.Event{Seq: 98, At: seconds(20), Type: broker.EventRequestDecided, RequestID: "r0"}, Call: &large})
	got.Said = append(got.Said, story.Said{By: "call", Tool: "Bash", ID: "toolu_8", Text: `{"command":"ls"}`, At: seconds(20), Line: 16})
	return got
}

// heard is a session of which only hooks told.
func heard() story.Transcript {
	var r record
	for _, m := range aSession() {
		m.Event.Seq = int64(len(r.list) + 1)
		r.list = append(r.list, m)
	}
	return story.Transcript{
		Agent: "opencode", NoFile: "no transcript is known: its agent named none", Part: story.NewestPart,
		Span: story.TranscriptSpan{First: 1, Last: int64(len(r.list))}, AtStart: true, AtEnd: true, Moments: r.list,
	}
}

func onTranscript(tb testing.TB, got story.Transcript, err error, width, height int, profile termenv.Profile) *still {
	tb.Helper()
	wait := bash("r1", "s1", seconds(30), "git push --force")
	s := newStill(tb, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{wait}}, nil, profile)
	fake, _ := s.m.console.(*fakeConsole)
	fake.transcript, fake.writeErr = got, err
	s.draw(width, height, "shift+tab", "T")
	s.told()
	return s
}

func TestGoldenTranscript(t *testing.T) {
	bottomless := aTalk()
	bottomless.Size += 300
	for name, sc := range map[string]struct {
		got  story.Transcript
		err  error
		keys []string
	}{
		"transcript":          {got: aTalk()},
		"transcript top":      {got: aTalk(), keys: []string{"g"}},
		"transcript page up":  {got: aTalk(), keys: []string{"ctrl+u"}},
		"transcript unfolded": {got: aTalk(), keys: []string{"u"}},
		"transcript one":      {got: aTalk(), keys: []string{"g", "j", "j", "j", "enter"}},
		"transcript search":   {got: aTalk(), keys: []string{"/", "d", "i", "s", "t", "enter", "n"}},
		"transcript heard":    {got: heard()},
		"transcript half":     {got: bottomless},
		"transcript retold":   {got: anotherTalk()},
		"transcript none":     {got: story.Transcript{NoFile: broker.ErrNoTranscript.Error() + ": it is a link", AtStart: true}},
		"transcript broken":   {err: errors.New("read: input/output error")},
	} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, name, func(width, height int) *still {
				s := onTranscript(t, sc.got, sc.err, width, height, termenv.Ascii)
				s.draw(width, height, sc.keys...)
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
}

// A call that waits: enter leads to its card, where the usual keys decide; once it is
// decided the transcript says so.
func TestTranscriptToCard(t *testing.T) {
	s := onTranscript(t, aTalk(), nil, 80, 24, termenv.Ascii)
	s.draw(80, 24, "enter")
	if s.m.open() != nil || s.m.listed() || s.m.selected() != "r1" {
		t.Fatalf("it leads to:\n%s", s.m.View())
	}
	s.draw(80, 24, "esc", "shift+tab", "T")
	s.told()
	fake, _ := s.m.console.(*fakeConsole)
	got := aTalk()
	last := &got.Moments[len(got.Moments)-1]
	done := settled(*last.Call, broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", tuitest.Noon)
	last.Call = &done
	got.Span.Last++
	got.Said = nil
	got.Part = story.LaterPart
	fake.transcript = got
	s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &done}}})
	s.told()
	view := s.draw(80, 24)
	if strings.Contains(view, "waits for you") || strings.Count(view, "git push --force") != 1 {
		t.Errorf("decided, and still:\n%s", view)
	}
	s.draw(80, 24, "enter")
	if s.m.open() != s.m.rooms[desk.Transcript] {
		t.Error("enter on a decided call leads elsewhere")
	}
}
