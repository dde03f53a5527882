package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Attack: what was allowed once is asked again under the same id, for ever. An allow is
// given again to a hook whose connection broke, and not once anything speaks against it.
func TestAllowedOnceIsNotForEver(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, tc := range map[string]struct {
		since func(t *testing.T, b *service.Broker)
		why   string // "" when the answer is given again
	}{
		"nothing": {func(*testing.T, *service.Broker) {}, ""},
		"another call ran": {func(t *testing.T, b *service.Broker) {
			told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Read", ToolInput: []byte(`{}`), ToolUseID: "toolu_9"})
		}, ""},
		"it ran": {func(t *testing.T, b *service.Broker) {
			told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`), ToolUseID: "toolu_1"})
		}, "already run"},
		"it failed": {func(t *testing.T, b *service.Broker) {
			told(t, b, agents.Hook{Kind: agents.ToolDone, Failed: true, ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`), ToolUseID: "toolu_1"})
		}, "already run"},
		"the turn ended":   {func(t *testing.T, b *service.Broker) { told(t, b, agents.Hook{Kind: agents.TurnEnd}) }, "turn is over"},
		"the user spoke":   {func(t *testing.T, b *service.Broker) { told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go on"}) }, "turn is over"},
		"it is stopped":    {func(t *testing.T, b *service.Broker) { _, err := b.Stop(t.Context(), "s", operator); must(t, err) }, "is stopped"},
		"a minute went by": {func(*testing.T, *service.Broker) { time.Sleep(61 * time.Second) }, "too old"},
		"a rule denies it": {func(t *testing.T, b *service.Broker) { save(t, b, denying("make", "not now")) }, "rule denies it"},
		"there is an alarm": {func(t *testing.T, b *service.Broker) {
			told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: []byte(`{"command":"rm x"}`), ToolUseID: "toolu_2"})
		}, "alarm"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{})
				told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go"})
				q := bash("s", "1", "make")
				q.ToolUseID, q.Key = "toolu_1", service.ToolKey("claude", "s", "", "PreToolUse", "toolu_1")
				r := submit(t, b, q)
				if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
					t.Fatal(err)
				}
				tc.since(t, b)
				wantAgain(t, b, q, tc.why)
				wantAgain(t, newBroker(t, st, service.Options{}), q, tc.why) // the log says the same
				again, refused := 0, 0
				for _, e := range must2(b.Events(t.Context())) {
					switch e.Type {
					case broker.EventAnsweredAgain:
						again++
					case broker.EventAccessRefused:
						refused++
					}
				}
				if want := map[bool]int{true: 2, false: 0}[tc.why == ""]; again != want || refused != 2-want {
					t.Errorf("recorded %d answers given again and %d refusals, want %d and %d", again, refused, want, 2-want)
				}
			})
		})
	}
}

func wantAgain(t *testing.T, b *service.Broker, q broker.Question, why string) {
	t.Helper()
	q.Mode = "bypassPermissions" // makes no difference
	r, err := b.Submit(t.Context(), q)
	switch {
	case why == "" && (err != nil || r.State != broker.Allowed):
		t.Errorf("asked again: %s, %v, want allowed", r.State, err)
	case why != "" && (!errors.Is(err, broker.ErrAnsweredBefore) || !strings.Contains(err.Error(), why)):
		t.Errorf("asked again: %s, %v, want %v: %s", r.State, err, broker.ErrAnsweredBefore, why)
	}
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A commit may fail and have been applied all the same: the asker is refused, and later the log
// says so. The next console, which remembers nothing, does not give that answer either.
func TestAnswerThatWasWithheldIsNotGiven(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	q := bash("s", "1", "make")
	r := submit(t, b, q)
	if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
		t.Fatal(err)
	}
	withheld := broker.NewEvent(time.Now(), broker.EventAnswerWithheld, r, map[string]broker.State{"recorded": broker.Allowed, "told": broker.Denied})
	must(t, st.Record(t.Context(), &broker.Change{Events: []*broker.Event{withheld}}))
	must(t, b.Close())
	wantAgain(t, newBroker(t, st, service.Options{}), q, "was refused when it was made")
}

// afterTick returns when the file system's clock, which is coarse, has moved on by more
// than its grain: what was written before is now seen to be older than anything later.
func afterTick(t *testing.T, dir string) {
	t.Helper()
	first := time.Time{}
	for i := 0; ; i++ {
		probe := filepath.Join(dir, "probe")
		must(t, os.WriteFile(probe, []byte(strconv.Itoa(i)), 0o600))
		info, err := os.Stat(probe)
		must(t, err)
		switch at := info.ModTime(); {
		case first.IsZero():
			first = at
		case at.Sub(first) > 2*workspace.ClockGrain:
			return
		}
		runtime.Gosched()
	}
}

// Attack: the script of an allowed call is rewritten, and the call asked again.
func TestAllowedScriptIsNotAnother(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "run.sh")
	must(t, os.WriteFile(script, []byte("echo tests\n"), 0o600))
	must(t, os.Chtimes(script, time.Now(), time.Now()))
	afterTick(t, dir)
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	q := bash("s", "1", "bash run.sh")
	q.CWD = dir
	r := submit(t, b, q)
	_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	must(t, err)
	wantAgain(t, b, q, "")
	wantAgain(t, newBroker(t, st, service.Options{}), q, "")
	must(t, os.WriteFile(script, []byte("echo evil\n"), 0o600))
	wantAgain(t, b, q, "a file that it names changed")
	wantAgain(t, newBroker(t, st, service.Options{}), q, "a file that it names changed")
}

// A refusal is given again for ever, and an allow no more often than a broken connection
// explains.
func TestAgainHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		no, yes := bash("s", "1", "make"), bash("s", "2", "make")
		for q, v := range map[*broker.Question]broker.Verdict{&no: broker.Deny, &yes: broker.Allow} {
			_, err := b.Decide(t.Context(), submit(t, b, *q).ID, broker.Decision{Verdict: v, By: operator})
			must(t, err)
		}
		for range 16 {
			wantAgain(t, b, yes, "")
		}
		wantAgain(t, b, yes, "too often")
		told(t, b, agents.Hook{Kind: agents.TurnEnd})
		time.Sleep(time.Hour)
		if r := submit(t, b, no); r.State != broker.Denied {
			t.Errorf("a refused call asked again is %s", r.State)
		}
	})
}
