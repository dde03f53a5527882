package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/story"
)

func transcriptHook(path string) agents.Hook {
	h := said("go on", false)
	h.Transcript = path
	return h
}

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spoken is a line of a user's.
func spoken(words string) string {
	raw, err := json.Marshal(words)
	if err != nil {
		panic(err)
	}
	return `{"type":"user","message":{"role":"user","content":` + string(raw) + `}}` + "\n"
}

// talk is a session whose agent writes to a file.
type talk struct {
	t    *testing.T
	b    *service.Broker
	path string
	tell story.Conversation
}

func newTalk(t *testing.T, lines ...string) *talk {
	t.Helper()
	k := &talk{t: t, b: newBroker(t, brokertest.NewMemory(), service.Options{Rate: -1}), path: filepath.Join(t.TempDir(), "s.jsonl")}
	writeTo(t, k.path, strings.Join(lines, ""))
	hear(t, k.b, transcriptHook(k.path))
	return k
}

func (k *talk) read(part story.TranscriptPart) story.Transcript {
	k.t.Helper()
	got, err := k.b.Transcript(k.t.Context(), ranSession, part, k.tell.Span())
	if err != nil {
		k.t.Fatal(err)
	}
	k.tell.Add(got)
	return got
}

// words are what is told, an entry a line.
func (k *talk) words() string {
	var list []string
	for _, e := range k.tell.Entries {
		text := string(e.By) + " " + e.Text
		if e.Call != nil {
			text = fmt.Sprintf("call %s %s %v %s", e.Call.ToolName, e.Call.ToolInput, e.OnRecord, e.Call.State)
		}
		if e.Ran != nil {
			text += fmt.Sprintf(" -> %s %v", e.Ran.Output, e.Ran.Failed)
		}
		if e.Moment != nil {
			text = e.Moment.Event.Type
		}
		list = append(list, text)
	}
	return strings.Join(list, "\n")
}

// Pages, read in any order while the file grows, are its whole lines: none twice, none
// missing, none before it is whole.
func TestTranscriptPages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		k := newTalk(t)
		var lines []string
		write := func(n int) {
			var b strings.Builder
			for range n {
				size := rapid.SampledFrom([]int{1, 40, 300, 20_000, 20_000, 300_000}).Draw(rt, "size")
				line := spoken(fmt.Sprint(len(lines), " ", strings.Repeat("x", size)))
				lines = append(lines, line)
				b.WriteString(line)
			}
			appendTo(t, k.path, b.String())
		}
		half := ""
		finish := func() {
			if half != "" {
				lines = append(lines, spoken(half))
				appendTo(t, k.path, spoken(half)[20:])
				half = ""
			}
		}
		write(rapid.IntRange(0, 15).Draw(rt, "first"))
		var first, last int // of lines that were told
		told := func(got story.Transcript) []string {
			var list []string
			for _, s := range got.Said {
				list = append(list, spoken(s.Text))
			}
			return list
		}
		got := told(k.read(story.NewestPart))
		last = len(lines)
		first = last - len(got)
		check := func(got, want []string) {
			if d := cmp.Diff(clipAll(want), clipAll(got)); d != "" {
				rt.Fatalf("(-want +got):\n%s", d)
			}
		}
		check(got, lines[first:last])
		for range rapid.IntRange(0, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				finish()
				write(rapid.IntRange(0, 3).Draw(rt, "more"))
			case 1:
				if half == "" {
					half = fmt.Sprint("half ", len(lines))
					appendTo(t, k.path, spoken(half)[:20])
				}
			case 2:
				got := told(k.read(story.LaterPart))
				check(got, lines[last:min(len(lines), last+len(got))])
				last += len(got)
				if k.tell.AtEnd() && last != len(lines) {
					rt.Fatalf("%d of %d lines at the end", last, len(lines))
				}
			case 3:
				if k.tell.AtStart() {
					continue
				}
				got := told(k.read(story.EarlierPart))
				if len(got) == 0 || len(got) > first {
					rt.Fatalf("%d lines before line %d", len(got), first)
				}
				check(got, lines[first-len(got):first])
				first -= len(got)
			}
		}
		if k.tell.AtStart() != (first == 0) {
			rt.Fatalf("the start is reached at line %d: %v", first, k.tell.AtStart())
		}
	})
}

func clipAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprint(s[:min(len(s), 90)], " ", len(s))
	}
	return out
}

// From the start forwards it is the same lines, and the end is the one that was read from
// the end.
func TestTranscriptForwards(t *testing.T) {
	var lines []string
	for i := range 900 {
		lines = append(lines, spoken(fmt.Sprint(i, strings.Repeat(" word", 200))))
	}
	k := newTalk(t, lines...)
	if got := k.read(story.OldestPart); !got.AtStart || got.AtEnd || len(got.Said) == 0 {
		t.Fatalf("the oldest part: %d parts, start %v, end %v", len(got.Said), got.AtStart, got.AtEnd)
	}
	for !k.tell.AtEnd() {
		if got := k.read(story.LaterPart); len(got.Said) == 0 {
			t.Fatal("nothing more, and not at the end")
		}
	}
	n := 0
	for _, e := range k.tell.Entries {
		if e.By == agents.SaidUser {
			if !strings.HasPrefix(e.Text, fmt.Sprint(n, " word")) {
				t.Fatalf("entry %d is %.20q", n, e.Text)
			}
			n++
		}
	}
	if n != 900 {
		t.Errorf("%d lines", n)
	}
}

// A file that took the transcript's place, was cut or was written over is read anew.
func TestTranscriptReplaced(t *testing.T) {
	long := strings.Repeat(spoken("old words"), 50)
	for name, change := range map[string]func(t *testing.T, path string){
		"cut": func(t *testing.T, path string) { t.Helper(); writeTo(t, path, spoken("new")) },
		"longer": func(t *testing.T, path string) {
			t.Helper()
			writeTo(t, path, strings.Repeat(spoken("new words, more"), 90))
		},
		"as long": func(t *testing.T, path string) {
			t.Helper()
			writeTo(t, path, strings.ReplaceAll(long, "old words", "new words"))
		},
		"another": func(t *testing.T, path string) {
			t.Helper()
			writeTo(t, path+"2", strings.ReplaceAll(long, "old", "new")+spoken("new"))
			if err := os.Rename(path+"2", path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, long)
			k.read(story.NewestPart)
			if got := k.read(story.LaterPart); !got.Same || got.Anew {
				t.Fatalf("unchanged: %+v", got)
			}
			change(t, k.path)
			if got := k.read(story.LaterPart); !got.Anew || got.Part != story.NewestPart || strings.Contains(k.words(), "old") || !strings.Contains(k.words(), "new") {
				t.Errorf("anew %v, %s: %.200s", got.Anew, got.Part, k.words())
			}
		})
	}
	k := newTalk(t, long)
	k.read(story.NewestPart)
	if err := os.Remove(k.path); err != nil {
		t.Fatal(err)
	}
	if got := k.read(story.LaterPart); !got.Anew || !strings.Contains(got.NoFile, "no such file") || !strings.Contains(k.words(), "go on") {
		t.Errorf("gone: %+v\n%s", got, k.words())
	}
	writeTo(t, k.path, long)
	if got := k.read(story.LaterPart); !got.Anew || got.NoFile != "" || !strings.Contains(k.words(), "old words") {
		t.Errorf("there again: %+v", got)
	}
}

// A very long line is left out, and what stands around it is told.
func TestTranscriptLongLine(t *testing.T) {
	t.Parallel()
	k := newTalk(t, spoken("before"), spoken(strings.Repeat("x", 40<<20)), spoken("after"))
	k.read(story.NewestPart)
	for i := 0; !k.tell.AtStart(); i++ {
		if k.read(story.EarlierPart); i > 9 {
			t.Fatal("the start is never reached")
		}
	}
	words := k.words()
	if !strings.Contains(words, "user before\n") || !strings.Contains(words, "user after") || !strings.Contains(words, "is left out") || len(words) > 1000 {
		t.Errorf("%.1000s", words)
	}
}

