package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

// pageProgram is one program of docs/examples, which docs/agents-of-your-own.md names.
type pageProgram struct {
	args []string // interpreter and file
}

// pagePrograms are the page's programs, those whose interpreters are here.
func pagePrograms(t *testing.T) map[string]pageProgram {
	t.Helper()
	docs := filepath.Join("..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "agents-of-your-own.md"))
	must(t, err)
	list := map[string]pageProgram{}
	for _, kind := range []struct {
		name, file string
		needs      []string
	}{{"sh", "agent.sh", []string{"sh", "curl", "jq"}}, {"python", "agent.py", []string{"python3"}}, {"js", "agent.mjs", []string{"node"}}} {
		if !bytes.Contains(page, []byte("(examples/"+kind.file+")")) {
			t.Errorf("the page does not name %s", kind.file)
		}
		file, err := filepath.Abs(filepath.Join(docs, "examples", kind.file))
		must(t, err)
		_, err = os.Stat(file)
		must(t, err)
		here := true
		for _, program := range kind.needs {
			if _, err := exec.LookPath(program); err != nil {
				t.Logf("%s is not run: there is no %s", kind.name, program)
				here = false
			}
		}
		if here {
			list[kind.name] = pageProgram{args: []string{kind.needs[0], file}}
		}
	}
	return list
}

// ownRun is a program of the page at work.
type ownRun struct {
	*exec.Cmd
	out bytes.Buffer
}

func (p pageProgram) start(t *testing.T, socket string) *ownRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	r := &ownRun{Cmd: exec.CommandContext(ctx, p.args[0], p.args[1:]...)}
	r.Env = append(os.Environ(), "AOCTL_SOCKET="+socket)
	r.Dir = t.TempDir()
	r.Stdout, r.Stderr = &r.out, os.Stderr
	if !testing.Verbose() {
		r.Stderr = nil
	}
	must(t, r.Start())
	return r
}

// TestOwnAgentsDocument runs the page's programs: the person allows the first command with
// another input, refuses the second, and stops the session at the third.
func TestOwnAgentsDocument(t *testing.T) {
	for name, program := range pagePrograms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWalk(t)
			run := program.start(t, w.socket)
			first := waiting(t, w.b, 1)[0]
			_, err := w.b.Decide(t.Context(), first.ID, broker.Decision{Verdict: broker.Allow, By: operator, UpdatedInput: json.RawMessage(`{"command":"echo 1"}`)})
			must(t, err)
			second := nextCall(t, w.b, first.ID)
			_, err = w.b.Decide(t.Context(), second.ID, broker.Decision{Verdict: broker.Deny, By: operator, Reason: "not two"})
			must(t, err)
			third := nextCall(t, w.b, second.ID)
			_, err = w.b.Stop(t.Context(), third.SessionID, operator)
			must(t, err)
			if err := run.Wait(); err != nil {
				t.Errorf("it ends with %v", err)
			}
			want := "1\nrefused: A person denied this call in aoctl: not two\nrefused: Stopped by the user in aoctl. Do not go on until the user speaks again.\nstopped\n"
			if got := run.out.String(); got != want {
				t.Errorf("it prints\n%s\nwant\n%s", got, want)
			}
			s, err := w.b.Session(t.Context(), first.SessionID)
			if err != nil || s.State != broker.SessionStopped || s.Agent != "nightly" {
				t.Errorf("the session is %+v, %v", s, err)
			}
		})
	}
}

// nextCall is the call that waits after the one of id.
func nextCall(t *testing.T, b *service.Broker, id string) broker.Request {
	t.Helper()
	for {
		if r := waiting(t, b, 1)[0]; r.ID != id {
			return r
		}
	}
}

// A program that is interrupted while it waits takes its question back.
func TestOwnAgentsTakeTheirQuestionBack(t *testing.T) {
	// Tests that a script started in its background ignore an interrupt, and so would what they start.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	t.Cleanup(func() { signal.Stop(interrupts) })
	for name, program := range pagePrograms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWalk(t)
			run := program.start(t, w.socket)
			r := waiting(t, w.b, 1)[0]
			must(t, run.Process.Signal(os.Interrupt))
			_ = run.Wait()
			got, err := w.b.Request(t.Context(), r.ID)
			if err != nil || got.State != broker.Cancelled || got.Outcome.By.ID != broker.WithdrawnID || run.out.Len() > 0 {
				t.Errorf("the card is %s by %+v, %v, and the program printed %q", got.State, got.Outcome, err, run.out.String())
			}
		})
	}
}

// Nothing runs without a console, nor on the word of one that answers nonsense.
func TestOwnAgentsFailClosed(t *testing.T) {
	const allowed = `{"request_id":"%s","status":"allowed","decision":"allow"}`
	answers := map[string]func(w http.ResponseWriter, id string){
		"error with an allow in it": func(w http.ResponseWriter, id string) { w.WriteHeader(500); _, _ = fmt.Fprintf(w, allowed, id) },
		"refused with an allow":     func(w http.ResponseWriter, id string) { w.WriteHeader(403); _, _ = fmt.Fprintf(w, allowed, id) },
		"created with an allow":     func(w http.ResponseWriter, id string) { w.WriteHeader(201); _, _ = fmt.Fprintf(w, allowed, id) },
		"no decision": func(w http.ResponseWriter, id string) {
			_, _ = fmt.Fprintf(w, `{"request_id":"%s","status":"allowed"}`, id)
		},
		"allow as a list": func(w http.ResponseWriter, id string) {
			_, _ = fmt.Fprintf(w, `{"request_id":"%s","decision":["allow"]}`, id)
		},
		"for another": func(w http.ResponseWriter, _ string) { _, _ = fmt.Fprintf(w, allowed, "another") },
		"no JSON":     func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte("allow")) },
		"a list":      func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(`["allow"]`)) },
	}
	for name, program := range pagePrograms(t) {
		t.Run(name+" without a console", func(t *testing.T) {
			t.Parallel()
			run := program.start(t, filepath.Join(shortDir(t), "none.sock"))
			if err := run.Wait(); err == nil || run.out.Len() > 0 {
				t.Errorf("it ends with %v and prints %q", err, run.out.String())
			}
		})
		for what, answer := range answers {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				socket, asked := nonsense(t, answer)
				run := program.start(t, socket)
				_ = run.Wait()
				if out := run.out.String(); strings.Contains(out, "one") || strings.Contains(out, "two") || strings.Contains(out, "three") {
					t.Errorf("a command ran: %q", out)
				}
				if !asked() {
					t.Error("it never asked for the decision")
				}
			})
		}
	}
}

// nonsense serves a console that is right in everything but its decisions.
func nonsense(t *testing.T, answer func(w http.ResponseWriter, id string)) (socket string, asked func() bool) {
	t.Helper()
	socket = filepath.Join(shortDir(t), "b.sock")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	must(t, err)
	var mu sync.Mutex
	decisions := 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /approval-requests/{id}/decision", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		decisions++
		mu.Unlock()
		answer(w, r.PathValue("id"))
	})
	mux.HandleFunc("GET /check-stop/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"stop_requested":false}`)) })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) })
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return socket, func() bool { mu.Lock(); defer mu.Unlock(); return decisions > 0 }
}
