package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/cli/client"
)

// hookRig is a waitHook whose commands end when they are told to.
type hookRig struct {
	updates chan broker.Update
	snap    broker.Snapshot
	next    broker.Snapshot // of the second Watch
	watched int

	mu      sync.Mutex
	started []string
	skipped int
	now     int // commands that run
	most    int
	takes   time.Duration
}

func (r *hookRig) Watch(context.Context) (broker.Snapshot, <-chan broker.Update) {
	r.watched++
	r.updates = make(chan broker.Update, 2000)
	return r.next, r.updates
}

func (r *hookRig) start(_ context.Context, req broker.Request, skipped int) {
	r.mu.Lock()
	r.started = append(r.started, req.ID)
	r.skipped += skipped
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	time.Sleep(r.takes) // of the bubble's clock
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
}

// calls are those that a command was started for.
func (r *hookRig) calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.started)
}

// runHookRig runs a hook while f plays the broker.
func runHookRig(t *testing.T, r *hookRig, f func()) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		r.updates = make(chan broker.Update, 2000)
		h := newWaitHook(slog.New(slog.DiscardHandler), r.start)
		go func() {
			defer close(done)
			h.run(ctx, r, r.snap, r.updates)
		}()
		f()
		stop()
		<-done
		if r.now != 0 {
			t.Errorf("%d commands run after the end", r.now)
		}
	})
}

func waiting(id string) broker.Request { return broker.Request{ID: id, State: broker.Pending} }

func (r *hookRig) publish(list ...broker.Request) {
	for _, req := range list {
		r.updates <- broker.Update{Request: &req}
	}
	synctest.Wait()
}

func TestOnWaitOncePerCall(t *testing.T) {
	r := &hookRig{snap: broker.Snapshot{Requests: []broker.Request{waiting("old")}}}
	runHookRig(t, r, func() {
		synctest.Wait()
		r.publish(waiting("old"), waiting("a"), waiting("a"), broker.Request{ID: "ruled", State: broker.Allowed}, waiting("b"))
		r.publish(broker.Request{ID: "a", State: broker.Denied})
	})
	if got := strings.Join(r.calls(), " "); got != "a b" && got != "b a" {
		t.Errorf("commands for %q, want a and b", got)
	}
}

// A thousand calls at once start few commands, few at a time, and none for calls that no
// longer wait.
func TestOnWaitFlood(t *testing.T) {
	r := &hookRig{takes: 100 * time.Millisecond}
	runHookRig(t, r, func() {
		for i := range 1000 {
			r.publish(waiting(fmt.Sprint(i)))
		}
		time.Sleep(5 * time.Second)
		if n := len(r.calls()); n < waitHooksBurst || n > waitHooksBurst+6 {
			t.Errorf("%d commands in the first five seconds", n)
		}
		time.Sleep(10 * time.Minute)
		if n := len(r.calls()); n != waitHooksQueued+waitHooksAtOnce {
			t.Errorf("%d commands for 1,000 calls, want %d", n, waitHooksQueued+waitHooksAtOnce)
		}
		if r.calls()[len(r.calls())-1] != "999" {
			t.Errorf("the last command was for call %s, want the last call", r.calls()[len(r.calls())-1])
		}
	})
	if r.most > waitHooksAtOnce {
		t.Errorf("%d commands ran at once", r.most)
	}
	if want := 1000 - waitHooksQueued - waitHooksAtOnce; r.skipped != want {
		t.Errorf("the commands were told of %d calls without one, want %d", r.skipped, want)
	}
}

func TestOnWaitForgetsWhatNoLongerWaits(t *testing.T) {
	r := &hookRig{takes: time.Hour}
	runHookRig(t, r, func() {
		for i := range 20 {
			r.publish(waiting(fmt.Sprint(i)))
		}
		for i := range 20 {
			r.publish(broker.Request{ID: fmt.Sprint(i), State: broker.Denied})
		}
		time.Sleep(10 * time.Hour)
	})
	if len(r.calls()) != waitHooksAtOnce {
		t.Errorf("commands for %q: those after the fourth were decided before their turn", r.calls())
	}
}