// Attack: a file of half a gigabyte. Its end is read, and no more of it.
func TestTranscriptHuge(t *testing.T) {
	k := newTalk(t)
	if err := os.Truncate(k.path, 500<<20); err != nil {
		t.Fatal(err)
	}
	appendTo(t, k.path, "\n"+strings.Repeat(spoken("words"), 5000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := k.read(story.NewestPart)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 || len(got.Said) < 1000 {
		t.Errorf("%d parts took %d bytes", len(got.Said), n)
	}
}

// Attack: a hook names something else than a transcript. No device, no pipe and no link is
// opened for reading, and nothing waits; what is on record is told.
func TestTranscriptIsARegularFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link, none := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "none")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/etc/passwd", link)); err != nil {
		t.Fatal(err)
	}
	list := []string{pipe, link, none, dir, "/dev/zero", "relative.jsonl", ""}
	if os.Getuid() != 0 {
		list = append(list, "/etc/passwd")
	}
	for _, path := range list {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		hear(t, b, transcriptHook(path))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		got, err := b.Transcript(ctx, ranSession, story.NewestPart, story.TranscriptSpan{})
		if err != nil || !strings.Contains(got.NoFile, broker.ErrNoTranscript.Error()) || got.Said != nil || len(got.Moments) == 0 || ctx.Err() != nil {
			t.Errorf("%q: %+v, %v", path, got, err)
		}
		cancel()
	}
}

// Calls have the verdict on them and what they gave back, whichever of file and record
// tells it; a call that the file lacks stands where it was asked.
func TestTranscriptVerdicts(t *testing.T) {
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }
	call := func(id, command string, d time.Duration) string {
		return `{"type":"assistant","timestamp":"` + at(d) + `","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"` + command + `"}}]}}` + "\n"
	}
	k := newTalk(t, spoken("do it"), call("a", "one", 0), call("b", "two", 0), call("x", "never asked", 0))
	one := askAs(t, k.b, "PreToolUse", "a", "Bash", `{"command":"one"}`)
	two := askAs(t, k.b, "PreToolUse", "b", "Bash", `{"command":"two"}`)
	askAs(t, k.b, "PreToolUse", "c", "Bash", `{"command":"elsewhere"}`)
	for r, v := range map[*broker.Request]broker.Verdict{&one: broker.Allow, &two: broker.Deny} {
		if _, err := k.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: v, By: operator, Reason: "because"}); err != nil {
			t.Fatal(err)
		}
	}
	k.read(story.NewestPart)
	want := `user do it
call Bash {"command":"one"} true allowed
call Bash {"command":"two"} true denied
call Bash {"command":"never asked"} false 
call Bash {"command":"elsewhere"} true pending`
	if d := cmp.Diff(want, k.words()); d != "" {
		t.Fatalf("(-want +got):\n%s", d)
	}
	hear(t, k.b, done("a", "one", `{"stdout":"made","stderr":""}`, false))
	appendTo(t, k.path, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"no","is_error":true}]}}`+"\n")
	appendTo(t, k.path, call("c", "elsewhere", time.Hour))
	k.read(story.LaterPart)
	want = `user do it
