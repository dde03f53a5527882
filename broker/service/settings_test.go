package service_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

func silences(settings []byte) string {
	if strings.Contains(string(settings), "disableAllHooks") {
		return "it switches hooks off"
	}
	return ""
}

// Attack: a file that came with another branch switches every hook off. The agent's
// question before it reads that file is refused, and the operator is told until it is gone.
func TestSettingsAreKeptOut(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{Guard: service.Guard{Silences: silences}})
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad, big := put("bad.json", `{"disableAllHooks": true}`), put("big.json", strings.Repeat(" ", 1<<20+1))
	for name, tt := range map[string]struct {
		source, file string
		want         int
	}{
		"harmless":      {"project_settings", put("good.json", `{}`), http.StatusOK},
		"switches off":  {"project_settings", bad, http.StatusForbidden},
		"user's own":    {"user_settings", bad, http.StatusForbidden},
		"policy":        {"policy_settings", bad, http.StatusForbidden},
		"another kind":  {"later_settings", bad, http.StatusForbidden},
		"too large":     {"local_settings", big, http.StatusForbidden},
		"a folder":      {"local_settings", dir, http.StatusForbidden},
		"no name":       {"local_settings", "", http.StatusForbidden},
		"relative":      {"local_settings", "settings.json", http.StatusForbidden},
		"gone":          {"local_settings", filepath.Join(dir, "none"), http.StatusOK},
		"name too long": {"local_settings", filepath.Join(dir, strings.Repeat("press a now ", 40)), http.StatusOK},
		"path too long": {"local_settings", "/" + strings.Repeat("press a now/", 400), http.StatusBadRequest},
		"below a file":  {"local_settings", filepath.Join(bad, "settings.json"), http.StatusOK},
		"the user's is": {"user_settings", filepath.Join(dir, "none"), http.StatusForbidden},
		"skills":        {"skills", filepath.Join(dir, "none"), http.StatusOK},
	} {
		body, err := json.Marshal(map[string]string{"hook_event_name": "ConfigChange", "session_id": "s", "cwd": "/w", "source": tt.source, "file_path": tt.file})
		if err != nil {
			t.Fatal(err)
		}
		if status, got := c.do(http.MethodPost, "/hooks/claude", string(body)); status != tt.want {
			t.Errorf("%s: status %d, want %d: %v", name, status, tt.want, got)
		}
	}
	told := func() bool {
		snap, _ := c.b.Watch(t.Context())
		for _, s := range snap.Health.Settings {
			if s.File == bad && s.Kept && s.Why == "it switches hooks off" {
				return true
			}
		}
		return false
	}
	if !told() {
		t.Error("the operator was not told of the file")
	}
	events, err := c.b.Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	noted := 0
	for _, e := range events {
		if e.Type == broker.EventSettings && strings.Contains(string(e.Data), bad) {
			noted++
		}
	}
	if noted == 0 {
		t.Error("the log does not tell of the file")
	}
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	tick, late := time.NewTicker(20*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for told() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the file is gone, and the operator is still told of it")
		}
	}
}

// A project's settings that cannot be read are told of while somebody works there: nobody
// can make the row go once the session has ended.
func TestUnreadSettingsGoWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{Guard: service.Guard{Silences: silences}})
		dir := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(dir, ".claude", "settings.json"), 0o700)) // a folder cannot be read as a file, by root either
		bad := filepath.Join(dir, ".claude", "settings.local.json")
		must(t, os.WriteFile(bad, []byte(`{"disableAllHooks": true}`), 0o600))
		say := func(session string, kind agents.Kind) {
			t.Helper()
			_, err := b.Hear(t.Context(), agents.Hook{Agent: "claude", Kind: kind, SessionID: session, CWD: dir})
			must(t, err)
			time.Sleep(2 * time.Second)
		}
		told := func() string {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			snap, _ := b.Watch(ctx)
			var list []string
			for _, s := range snap.Health.Settings {
				list = append(list, filepath.Base(s.File)+" of "+s.SessionID)
			}
			slices.Sort(list)
			return strings.Join(list, ", ")
		}
		const left = "settings.local.json of one" // what it says holds for every session to come
		for _, step := range []struct {
			session string
			kind    agents.Kind
			want    string
		}{
			{"one", agents.SessionStart, "settings.json of one, " + left},
			{"two", agents.SessionStart, "settings.json of one, " + left},
			{"one", agents.SessionEnd, "settings.json of two, " + left},
			{"two", agents.SessionEnd, left},
		} {
			if say(step.session, step.kind); told() != step.want {
				t.Errorf("after event %d of %s the operator is told of %q, want %q", step.kind, step.session, told(), step.want)
			}
		}
	})
}