// A hook that fell behind looks again and runs for what it missed.
func TestOnWaitAfterAGap(t *testing.T) {
	r := &hookRig{next: broker.Snapshot{Requests: []broker.Request{waiting("seen"), waiting("missed"), {ID: "late", State: broker.Expired}}}}
	runHookRig(t, r, func() {
		r.publish(waiting("seen"))
		close(r.updates)
		time.Sleep(time.Second)
	})
	if got := strings.Join(r.calls(), " "); got != "seen missed" || r.watched != 1 {
		t.Errorf("commands for %q after %d looks", got, r.watched)
	}
}

// command runs one command for a call and returns what went into the log.
func command(ctx context.Context, t *testing.T, line string, r broker.Request) map[string]any {
	t.Helper()
	var log bytes.Buffer
	runWaitHook(ctx, slog.New(slog.NewJSONHandler(&log, nil)), line, "/run/x.sock", toldCall{Request: r}, 3)
	var entry map[string]any
	if err := json.Unmarshal(log.Bytes(), &entry); err != nil {
		t.Fatalf("%v in %q", err, log.String())
	}
	return entry
}

func TestOnWaitCommandGetsTheCall(t *testing.T) {
	t.Setenv(client.TokenEnv, "aoctl_op_secret")
	out := filepath.Join(t.TempDir(), "out")
	r := broker.Request{
		ID: "0197", SessionID: "s-1", Agent: "claude", ToolName: "Bash; $(touch x)\x00", ToolInput: json.RawMessage(`{"command":"ls \u001b[2J <&>"}`), State: broker.Pending,
	}
	entry := command(t.Context(), t, "cat >"+out+"; env | grep ^AOCTL_ | sort; echo wrong >&2; exit 3", r)
	card, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got, listed any
	if json.Unmarshal(card, &got) != nil || json.Unmarshal(want, &listed) != nil || fmt.Sprint(got) != fmt.Sprint(listed) {
		t.Errorf("the command read %s, want %s", card, want)
	}
	wantOut := "AOCTL_AGENT=claude\nAOCTL_DANGEROUS=0\nAOCTL_REQUEST_ID=0197\nAOCTL_SESSION_ID=s-1\nAOCTL_SKIPPED=3\nAOCTL_SOCKET=/run/x.sock\nAOCTL_TOOL=Bash????touch?x??\nwrong\n"
	if entry["output"] != wantOut || entry["err"] != "exit status 3" || entry["request_id"] != "0197" {
		t.Errorf("the log has %v", entry)
	}
}

// A command that reads nothing and prints without end, and what it leaves behind, neither
// holds up the console nor fills its log.
func TestOnWaitCommandIsBounded(t *testing.T) {
	dir := t.TempDir()
	r := broker.Request{ID: "r", ToolInput: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}
	began := time.Now()
	entry := command(t.Context(), t, "head -c 1000000 /dev/zero | tr '\\0' y; (sleep 60; touch "+dir+"/left) & exit 0", r)
	if out, ok := entry["output"].(string); !ok || len(out) > waitHookOutput+100 || !strings.Contains(out, "bytes more") {
		t.Errorf("the log has %d bytes of output", len(fmt.Sprint(entry["output"])))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("what it left behind held it up for %v", took)
	}
	if entry["err"] != "what it left in the background was ended" {
		t.Errorf("the log has %v", entry)
	}
}

// A hanging command ends with the console, with all that it started.
func TestOnWaitCommandIsKilledWithTheConsole(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for poll := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-poll.C {
			if _, err := os.Stat(dir + "/child"); err == nil {
				stop()
			}
		}
	}()
	entry := command(ctx, t, "sh -c 'echo $$ >"+dir+"/child.tmp; mv "+dir+"/child.tmp "+dir+"/child; exec sleep 600' & wait", broker.Request{ID: "r", ToolInput: json.RawMessage(`{}`)})
	if entry["err"] != "killed: the console ended" {
		t.Errorf("the log has %v", entry)
	}
	pid, err := os.ReadFile(dir + "/child")
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscan(string(pid), &n); err != nil {
		t.Fatal(err)
	}
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for began := time.Now(); lives(n); <-poll.C {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("process %d, which it started, lives on", n)
		}
	}
}

// lives reports whether a process runs; one that waits for whoever asks does not.
func lives(pid int) bool {
	in, err := peers.Within(broker.Process{PID: pid}, pid)
	return in && err == nil && !zombie(pid)
}

// zombie reports whether a process has ended and waits for whoever asks.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
