package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// BenchmarkSubmitAllowed is a hook's question that one of 1,000 rules answers: all of
// the broker's work for it, without the disk of a store.
func BenchmarkSubmitAllowed(b *testing.B) {
	st := brokertest.NewMemory()
	br, err := service.New(b.Context(), st, service.Options{Rate: -1, Alive: func(broker.Process) bool { return true }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = br.Close() })
	for i := range 1000 {
		pattern := fmt.Sprintf("tool%d sub *", i)
		if i == 500 {
			pattern = "npm run *"
		}
		r := rules.Rule{Decision: rules.Allow, Tool: "Bash", Where: map[string]string{"command": pattern}, Enabled: true, Priority: rules.DefaultPriority}
		if _, err := br.SaveRule(b.Context(), r, operator); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		q := bash(fmt.Sprint("s", n/1000), fmt.Sprint(n), "npm run test -- src/app.test.ts")
		q.CWD, q.Trusted = dir, true
		r, err := br.Submit(b.Context(), q)
		if err != nil || r.State != broker.Allowed {
			b.Fatal(r.State, err)
		}
	}
}

// gateCalls are a call of each agent's in the form of its gate: session, folder and the
// call's id come in.
var gateCalls = map[string]string{
	"claude":   `{"session_id":%[1]q,"transcript_path":"/t.jsonl","cwd":%[2]q,"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm run test -- src/app.test.ts","description":"Test"},"tool_use_id":%[3]q}`,
	"codex":    `{"session_id":%[1]q,"turn_id":"t","transcript_path":"/t.jsonl","cwd":%[2]q,"hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"npm run test -- src/app.test.ts"},"tool_use_id":%[3]q}`,
	"gemini":   `{"session_id":%[1]q,"transcript_path":"/t.jsonl","cwd":%[2]q,"hook_event_name":"BeforeTool","timestamp":"2026-11-22T01:54:12.799Z","tool_name":"run_shell_command","tool_input":{"command":"npm run test -- src/app.test.ts","description":%[3]q}}`,
	"qwen":     `{"session_id":%[1]q,"transcript_path":"/t.jsonl","cwd":%[2]q,"hook_event_name":"PreToolUse","timestamp":"2026-11-22T01:54:12.799Z","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":"npm run test -- src/app.test.ts","description":"Test","is_background":false},"tool_use_id":%[3]q}`,
	"copilot":  `{"hook_event_name":"PreToolUse","session_id":%[1]q,"timestamp":"2026-11-22T01:47:50.153Z","cwd":%[2]q,"tool_name":"Bash","tool_input":{"command":"npm run test -- src/app.test.ts","description":%[3]q}}`,
	"cursor":   `{"conversation_id":%[1]q,"generation_id":"g","model":"m","tool_name":"Shell","tool_input":{"command":"npm run test -- src/app.test.ts","cwd":%[2]q,"timeout":30000},"tool_use_id":%[3]q,"cwd":%[2]q,"session_id":%[1]q,"hook_event_name":"preToolUse","cursor_version":"2026.09.10","workspace_roots":[%[2]q],"transcript_path":null}`,
	"opencode": `{"event":"tool.execute.before","tool":"bash","sessionID":%[1]q,"callID":%[3]q,"args":{"command":"npm run test -- src/app.test.ts","description":"Test"},"directory":%[2]q,"worktree":%[2]q}`,
	"generic":  `{"event":"ask","session":%[1]q,"tool":"Bash","input":{"command":"npm run test -- src/app.test.ts"},"cwd":%[2]q,"id":%[3]q}`,
}

// BenchmarkDecodeEncode is what a call that one of 100 rules allows costs the broker, in
// each dialect: read, judged, recorded in memory, answered.
func BenchmarkDecodeEncode(b *testing.B) {
	for _, agent := range agents.Names() {
		b.Run(agent, func(b *testing.B) {
			br, err := service.New(b.Context(), brokertest.NewMemory(), service.Options{Rate: -1, Alive: func(broker.Process) bool { return true }})
			must(b, err)
			b.Cleanup(func() { _ = br.Close() })
			for i := range 100 {
				r := allowing(fmt.Sprintf("tool%d sub *", i))
				if i == 50 {
					r = allowing("npm run *")
				}
				_, err := br.SaveRule(b.Context(), r, operator)
				must(b, err)
			}
			dir, err := filepath.EvalSymlinks(b.TempDir())
			must(b, err)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				if n%1000 == 1 && agent == "codex" { // without its user's prompt there is no telling its project
					_, err := br.Hear(b.Context(), agents.Hook{Agent: agent, Kind: agents.Prompt, SessionID: fmt.Sprint("s", n/1000), CWD: dir, Text: "go"})
					must(b, err)
				}
				payload := fmt.Appendf(nil, gateCalls[agent], fmt.Sprint("s", n/1000), dir, fmt.Sprint("call-", n))
				out, err := br.AnswerHook(b.Context(), agent, payload)
				if err != nil || bytes.Contains(out, []byte("deny")) || bytes.Contains(out, []byte("pending")) {
					b.Fatalf("%s %v", out, err)
				}
			}
		})
	}
}

// BenchmarkAttached measures what an order costs that a console in another process gives, over the
// socket and with a look at who is behind it, beside the same order given here.
func BenchmarkAttached(b *testing.B) {
	br, c := benchAttached(b)
	for name, by := range map[string]interface {
		Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	}{"here": br, "attached": c} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := by.Observe(b.Context(), "nobody", true, operator); !errors.Is(err, broker.ErrNotFound) {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchAttached is a broker with a console that is paired, over a socket.
func benchAttached(b *testing.B) (*service.Broker, *consoles.Client) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	br, err := service.New(b.Context(), brokertest.NewMemory(), service.Options{})
	must(err)
	b.Cleanup(func() { _ = br.Close() })
	me, err := consoles.NewIdentity()
	must(err)
	s := consoles.NewServer(consoles.Options{Broker: forScreens{br}, Keys: br, Me: me, Log: slog.New(slog.DiscardHandler)})
	br.AdmitConsoles(door{s})
	dir, err := os.MkdirTemp("", "ao") //nolint:usetesting // too long for a socket
	must(err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "b.sock")
	l, err := api.Listen(socket)
	must(err)
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- br.Serve(ctx, l) }()
	b.Cleanup(func() {
		stop()
		must(<-done)
	})
	c := consoles.NewClient(me, func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, err
		}
		return conn, consoles.Upgrade(ctx, conn, "aoctl")
	}, func(string) error { return nil })
	b.Cleanup(func() { _ = c.Close() })
	code, _ := s.OpenPairing()
	_, err = c.Pair(b.Context(), code, "bench")
	must(err)
	return br, c
}
