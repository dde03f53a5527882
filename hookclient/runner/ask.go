package runner

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/hookclient"
)

// ask puts a question before the console. The goroutine ends with an answer, or when the ask is
// dropped; nobody waits for it then.
func (s *session) ask(ctx context.Context, q ask) {
	ctx, cancel := context.WithCancel(ctx)
	s.asks[q.id] = openAsk{q.serial, cancel}
	s.asking.Go(func() {
		defer cancel()
		a := s.put(ctx, q)
		a.serial = q.serial
		select {
		case s.answers <- answeredAsk{q.id, a}:
		case <-ctx.Done():
		}
	})
}

// put asks the console about a call as a hook would, and returns its answer. It asks nothing when
// an operator has allowed this very call already. given 0 is a question for a person, who may
// also give it more time; anything else is for the broker and has its own limit.
func (s *session) put(ctx context.Context, q ask) answer {
	if q.sure != "" && s.operatorAllowed(ctx, q.sure) {
		return answer{sure: true}
	}
	given, atMost := q.given, time.Duration(0)
	if given == 0 {
		given, atMost = s.o.Timeout, longest
	}
	got, err := hookclient.Hook(ctx, s.o.Start.Agent, q.payload, hookclient.HookOptions{
		Timeout: given, AtMost: atMost, Socket: s.o.Socket, Patient: q.patient, Env: s.env,
	})
	return answer{json: got.JSON, request: got.RequestID, err: err}
}

// env are the variables that the agent's own hooks would have. The console goes by these to tell
// which agent asks. The runner's own environment may be another agent's.
func (s *session) env(name string) (string, bool) {
	switch name {
	case "CLAUDECODE":
		return "1", true
	case "CLAUDE_PID":
		return strconv.Itoa(s.child.pid), true
	case "CLAUDE_PROJECT_DIR":
		return s.o.Start.CWD, true
	case "CLAUDE_CODE_SESSION_ID":
		return s.o.Start.SessionID, true
	case "TMUX", "TMUX_PANE":
		if s.o.Start.Detached {
			return "", false
		}
		return os.LookupEnv(name)
	}
	return "", false
}

// operatorAllowed reports whether a person at the console allowed request. In all doubt it is
// false, and the question is asked.
func (s *session) operatorAllowed(ctx context.Context, request string) bool {
	raw, err := s.call(ctx, "/approval-requests/"+request, nil, callTime)
	var r struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Outcome struct {
			By struct {
				Kind string `json:"kind"`
			} `json:"by"`
		} `json:"outcome"`
	}
	return err == nil && json.Unmarshal(raw, &r) == nil && r.ID == request && r.Status == "allowed" && r.Outcome.By.Kind == "operator"
}