call Bash {"command":"one"} true allowed -> made false
call Bash {"command":"two"} true denied -> no true
call Bash {"command":"never asked"} false 
call Bash {"command":"elsewhere"} true pending`
	if d := cmp.Diff(want, k.words()); d != "" {
		t.Errorf("later (-want +got):\n%s", d)
	}
	if got := k.read(story.LaterPart); !got.Same {
		t.Errorf("nothing new: %+v", got)
	}
}

// A verdict stands beside the call that it is on: what the file has under the id of another
// call is told as well, and what it has otherwise is told with it.
func TestTranscriptThatTellsAnotherCall(t *testing.T) {
	line := func(id, tool, input string) string {
		return `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"` + tool + `","input":` + input + `}]}}` + "\n"
	}
	k := newTalk(t, line("a", "Bash", `{"command":"rm -rf ~"}`), line("a", "Bash", `{"command":"ls"}`), line("a", "Write", `{"file_path":"/x"}`),
		line("b", "Bash", `{"command":"rm -rf ~"}`), line("c", "Write", `{"command":"pwd"}`), line("d", "Edit", `{"file_path":"f"}`),
		line("e", "Bash", `{"command":"small"}`))
	askAs(t, k.b, "PreToolUse", "a", "Bash", `{"command":"ls"}`)
	askAs(t, k.b, "PreToolUse", "b", "Bash", `{"command":"date"}`)
	askAs(t, k.b, "PreToolUse", "c", "Bash", `{"command":"pwd"}`)
	askAs(t, k.b, "PreToolUse", "d", "Edit", `{"file_path":"f","replace_all":false}`)
	askAs(t, k.b, "PreToolUse", "e", "Bash", `{"command":"`+strings.Repeat("x", 70<<10)+`"}`)
	k.read(story.NewestPart)
	var got []string
	for _, e := range k.tell.Entries {
		text := fmt.Sprintf("%s %s %v", e.Call.ToolName, e.Call.ToolInput, e.OnRecord)
		if e.InFile != nil {
			text += fmt.Sprintf(", in the file %s %s", e.InFile.ToolName, e.InFile.ToolInput)
		}
		if e.Retold {
			text += ", retold"
		}
		got = append(got, text)
	}
	want := []string{
		`Bash {"command":"rm -rf ~"} false`, `Bash {"command":"ls"} true`, `Write {"file_path":"/x"} false`,
		`Bash {"command":"date"} true, in the file Bash {"command":"rm -rf ~"}`,
		`Bash {"command":"pwd"} true, in the file Write {"command":"pwd"}`,
		`Edit {"file_path":"f","replace_all":false} true`,
		`Bash {"command":"small"} true, retold`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// An agent that tells its hooks no ids: its calls are found by what they are, each once.
func TestTranscriptWithoutIDs(t *testing.T) {
	line := func(id, command string) string {
		return `{"id":"m` + id + `","type":"gemini","content":"","toolCalls":[{"id":"` + id + `","name":"run_shell_command","args":{"command":"` + command + `"},"status":"success"}]}` + "\n"
	}
	k := newTalk(t, line("1", "ls"), line("2", "ls"), line("3", "pwd"))
	for i, command := range []string{"ls", "ls"} {
		r, err := k.b.Submit(t.Context(), broker.Question{Request: broker.Request{
			Key: fmt.Sprint("k", i), SessionID: ranSession, Agent: "gemini", Event: "BeforeTool", ToolName: "run_shell_command",
			ToolInput: json.RawMessage(`{ "command": "` + command + `" }`), CWD: "/p",
		}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			_, err = k.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	k.read(story.NewestPart)
	want := "call run_shell_command { \"command\": \"ls\" } true denied\ncall run_shell_command { \"command\": \"ls\" } true pending\ncall run_shell_command {\"command\":\"pwd\"} false "
	if d := cmp.Diff(want, k.words()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// An agent that tells its hooks other ids than it writes down: its calls are found by what
// they are, but for those of a sub-agent, which writes elsewhere.
func TestTranscriptOtherIDs(t *testing.T) {
	k := newTalk(t, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}]}}`+"\n")
	side := broker.Request{
		Key: "side", SessionID: ranSession, Agent: "claude", Event: "PreToolUse", ToolName: "Bash", ToolUseID: "s", SubagentID: "a1", SubagentType: "helper",
		ToolInput: json.RawMessage(`{"command":"ls"}`), CWD: "/p",
	}
	if _, err := k.b.Submit(t.Context(), broker.Question{Request: side}); err != nil {
		t.Fatal(err)
	}
	askAs(t, k.b, "PreToolUse", "toolu_other", "Bash", `{"command":"ls"}`)
	k.read(story.NewestPart)
	want := "call Bash {\"command\":\"ls\"} true pending\ncall Bash {\"command\":\"ls\"} true pending"
	if d := cmp.Diff(want, k.words()); d != "" || k.tell.Entries[0].Whose != "" || k.tell.Entries[1].Whose != "helper" {
		t.Errorf("%+v (-want +got):\n%s", k.tell.Entries, d)
	}
}

