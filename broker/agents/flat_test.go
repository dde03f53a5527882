package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/wire"
)

// hooks decodes every captured payload of agent, by name.
func hooks(t *testing.T, agent string) map[string]Hook {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", agent, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	d, err := For(agent)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Hook{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		payload := captured(t, agent, name)
		h, err := d.Decode(payload)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		all[name] = h
		// A field from a later version changes nothing.
		more := append([]byte(`{"a_new_field":{"x":[1,null]},`), bytes.TrimSpace(payload)[1:]...)
		again, err := d.Decode(more)
		if diff := cmp.Diff(h, again); err != nil || diff != "" {
			t.Errorf("%s with a new field: %v\n%s", name, err, diff)
		}
		if got, err := Recognise("claude", payload, map[string]string{"CLAUDECODE": "1"}); got != agent || err != nil {
			t.Errorf("%s came in as Claude Code's: %q, %v", name, got, err)
		}
	}
	return all
}

// told compares hooks, their inputs and results as texts.
func told(t *testing.T, agent string, got map[string]Hook, want map[string]Hook) {
	t.Helper()
	for name, w := range want {
		w.Agent, w.CWD = agent, "/home/ana/src/shop"
		g, ok := got[name]
		if g.Result != nil {
			g.Result = json.RawMessage(`…`)
		}
		if diff := cmp.Diff(w, g); !ok || diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// answers checks what Encode says; input is of the call that is answered.
func answers(t *testing.T, d Dialect, tests []struct {
	name, event, input string
	answer             Answer
	want               string
},
) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(d.Encode(tt.event, json.RawMessage(tt.input), tt.answer)); got != tt.want+"\n" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// commonWords checks what a dialect's calls are called by everybody, and whether it vouches.
func commonWords(t *testing.T, agent string, tests [][5]string) {
	t.Helper()
	for _, tt := range tests {
		name, in, known := Common(agent, tt[0], json.RawMessage(tt[1]))
		if name != tt[2] || string(in) != tt[3] || known != (tt[4] == "known") {
			t.Errorf("%s %s: %s %s %v, want %s %s %s", tt[0], tt[1], name, in, known, tt[2], tt[3], tt[4])
		}
	}
}

func refuses(t *testing.T, d Dialect, payloads map[string]string) {
	t.Helper()
	for payload, want := range payloads {
		h, err := d.Decode([]byte(payload))
		if !errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: error %v, want ErrPayload with %q", payload, err, want)
		}
		if diff := cmp.Diff(Hook{}, h); diff != "" {
			t.Errorf("%.200s: an error came with a hook", payload)
		}
	}
}

// fuzzDialect holds that an error comes with no hook, that what decodes can be answered with
// one strict JSON object on one line, and that verdict, which reads that object as the agent
// does, finds an allow exactly where one was said, or where the call is left and leaving it
// needs one.
func fuzzDialect(f *testing.F, agent string, leave string, verdict func(t *testing.T, h Hook, out []byte) string) {
	f.Helper()
	d, err := For(agent)
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("testdata", agent, "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload, "because", []byte(`{"command":"ls"}`), byte(i), i%2 == 0)
		f.Add(payload, "\xff", []byte(nil), byte(1), false)
	}
	f.Fuzz(func(t *testing.T, payload []byte, reason string, updated []byte, word byte, stop bool) {
		h, err := d.Decode(payload)
		if err != nil {
			if h.Event != "" || h.SessionID != "" || h.ToolInput != nil || h.Kind != Observe {
				t.Fatalf("error %v with hook %+v", err, h)
			}
			return
		}
		if h.Kind == Gate || h.Kind == ToolDone {
			if _, err := wire.Fields(h.ToolInput); err != nil || h.ToolName == "" {
				t.Fatalf("a call %q with the input %q: %v", h.ToolName, h.ToolInput, err)
			}
			Common(agent, h.ToolName, h.ToolInput)
		}
		a := Answer{Verdict: Verdict(word % 4), Reason: reason, StopTurn: stop, Tool: h.ToolName}
		if len(updated) > 0 {
			a.UpdatedInput = updated
		}
		out := d.Encode(h.Event, h.ToolInput, a)
		if !bytes.HasSuffix(out, []byte("}\n")) || bytes.Count(out, []byte("\n")) != 1 || !utf8.Valid(out) || !json.Valid(out) {
			t.Fatalf("not one line with one object: %q", out)
		}
		want := "deny"
		_, badInput := wire.Fields(a.UpdatedInput)
		switch {
		case h.Kind != Gate:
			want = "none"
		case stop:
		case a.Verdict == Leave:
			want = leave
		case a.Verdict == Allow && (a.UpdatedInput == nil || badInput == nil && Takes(agent, h.Event, h.ToolName, h.ToolInput, a.UpdatedInput)):
			want = "allow"
		}
		if got := verdict(t, h, out); got != want {
			t.Fatalf("%s with %+v was answered with %s: the agent reads %s, want %s", h.Event, a, out, got, want)
		}
	})
}

// strictly reads out into v, which has every key that the agent's page lists for the event.
func strictly(t *testing.T, out []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
}

// word is what a decision's word means, with the reason that a refusal must have.
func word(t *testing.T, said, reason string) string {
	t.Helper()
	switch {
	case said == "":
		return "none"
	case said == "deny" && reason == "":
		t.Fatal("refused without a reason")
	}
	return said
}

// notPassedOn is the reason of a refusal in the place of an allow with a changed input.
const notPassedOn = "aoctl: the changed input could not be passed on, so the call was refused."
