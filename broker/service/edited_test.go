package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/service"
)

func command(text string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"command": text})
	return raw
}

// editing is a broker with a call that waits in a project.
func editing(t *testing.T) (b *service.Broker, req broker.Request, dir string) {
	t.Helper()
	dir = project(t)
	b = newBroker(t, brokertest.NewMemory(), service.Options{
		Guard:     service.Guard{Paths: []string{filepath.Join(dir, "state")}},
		Recording: service.Recording{Difference: func(x, y json.RawMessage) string { return fmt.Sprintf("-%s\n+%s\n", x, y) }},
	})
	return b, submit(t, b, callIn(dir, "s", "1", "make")), dir
}

func allowWith(t *testing.T, b *service.Broker, req broker.Request, d broker.Decision) error {
	t.Helper()
	d.Verdict, d.By, d.Digest = broker.Allow, operator, req.Digest
	_, err := b.Decide(t.Context(), req.ID, d)
	return err
}

func stillWaits(t *testing.T, b *service.Broker, req broker.Request) {
	t.Helper()
	if got, err := b.Request(t.Context(), req.ID); err != nil || got.State != broker.Pending {
		t.Errorf("the call is %s, %v; want it waiting", got.State, err)
	}
}

// Attack: a harmless card is edited, by hand or by another program with a token, into
// what a rule refuses, into what destroys, or into what touches aoctl's own files.
func TestEditedInputIsJudged(t *testing.T) {
	b, req, dir := editing(t)
	save(t, b, denying("git push *", "we push by hand"))
	for _, tt := range []struct {
		name  string
		input json.RawMessage
		want  string
	}{
		{"refused by a rule", command("git push origin main"), "we push by hand"},
		{"dangerous", command("rm -rf /"), "this call is dangerous"},
		{"aoctl's own files", command("echo x > " + filepath.Join(dir, "state", "aoctl.db")), "this call is dangerous"},
		{"emptied", command("  "), `"command" is empty`},
		{"no object", json.RawMessage(`"make"`), "plain JSON object"},
		{"ambiguous", json.RawMessage(`{"command":"make","Command":"rm -rf /"}`), "plain JSON object"},
		{"huge", command(strings.Repeat("x", 1<<20)), "more than 1048576"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := allowWith(t, b, req, broker.Decision{UpdatedInput: tt.input}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			stillWaits(t, b, req)
		})
	}
	if err := allowWith(t, b, req, broker.Decision{UpdatedInput: command("git push origin main"), Dangerous: true}); err == nil {
		t.Error("what a rule refuses was allowed because it was said to be dangerous")
	}
	e, err := b.AssessEdited(t.Context(), req.ID, command("rm -rf /"))
	if err != nil || !e.Dangerous() || e.Request.Assessment.Class != risk.Dangerous || e.Deny != "" {
		t.Errorf("rm -rf / is judged as %+v, %v", e, err)
	}
	if err := allowWith(t, b, req, broker.Decision{UpdatedInput: command("rm -rf /"), Dangerous: true, Seal: e.Seal}); err != nil {
		t.Errorf("a dangerous call that is known to be one: %v", err)
	}
}

// What was asked, what ran and the difference are all in the event, and only there where
// something was edited.
func TestEditedIsRecorded(t *testing.T) {
	b, req, _ := editing(t)
	plain := submit(t, b, bash("s", "2", "make all"))
	if err := allowWith(t, b, req, broker.Decision{UpdatedInput: command("make -n")}); err != nil {
		t.Fatal(err)
	}
	if err := allowWith(t, b, plain, broker.Decision{}); err != nil {
		t.Fatal(err)
	}
	events, err := b.Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]broker.DecidedData{}
	for _, e := range events {
		var d broker.DecidedData
		if e.Type == broker.EventRequestDecided && json.Unmarshal(e.Data, &d) == nil {
			got[e.RequestID] = d
		}
	}
	d := got[req.ID]
	if string(d.AskedInput) != `{"command":"make"}` || string(d.UpdatedInput) != `{"command":"make -n"}` ||
		d.UpdatedDigest != broker.Digest("Bash", command("make -n"), req.CWD) || d.Difference != "-{\"command\":\"make\"}\n+{\"command\":\"make -n\"}\n" {
		t.Errorf("recorded %+v", d)
	}
	if d := got[plain.ID]; d.AskedInput != nil || d.UpdatedDigest != "" || d.Difference != "" {
		t.Errorf("of a call that nobody edited there is %+v", d)
	}
}

// Attack: while the person looks at the edited call, the script that it runs is
// rewritten.
func TestEditedFilesAreSealed(t *testing.T) {
	b, req, dir := editing(t)
	script := filepath.Join(dir, "build.sh")
	must(t, os.WriteFile(script, []byte("echo one\n"), 0o600))
	e, err := b.AssessEdited(t.Context(), req.ID, command("sh build.sh"))
	if err != nil {
		t.Fatal(err)
	}
	stillWaits(t, b, req)
	must(t, os.WriteFile(script, []byte("rm -rf ..\n"), 0o600))
	d := broker.Decision{UpdatedInput: command("sh build.sh"), Seal: e.Seal, Dangerous: true}
	if err := allowWith(t, b, req, d); !errors.Is(err, broker.ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	stillWaits(t, b, req)
	if e, err = b.AssessEdited(t.Context(), req.ID, d.UpdatedInput); err != nil {
		t.Fatal(err)
	}
	d.Seal = e.Seal
	if err := allowWith(t, b, req, d); err != nil {
		t.Errorf("after another look: %v", err)
	}
}

func TestEditedIsOneCall(t *testing.T) {
	b, req, _ := editing(t)
	_, err := b.DecideAll(t.Context(), []broker.Pick{{ID: req.ID, Digest: req.Digest}}, broker.Decision{Verdict: broker.Allow, By: operator, UpdatedInput: command("true")})
	if !errors.Is(err, broker.ErrInvalid) {
		t.Errorf("several calls with one input: %v, want ErrInvalid", err)
	}
	if _, err := b.AssessEdited(t.Context(), "none", command("true")); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("a call that is not there: %v", err)
	}
}
