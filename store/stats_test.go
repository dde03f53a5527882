package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
)

// EachEnded tells each call once that is over, the first to end first, of one session or of all.
func TestEachEnded(t *testing.T) {
	s := openNew(t)
	for i := range 5 {
		o := brokertest.Outcome(broker.Denied)
		o.By = broker.Actor{Kind: broker.ByRule, ID: "rule"}
		o.At = brokertest.Epoch.Add(time.Duration(5-i) * time.Minute)
		commit(t, s, brokertest.DecidedAtOnce(brokertest.PendingRequest(fmt.Sprint(i), fmt.Sprint("s", i%2)), o))
	}
	commit(t, s, brokertest.Asked(brokertest.PendingRequest("waits", "s1")))
	for _, tc := range []struct {
		session string
		since   time.Time
		want    int
	}{{"", time.Time{}, 5}, {"s1", time.Time{}, 2}, {"s9", time.Time{}, 0}, {"", brokertest.Epoch.Add(3 * time.Minute), 3}} {
		var got []broker.EndedCall
		if err := s.EachEnded(t.Context(), tc.session, tc.since, func(c broker.EndedCall) { got = append(got, c) }); err != nil {
			t.Fatal(err)
		}
		if len(got) != tc.want {
			t.Errorf("%q since %v: %d calls", tc.session, tc.since, len(got))
		}
		for i, c := range got {
			if c.By != broker.ByRule || c.ByID != "rule" || c.State != broker.Denied || c.Tool == "" || i > 0 && c.Ended.Before(got[i-1].Ended) {
				t.Errorf("call %d: %+v", i, c)
			}
		}
	}
}
