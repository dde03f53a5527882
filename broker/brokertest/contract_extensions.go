package brokertest

import (
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// MoreTime is the change that gives x.RequestID, of r's session, more time. Only an event says
// so. The row keeps its first deadline, which its seal covers.
func MoreTime(r broker.Request, x broker.Extension) *broker.Change {
	data, _ := json.Marshal(x.ExtendedData)
	return &broker.Change{Events: []*broker.Event{
		{At: x.At, Type: broker.EventExtended, SessionID: r.SessionID, RequestID: r.ID, Data: data},
	}}
}

// extensions tries that the newest extension of each waiting call is loaded, and none of a call
// that has ended.
func (k keeper) extensions() {
	t, s := k.t, k.s
	// The second one never gets more time, and must not appear.
	one, two, other := PendingRequest("r1", "s1"), PendingRequest("r2", "s1"), PendingRequest("r3", "s2")
	commit(t, s, Asked(one), Asked(two), Asked(other))
	// minutes is when it was given, after Epoch.
	longer := func(r broker.Request, minutes int) broker.Extension {
		x := broker.Extension{RequestID: r.ID, At: Epoch.Add(time.Duration(minutes) * time.Minute)}
		x.From, x.ExpiresAt, x.By = r.ExpiresAt, x.At.Add(10*time.Minute), broker.Actor{Kind: broker.ByOperator, PID: 7}
		commit(t, s, MoreTime(r, x))
		return x
	}
	loaded := func(want ...broker.Extension) {
		t.Helper()
		saved, err := s.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "extensions", saved.Extensions, want)
		for _, r := range saved.Requests {
			same(t, "deadline in the row", r.ExpiresAt, one.ExpiresAt)
		}
	}
	loaded()
	longer(one, 1)
	third := longer(other, 2)
	newest := longer(one, 3)
	// Oldest first, by the newest of each request.
	loaded(third, newest)
	// A call that has ended needs no deadline any more.
	commit(t, s, Ended(other, Outcome(broker.Allowed)))
	loaded(newest)
	// The row is as it was asked, with its first deadline, also after the end.
	end, o := one, Outcome(broker.Denied)
	end.State, end.Outcome = broker.Denied, &o
	commit(t, s, Ended(one, o))
	loaded()
	same(t, "the request", request(t, s, "r1"), end)
}
