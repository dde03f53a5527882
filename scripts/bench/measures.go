package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// latency lets one hook wait at a time, allows its call, and times the way from the
// decision to the answer in the hook's hands, beside one fdatasync on the same disk.
func latency(ctx context.Context, s *host.Server, n int) (map[string]float64, error) {
	disk, err := newDisk(s.Home)
	if err != nil {
		return nil, err
	}
	defer disk.close()
	var decided, synced []time.Duration
	for i := range n {
		took, err := decideOne(ctx, s, fmt.Sprintf("bench-latency-%d", i%8), fmt.Sprintf("toolu_latency_%d", i))
		if err != nil {
			return nil, err
		}
		sync, err := disk.sync(i)
		if err != nil {
			return nil, err
		}
		decided, synced = append(decided, took), append(synced, sync)
	}
	return map[string]float64{"decision_ns": float64(median(decided)), "sync_ns": float64(median(synced))}, nil
}

func decideOne(ctx context.Context, s *host.Server, session, toolUse string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	type result struct {
		answer ask.Answer
		at     time.Time
		err    error
	}
	_, updates := s.Broker.Watch(ctx)
	heard := make(chan result, 1)
	go func() {
		client := ask.Client{Socket: filepath.Join(s.Home, "broker.sock")}
		a, err := client.Hook(ctx, ask.Call{
			Session: session, ToolUse: toolUse, Tool: "Bash", CWD: s.Home, Input: map[string]any{"command": "make"},
		}, uuid.NewString())
		heard <- result{a, time.Now(), err}
	}()
	req, err := nextPending(updates, toolUse)
	if err != nil {
		return 0, err
	}
	time.Sleep(time.Millisecond) // the hook waits by now, and nothing else goes on
	began := time.Now()
	if _, err := s.Broker.Decide(ctx, req.ID, broker.Decision{Verdict: broker.Allow, By: host.Operator, Digest: req.Digest}); err != nil {
		return 0, fmt.Errorf("decide: %w", err)
	}
	got := <-heard
	if got.err != nil {
		return 0, fmt.Errorf("wait as a hook: %w", got.err)
	}
	if got.answer.Verdict != "allow" {
		return 0, fmt.Errorf("the hook was told %s: %s", got.answer.Verdict, got.answer.Reason)
	}
	return got.at.Sub(began), nil
}

// nextPending returns the waiting request with this tool use id.
func nextPending(updates <-chan broker.Update, toolUse string) (broker.Request, error) {
	for u := range updates {
		if r := u.Request; r != nil && r.State == broker.Pending && r.ToolUseID == toolUse {
			return *r, nil
		}
	}
	return broker.Request{}, fmt.Errorf("the call %s never came to wait", toolUse)
}

// throughput times n decisions from many callers, each returning once its record is
// on the disk. The calls are recorded beforehand, as many at a time as may wait.
func throughput(ctx context.Context, s *host.Server, n int) (map[string]float64, error) {
	var took time.Duration
	for done := 0; done < n; done += waiting {
		reqs, err := submit(ctx, s, min(waiting, n-done))
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := s.DecideAll(ctx, reqs); err != nil {
			return nil, err
		}
		took += time.Since(began)
	}
	return map[string]float64{"per_second": float64(n) / took.Seconds()}, nil
}

// submit lets n calls wait.
func submit(ctx context.Context, s *host.Server, n int) ([]broker.Request, error) {
	reqs := make([]broker.Request, n)
	for i := range reqs {
		input, err := json.Marshal(map[string]string{"command": fmt.Sprintf("make target-%d", i)})
		if err != nil {
			return nil, fmt.Errorf("encode a call: %w", err)
		}
		reqs[i], err = s.Broker.Submit(ctx, broker.Question{Request: broker.Request{
			Key: "bench:" + uuid.NewString(), SessionID: fmt.Sprintf("bench-many-%d", i/host.PerSession),
			Agent: "claude", Event: "PreToolUse", ToolName: "Bash", ToolInput: input, CWD: s.Home,
		}})
		if err != nil {
			return nil, fmt.Errorf("ask: %w", err)
		}
	}
	return reqs, nil
}

// disk measures one sync: 4 KiB written over bytes that the file already has.
type disk struct {
	f     *os.File
	block []byte
}

const diskBlocks = 1024

func newDisk(dir string) (*disk, error) {
	f, err := os.OpenFile(filepath.Join(dir, "sync.bin"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // G304: in our own folder
	if err != nil {
		return nil, fmt.Errorf("make a file to sync: %w", err)
	}
	d := &disk{f: f, block: make([]byte, 4096)}
	if _, err := f.Write(make([]byte, diskBlocks*len(d.block))); err != nil {
		return nil, fmt.Errorf("fill the file to sync: %w", err)
	}
	if err := f.Sync(); err != nil {
		return nil, fmt.Errorf("sync: %w", err)
	}
	return d, nil
}

func (d *disk) sync(i int) (time.Duration, error) {
	d.block[0]++
	began := time.Now()
	if _, err := d.f.WriteAt(d.block, int64(i%diskBlocks*len(d.block))); err != nil {
		return 0, fmt.Errorf("write before a sync: %w", err)
	}
	if err := syncData(d.f); err != nil {
		return 0, fmt.Errorf("sync: %w", err)
	}
	return time.Since(began), nil
}

func (d *disk) close() { _ = d.f.Close() }
