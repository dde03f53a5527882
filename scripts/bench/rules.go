package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

// rules measures matching, loading and replaying.
func (b *bench) rules(ctx context.Context) ([]row, error) {
	match, err := b.goBench(ctx, "./broker/rules", "BenchmarkVerdict/line")
	if err != nil {
		return nil, err
	}
	parse, err := b.goBench(ctx, "./broker/rules", "BenchmarkPrepare/line")
	if err != nil {
		return nil, err
	}
	compile, err := b.goBench(ctx, "./broker/rules", "BenchmarkCompile10000")
	if err != nil {
		return nil, err
	}
	load, err := b.goBench(ctx, "./store", "BenchmarkLoad10kRules/load")
	if err != nil {
		return nil, err
	}
	took := time.Duration(match["ns/op"])
	start := time.Duration(compile["ns/op"] + load["ns/op"])
	rows := []row{
		{
			measure: "one Bash call of 5 elements against 1000 rules",
			value:   fmt.Sprintf("%v, %.0f allocations (read first in %v)", took, match["allocs/op"], time.Duration(parse["ns/op"])),
			floor:   "-", ratio: "-", limit: "<= 200 µs", met: took <= 200*time.Microsecond,
		},
		{measure: "load 10000 rules", value: ms(start), floor: "-", ratio: "-", limit: "< 1 s", met: start < time.Second},
	}
	replay, err := b.replay(ctx)
	if err != nil {
		return rows, err
	}
	return append(rows, row{
		measure: fmt.Sprintf("aoctl rules test over %d calls", b.often.recorded), value: ms(replay), floor: "-", ratio: "-",
		limit: "< 10 s", met: replay < 10*time.Second,
	}), nil
}

// replay records calls and times the command that judges them again.
func (b *bench) replay(ctx context.Context) (time.Duration, error) {
	programs, err := build(ctx, b.dir)
	if err != nil {
		return 0, err
	}
	home, project := filepath.Join(b.dir, "replay"), filepath.Join(b.dir, "replayed")
	for _, dir := range []string{home, project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 0, fmt.Errorf("make a folder: %w", err)
		}
	}
	if err := record(ctx, filepath.Join(home, "aoctl.db"), project, b.often.recorded); err != nil {
		return 0, fmt.Errorf("record %d calls: %w", b.often.recorded, err)
	}
	cmd := exec.CommandContext(ctx, programs.aoctl, "rules", "test") //nolint:gosec // G204: our own program
	cmd.Env, cmd.Dir = append(os.Environ(), "AOCTL_HOME="+home), project
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("aoctl rules test: %w\n%s", err, out)
	}
	return time.Since(begun), nil
}

// commands are what agents run all day; %d makes a tenth of them different each time.
var commands = []string{
	"npm run test", "git status", "git diff --stat", "go test ./...", "go build ./... && go vet ./...",
	"grep -rn handler src/ | head -20", "cat package.json", "npm run build && git push origin dev", "ls -la src", "sed -n %d,400p main.go",
}

// record fills a database with n decided calls.
func record(ctx context.Context, path, project string, n int) (err error) {
	st, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	for from := 0; from < n; from += 200 {
		var list []*broker.Change
		for i := from; i < min(from+200, n); i++ {
			list = append(list, call(i, project))
		}
		if err := st.Record(ctx, list...); err != nil {
			return err
		}
	}
	return nil
}

func call(i int, project string) *broker.Change {
	command := commands[i%len(commands)]
	if i%len(commands) == len(commands)-1 {
		command = fmt.Sprintf(command, i)
	}
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	r := broker.Request{
		ID: uuid.NewString(), Key: fmt.Sprint("bench ", i), SessionID: fmt.Sprint("bench-", i/1000), Agent: "claude", Event: "PreToolUse",
		ToolName: "Bash", ToolInput: fmt.Appendf(nil, `{"command":%q}`, command), CWD: project, CreatedAt: at, ExpiresAt: at.Add(time.Minute),
	}
	r.Digest = broker.Digest(r.ToolName, r.ToolInput, r.CWD)
	return brokertest.DecidedAtOnce(r, broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByOperator}, At: at.Add(time.Second)})
}
