package client

import (
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
)

func TestFindSession(t *testing.T) {
	sessions := []broker.Session{
		{ID: "aaaa1111", Name: "api-server", CWD: "/src/api-server", State: broker.SessionActive},
		{ID: "aaaa2222", Name: "release notes", CWD: "/src/docs", State: broker.SessionIdle},
		{ID: "bbbb", Name: "x", CWD: "/src/site", ProjectDir: "/src/web", State: broker.SessionStopping},
		{ID: "bbbbcccc", Name: "aaaa2222", CWD: "/src/site", State: broker.SessionActive},
		{ID: "old1", Name: "docs", CWD: "/src/docs", State: broker.SessionFinished},
		{ID: "old2", Name: "gone", CWD: "/src/gone", State: broker.SessionGone},
		{ID: "old3", Name: "was stopped", CWD: "/src/ws", State: broker.SessionStopped, SessionEnd: broker.SessionEnd{EndedAt: time.Unix(1, 0)}},
	}
	const ambiguous, notFound = "ambiguous", "not found"
	for _, tc := range []struct {
		name, ref string
		endedToo  bool
		want      string
	}{
		{name: "prefix of the id", ref: "aaaa1", want: "aaaa1111"},
		{name: "whole id beats the prefix of another", ref: "bbbb", want: "bbbb"},
		{name: "whole id beats the name of another", ref: "aaaa2222", want: "aaaa2222"},
		{name: "name", ref: "api-server", want: "aaaa1111"},
		{name: "name with a blank", ref: "release notes", want: "aaaa2222"},
		{name: "folder of a living one before the name of an ended one", ref: "docs", want: "aaaa2222"},
		{name: "project folder", ref: "web", want: "bbbb"},
		{name: "path", ref: "/src/web", want: "bbbb"},
		{name: "path with dots", ref: "/src/x/../web/", want: "bbbb"},
		{name: "shared folder", ref: "site", want: ambiguous},
		{name: "shared prefix", ref: "aaaa", want: ambiguous},
		{name: "part of a name is no name", ref: "server", want: notFound},
		{name: "case matters", ref: "API-server", want: notFound},
		{name: "unknown", ref: "zzz", want: notFound},
		{name: "ended", ref: "gone", want: notFound},
		{name: "ended, by its whole id", ref: "old1", want: notFound},
		{name: "stopped, and its agent left", ref: "was stopped", want: "old3"},
		{name: "ended ones asked for", ref: "gone", endedToo: true, want: "old2"},
		{name: "ended ones asked for, by id", ref: "old1", endedToo: true, want: "old1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kinds := Living
			if tc.endedToo {
				kinds = Recorded
			}
			got, err := FindSession(sessions, tc.ref, kinds...)
			_, isUsage := errors.AsType[usage.Error](err)
			f, isFailure := errors.AsType[exit.Error](err)
			switch {
			case tc.want == ambiguous:
				if !isUsage {
					t.Fatalf("got %q, %v; want an error that lists the candidates", got.ID, err)
				}
			case tc.want == notFound:
				if !isFailure || f.Code != exit.NotFound {
					t.Fatalf("got %q, %v; want not found", got.ID, err)
				}
			case err != nil || got.ID != tc.want:
				t.Fatalf("got %q, %v; want %q", got.ID, err, tc.want)
			}
		})
	}
}

func TestFindRequest(t *testing.T) {
	pending := []broker.Request{{ID: "0197aa"}, {ID: "0197ab"}, {ID: "0197"}}
	for ref, want := range map[string]string{"0197aa": "0197aa", "0197": "0197", "0197ab": "0197ab"} {
		if got, found, err := FindRequest(pending, ref); !found || err != nil || got.ID != want {
			t.Errorf("findRequest(%q) = %q, %v, %v; want %q", ref, got.ID, found, err, want)
		}
	}
	if _, found, err := FindRequest(pending, "0197a"); found || err == nil {
		t.Errorf("an ambiguous prefix was taken: %v, %v", found, err)
	}
	if _, found, err := FindRequest(pending, "7"); found || err != nil {
		t.Errorf("an unknown id: %v, %v", found, err)
	}
}
