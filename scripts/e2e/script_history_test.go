package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

func cmdHistory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: history DAYS CALLS")
	}
	days, err := strconv.Atoi(args[0])
	ts.Check(err)
	calls, err := strconv.Atoi(args[1])
	ts.Check(err)
	st, err := store.Open(context.Background(), filepath.Join(ts.Getenv("AOCTL_HOME"), "aoctl.db"))
	ts.Check(err)
	now := time.Now().UTC().Truncate(time.Millisecond)
	for day := days; day >= 0; day-- {
		for n := range calls {
			at := now.AddDate(0, 0, -day).Add(time.Duration(n-calls) * time.Second)
			ts.Check(recordCall(st, fmt.Sprintf("day-%d-%d", day, n), at))
		}
	}
	ts.Check(st.Close())
}

// recordCall records a call that was asked and denied at a time.
func recordCall(st *store.Store, id string, at time.Time) error {
	r := brokertest.PendingRequest(id, "s-old")
	r.CreatedAt, r.ExpiresAt = at, at.Add(time.Hour)
	o := brokertest.Outcome(broker.Denied)
	o.At = at
	asked, ended := brokertest.Asked(r), brokertest.Ended(r, o)
	asked.Events[0].At, ended.Sync = at, false
	if err := st.Record(context.Background(), asked); err != nil {
		return err
	}
	return st.Record(context.Background(), ended)
}
