package service

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/engine"
)

// everyone has every dangerous call need two operators.
type everyone struct{}

func (everyone) NeedsTwo(...string) bool { return true }

func (everyone) Operator(by broker.Actor) (id, name string, err error) { return by.ID, by.ID, nil }

// between is a view where something happens while a decision is looked at.
type between struct {
	*engine.View
	once *func()
}

func (v between) Held(session string) bool {
	if do := *v.once; do != nil {
		*v.once = nil
		do()
	}
	return v.View.Held(session)
}

// Attack: one operator allows a harmless call again and again, while its file is made another one. The card
// that counts is the one that the files were compared with.
func TestTwoGoByTheNewestCard(t *testing.T) {
	t.Parallel()
	b, err := New(context.Background(), brokertest.NewMemory(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	b.NeedTwo(everyone{})
	var once func()
	cs := calls.New(calls.Options{Engine: b.loop, View: between{b.view, &once}, Records: b.Records, Store: b.store, Policy: b.policy, Limits: b.limits(), Log: slog.New(slog.DiscardHandler)})
	for name, decide := range map[string]func(broker.Request, broker.Decision) error{
		"one": func(r broker.Request, d broker.Decision) error {
			_, err := cs.Decide(t.Context(), r.ID, d)
			return err
		},
		"several": func(r broker.Request, d broker.Decision) error {
			_, err := cs.DecideAll(t.Context(), []broker.Pick{{ID: r.ID, Digest: r.Digest}}, d)
			return err
		},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "out")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		q := broker.Question{Request: broker.Request{ID: name, SessionID: "s", Agent: "api", ToolName: "Bash", CWD: dir, ToolInput: []byte(`{"command":"echo x > ` + file + `"}`)}}
		r, err := b.Submit(t.Context(), q)
		if err != nil || r.Perilous() {
			t.Fatalf("%s: %v, %+v", name, err, r.Assessment)
		}
		once = func() {
			if err := errors.Join(os.Remove(file), os.Symlink("/dev/sda", file)); err != nil {
				t.Error(err)
			}
			b.Refresh(r.ID)
		}
		err = decide(r, broker.Decision{Verdict: broker.Allow, By: broker.Actor{Kind: broker.ByOperator, ID: "ana"}, Digest: r.Digest})
		if now, _ := b.view.Request(r.ID); !errors.Is(err, broker.ErrTwo) || !now.NeedsTwo() {
			t.Errorf("%s: %v, the call is %s, %+v", name, err, now.State, now.Assessment)
		}
	}
}
