package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// done is the report of a call that ended.
func done(id, command, result string, failed bool) agents.Hook {
	h := ranHook(agents.ToolDone, id, "Bash", `{"command":"`+command+`"}`)
	h.Result, h.Failed, h.Duration = json.RawMessage(result), failed, 1200*time.Millisecond
	return h
}

func said(text string, fromAgent bool) agents.Hook {
	return agents.Hook{Agent: "claude", Kind: agents.Prompt, Event: "UserPromptSubmit", SessionID: ranSession, CWD: "/p", Text: text, FromApp: fromAgent}
}

// What led to a call, and what came of it, is told from the log, so also by a console
// that was started since.
func TestStory(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	hear(t, b, said("make it pass", false))
	var last broker.Request
	for i := range 5 {
		id := fmt.Sprint("t", i)
		last = askAs(t, b, "PreToolUse", id, "Bash", fmt.Sprintf(`{"command":"c%d"}`, i))
		if i == 4 {
			break
		}
		if _, err := b.Decide(t.Context(), last.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
			t.Fatal(err)
		}
		hear(t, b, done(id, fmt.Sprint("c", i), `{"stdout":"out `+id+`","stderr":""}`, i == 3))
		hear(t, b, said("a report of a task", true))
	}
	for name, b := range map[string]*service.Broker{"the same console": b, "the next one": newBroker(t, st, service.Options{})} {
		s, err := b.Story(t.Context(), last.ID)
		if err != nil {
			t.Fatal(err)
		}
		if s.Asked != "make it pass" || s.AskedAt.IsZero() || s.Ran != nil {
			t.Errorf("%s: you asked %q at %v, ran %+v", name, s.Asked, s.AskedAt, s.Ran)
		}
		var before []string
		for _, p := range s.Before {
			if p.Ran == nil {
				t.Fatalf("%s: %s did not run", name, p.Request.ToolInput)
			}
			before = append(before, fmt.Sprint(string(p.Request.ToolInput), p.Ran.Failed, p.Ran.Took(), p.Ran.Output))
		}
		want := []string{`{"command":"c3"}true 1.2sout t3`, `{"command":"c2"}false 1.2sout t2`, `{"command":"c1"}false 1.2sout t1`}
		if d := cmp.Diff(want, before); d != "" {
			t.Errorf("%s: before (-want +got):\n%s", name, d)
		}
		first, err := b.Story(t.Context(), s.Before[0].Request.ID)
		if err != nil || first.Ran == nil || first.Ran.Output != "out t3" || !first.Ran.Failed || first.Ran.ToolUseID != "t3" || first.RanAt.IsZero() {
			t.Errorf("%s: story of a call that ran: %+v, %v", name, first, err)
		}
	}
	if _, err := b.Story(t.Context(), "nobody"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("of no request: %v", err)
	}
}