// A short file may tell of more calls than a part has events: those before are read too.
func TestTranscriptOfManyCalls(t *testing.T) {
	k := newTalk(t)
	const calls = 350
	for i := range calls {
		id := fmt.Sprint("toolu_", i)
		appendTo(t, k.path, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"`+id+`","name":"Bash","input":{"command":"one"}}]}}`+"\n")
		r := askAs(t, k.b, "PreToolUse", id, "Bash", `{"command":"one"}`)
		if _, err := k.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
			t.Fatal(err)
		}
	}
	parts := 1
	for k.read(story.NewestPart); !k.tell.AtStart(); parts++ {
		k.read(story.EarlierPart)
	}
	told := 0
	for _, e := range k.tell.Entries {
		if e.OnRecord && e.Call.State == broker.Denied {
			told++
		}
	}
	if told != calls || !k.tell.AtEnd() {
		t.Errorf("of %d calls %d are told with how they ended, in %d parts", calls, told, parts)
	}
}

// Without a file the hooks' words make the transcript.
func TestTranscriptOfHooks(t *testing.T) {
	k := newTalk(t)
	if err := os.Remove(k.path); err != nil {
		t.Fatal(err)
	}
	r := askAs(t, k.b, "PreToolUse", "a", "Bash", `{"command":"one"}`)
	if _, err := k.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
		t.Fatal(err)
	}
	hear(t, k.b, done("a", "one", `{"stdout":"made","stderr":""}`, false))
	end := said("all done", false)
	end.Kind, end.Event = agents.TurnEnd, "Stop"
	hear(t, k.b, end)
	k.read(story.NewestPart)
	want := "session_start\nuser go on\ncall Bash {\"command\":\"one\"} true allowed -> made false\nagent all done"
	if d := cmp.Diff(want, k.words()); d != "" || !k.tell.AtStart() {
		t.Errorf("at the start %v (-want +got):\n%s", k.tell.AtStart(), d)
	}
	for i := range 700 {
		hear(t, k.b, said(fmt.Sprint("words ", i), false))
	}
	for !k.tell.AtEnd() || k.read(story.LaterPart).Part == "" {
		continue
	}
	k.tell = story.Conversation{}
	k.read(story.NewestPart)
	for !k.tell.AtStart() {
		k.read(story.EarlierPart)
	}
	if n := len(k.tell.Entries); n != 704 {
		t.Errorf("%d entries", n)
	}
}

// Whatever stands in a file, its parts make entries with names of their own, however they
// are cut, and those that are held are no more than there are.
func FuzzTelling(f *testing.F) {
	f.Add([]byte(spoken("x")+`{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** x","call_id":"1"}}`+"\n"), 3)
	f.Add([]byte(`{"id":"a","type":"gemini","content":[{"text":"x"}],"toolCalls":[{"id":"c","name":"n","args":{},"result":[{"functionResponse":{"id":"c","response":{"error":"e"}}}]}]}`), 0)
	f.Add([]byte("words\n\n\x00\xff"), 1)
	f.Add([]byte(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]}}`), 0)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		at := bytes.IndexByte(text[min(max(cut, 0), len(text)):], '\n') + 1 + min(max(cut, 0), len(text))
		at = min(at, len(text))
		var tell story.Conversation
		for i, part := range [][]byte{text[:at], text[at:]} {
			list := agents.ReadTranscript(part)
			for j := range list {
				list[j].Line += int64(i * at)
			}
			name := story.LaterPart
			if i == 0 {
				name = story.NewestPart
			}
			tell.Add(story.Transcript{Agent: "codex", Part: name, Said: list, Span: story.TranscriptSpan{File: story.FileMark{Ino: 1}}})
		}
		seen := map[string]bool{}
		for _, e := range tell.Entries {
			if seen[e.Key] || e.By == "" {
				t.Fatalf("entry %q by %q", e.Key, e.By)
			}
			if seen[e.Key] = true; e.Call != nil && !json.Valid(e.Call.ToolInput) && !e.Large {
				t.Fatalf("a call's input is %q", e.Call.ToolInput)
			}
		}
	})
}
