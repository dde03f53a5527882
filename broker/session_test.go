package broker_test

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// The console, aoctl sessions and aoctl status go by these: one word for each way that a session
// can stand, and one answer to whether it counts.
func TestSessionWord(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	over := broker.SessionEnd{EndedAt: at}
	for _, tc := range []struct {
		want string
		open bool
		s    broker.Session
	}{
		{"working", true, broker.Session{State: broker.SessionActive}},
		{"waiting", true, broker.Session{State: broker.SessionIdle, Pending: 1}},
		{"idle", true, broker.Session{State: broker.SessionIdle}},
		{"failed", true, broker.Session{State: broker.SessionIdle, SessionEnd: broker.SessionEnd{EndReason: "API Error"}}},
		{"asks you", true, broker.Session{State: broker.SessionActive, Asks: &broker.Asks{At: at}}},
		{"starting", true, broker.Session{State: broker.SessionActive, Run: &broker.Run{Turn: broker.TurnStarting}}},
		{"stopping", true, broker.Session{State: broker.SessionStopping, Pending: 1}},
		{"stopped", true, broker.Session{State: broker.SessionStopped}},
		{"stopped", false, broker.Session{State: broker.SessionStopped, SessionEnd: over}},
		{"deferred", true, broker.Session{State: broker.SessionFinished, SessionEnd: over, Deferred: 1}},
		{"deferred", true, broker.Session{State: broker.SessionGone, SessionEnd: over, Deferred: 1}},
		{"ended", false, broker.Session{State: broker.SessionFinished, SessionEnd: over}},
		{"ended", false, broker.Session{State: broker.SessionGone, SessionEnd: over}},
		{"killed", false, broker.Session{State: broker.SessionFinished, SessionEnd: over, Run: &broker.Run{Turn: broker.TurnEnded, Error: "the agent was killed"}}},
	} {
		if got := tc.s.Word(); got != tc.want || tc.s.Open() != tc.open {
			t.Errorf("%+v: got %q, open %v; want %q, %v", tc.s, got, tc.s.Open(), tc.want, tc.open)
		}
		var st broker.Status
		st.Count(tc.s)
		if counted := st.Sessions == 1; counted != tc.open || (st.PutOff == 1) != (tc.want == broker.WordPutOff) {
			t.Errorf("%+v counts as %+v", tc.s, st)
		}
	}
}

// A session ended when it ended: that its end is told again moves nothing, a stopped one's neither.
func TestSessionEndsOnce(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, state := range []broker.SessionState{broker.SessionStopped, broker.SessionActive} {
		s := broker.Session{ID: "s1", State: state}
		broker.EndSession(noon, &s, broker.SessionFinished, nil, "exit")
		if events := broker.EndSession(noon.Add(time.Hour), &s, broker.SessionGone, nil, "gone"); len(events) > 0 || !s.EndedAt.Equal(noon) {
			t.Errorf("%s: the end told again has %d events and is at %v", state, len(events), s.EndedAt)
		}
	}
}
