package state

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store"
)

// record is one that has little in it.
type record struct {
	calls    []broker.EndedCall
	archived int64
	err      error
}

func (r record) Sessions(context.Context, broker.SessionFilter) ([]broker.Session, error) {
	return []broker.Session{{ID: "s-1", Name: "shop"}}, nil
}

func (r record) EachEnded(_ context.Context, session string, since time.Time, fn func(broker.EndedCall)) error {
	for _, c := range r.calls {
		if (session == "" || c.SessionID == session) && c.Ended.After(since) {
			fn(c)
		}
	}
	return r.err
}

func (r record) Rules(context.Context) ([]rules.Rule, error) {
	return []rules.Rule{{ID: "0197aaaa-0000-7000-8000-000000003c62", Tool: "Bash", Where: map[string]string{"command": "make *"}}}, nil
}

func (r record) Archives(context.Context) ([]store.Archived, error) {
	if r.archived == 0 {
		return nil, nil
	}
	return []store.Archived{{LogArchivedData: broker.LogArchivedData{BeforeMS: r.archived}}}, nil
}

// Sessions have their names, and who asks for a time of which calls were archived is told so.
func TestTally(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	rec := record{archived: at.UnixMilli()}
	for _, session := range []string{"s-1", "s-2", "s-1"} {
		rec.calls = append(rec.calls, broker.EndedCall{SessionID: session, State: broker.Allowed, By: broker.ByOperator, Asked: at, Ended: at.Add(time.Second)})
	}
	r, err := Tally(t.Context(), rec, "", time.Time{})
	if err != nil || r.Calls != 3 || len(r.Sessions) != 2 || r.Sessions[0].Name != "shop" || r.Sessions[1].Name != "" || r.ArchivedMS != rec.archived {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = Tally(t.Context(), rec, "s-2", at); err != nil || r.Calls != 1 || r.ArchivedMS != 0 {
		t.Errorf("one session, since the archives end: %+v, %v", r, err)
	}
	for i, id := range []string{"0197aaaa-0000-7000-8000-000000003c62", "0197aaaa-0000-7000-8000-00000000dead", "builtin:read-only"} {
		rec.calls[i].By, rec.calls[i].ByID = broker.ByRule, id
	}
	names := map[string]string{}
	r, err = Tally(t.Context(), rec, "", time.Time{})
	for _, g := range r.Rules {
		names[g.ID] = g.Name
	}
	if names[rec.calls[0].ByID] != `"make *"` || names[rec.calls[1].ByID] != "" || names["builtin:read-only"] != "read-only" || err != nil {
		t.Errorf("rules are called %q, %v", names, err)
	}
	rec.err = errors.New("no such table")
	if r, err = Tally(t.Context(), rec, "", at); !errors.Is(err, rec.err) || r.Calls != 0 {
		t.Errorf("half a record is no answer: %+v, %v", r, err)
	}
}