// A call that was asked for without an id, as Claude Code's own questions are, finds its
// report by what it says: each of two alike gets its own.
func TestEndsWithoutAnID(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	ask := func(key, command string) broker.Request {
		return submit(t, b, broker.Question{Request: broker.Request{
			Key: key, SessionID: ranSession, Agent: "claude", Event: "PermissionRequest", ToolName: "Bash",
			ToolInput: json.RawMessage(`{"command":"` + command + `"}`), CWD: "/p",
		}})
	}
	one := ask("k1", "make")
	two, other, denied := ask("k2", "make"), ask("k3", "make x"), ask("k4", "make y")
	for _, r := range []broker.Request{one, two} {
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Decide(t.Context(), denied.ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
		t.Fatal(err)
	}
	hear(t, b, done("t1", "make", `"first"`, false))
	hear(t, b, done("t2", "make", `"second"`, true))
	hear(t, b, done("t3", "make", `"third"`, false)) // nobody asked for it
	hear(t, b, done("t4", "make x", `"fourth"`, false))
	hear(t, b, done("t5", "make y", `"fifth"`, false))
	for r, want := range map[string]string{one.ID: "first", two.ID: "second", other.ID: "fourth"} {
		if s, err := b.Story(t.Context(), r); err != nil || s.Ran == nil || s.Ran.Output != want {
			t.Errorf("want %q: %+v, %v", want, s.Ran, err)
		}
	}
	if s, err := b.Story(t.Context(), denied.ID); err != nil || s.Ran != nil {
		t.Errorf("a refused call is told to have run: %+v, %v", s.Ran, err)
	}
	if r, err := b.Request(t.Context(), other.ID); err != nil || r.State != broker.Answered {
		t.Errorf("the call that was answered in the agent's terminal is %s, %v", r.State, err)
	}
}

// Whatever a tool gave back, what is recorded of it is bounded and says what is missing.
func TestOutputIsBounded(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	kept := func(t interface{ Fatal(...any) }, b *service.Broker, text string) broker.RanData {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return b.RanData(done("t", "make", string(raw), false))
	}
	big := strings.Repeat("0123456789abcdef", 5<<16) // 5 MiB
	d := kept(t, b, "HEAD"+big+"TAIL")
	if len(d.Output) > 16<<10 || !strings.HasPrefix(d.Output, "HEAD0") || !strings.HasSuffix(d.Output, "fTAIL") || d.OutputBytes != len(big)+8 {
		t.Errorf("%d of %d bytes are kept", len(d.Output), d.OutputBytes)
	}
	if off := kept(t, newBroker(t, brokertest.NewMemory(), service.Options{Recording: service.Recording{NoOutput: true}}), "secret"); off.Output != "" || off.OutputBytes != 6 || off.Missing() != 6 {
		t.Errorf("with NoOutput: %+v", off)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Repeat(rapid.StringMatching(`[a\x00\x1b"é€😀\n]{0,40}`).Draw(rt, "text"), rapid.IntRange(0, 2000).Draw(rt, "times"))
		d := kept(rt, b, text)
		raw, err := json.Marshal(d)
		if err != nil || len(raw) > 33<<10 {
			rt.Fatalf("%d bytes of JSON, %v", len(raw), err)
		}
		if d.OutputBytes != len(text) || d.CutAt > len(d.Output) || (d.Missing() == 0) != (d.Output == text) {
			rt.Fatalf("%d of %d bytes kept, cut at %d", len(d.Output), d.OutputBytes, d.CutAt)
		}
		if !strings.HasPrefix(text, d.Output[:d.CutAt]) || !strings.HasSuffix(text, d.Output[d.CutAt:]) {
			rt.Fatalf("what is kept is not its beginning and its end")
		}
	})
}

// Pages of a session's events follow each other without gap, in both directions, and have
// the calls they are about.
func TestTimeline(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	for i := range 10 {
		r := askAs(t, b, "PreToolUse", fmt.Sprint("t", i), "Bash", fmt.Sprintf(`{"command":"c%d"}`, i))
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
			t.Fatal(err)
		}
		hear(t, b, done(fmt.Sprint("t", i), fmt.Sprint("c", i), `"x"`, false))
	}
	all, err := b.Timeline(t.Context(), broker.EventFilter{SessionID: ranSession, After: -1})
	if err != nil || len(all) < 30 {
		t.Fatalf("%d events, %v", len(all), err)
	}
	for _, m := range all[1:] {
		if m.Call == nil || m.Call.ID != m.Event.RequestID {
			t.Errorf("%s is about %+v", m.Event.Type, m.Call)
		}
	}
	var back []story.Moment
	for f := (broker.EventFilter{SessionID: ranSession, Limit: 7}); ; f.Before = back[len(back)-1].Event.Seq {
		page, err := b.Timeline(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		back = append(back, page...)
	}
	for i := range all {
		if got := back[len(back)-1-i].Event.Seq; got != all[i].Event.Seq {
			t.Fatalf("event %d, want %d", got, all[i].Event.Seq)
		}
	}
}

// A page of calls with huge inputs ends early, and the next one goes on behind it.
func TestTimelineOfHugeCalls(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{MaxPerSession: 100})
	for i := range 12 {
		askAs(t, b, "PreToolUse", fmt.Sprint("t", i), "mcp__x__y", fmt.Sprintf(`{"text":"%d%s"}`, i, strings.Repeat("x", 1<<20-100)))
	}
	page, err := b.Timeline(t.Context(), broker.EventFilter{SessionID: ranSession, After: -1})
	if err != nil || len(page) != 10 {
		t.Errorf("%d events, %v", len(page), err)
	}
}
