// Package fleettest has a fleet for tests: its servers, in this process, and keys of members.
//
// A Fleet has an owner, an operator, a guard, a watcher and two machines from the start. Lines are
// closed when the test ends, before the servers.
package fleettest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/keys/keystest"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/server"
)

// ID is the id of the fleet.
const ID = "team-abc123"

// The members that a fleet has from the start, by the seed of their key.
const (
	Owner byte = iota + 1
	Operator
	Guard
	Watcher
	Machine
	Machine2
)

// Fleet is a fleet.
type Fleet struct {
	Servers []*server.Server
	Options []server.Options // what the servers were started with
	Roster  members.Roster   // the newest
}

// Key is the key of a seed.
var Key = keystest.Key

// Member is the member of a seed.
func Member(t *testing.T, seed byte, role members.Role) members.Member {
	t.Helper()
	return members.Member{Public: Key(t, seed).Public(), Name: fmt.Sprintf("%s %d", role, seed), Role: role}
}

// NewRoster is the first roster.
func NewRoster(t *testing.T) members.Roster {
	t.Helper()
	at := time.Now().Add(-time.Minute)
	return members.Roster{Fleet: ID, Name: "team", Number: 1, At: at, Until: at.Add(24 * time.Hour), Members: []members.Member{
		Member(t, Owner, members.Owner), Member(t, Operator, members.Operator), Member(t, Guard, members.Guard), Member(t, Watcher, members.Watcher),
		Member(t, Machine, members.Machine), Member(t, Machine2, members.Machine),
	}}
}

// Sign signs a roster as the owner.
func Sign(t *testing.T, r members.Roster) keys.Signed {
	t.Helper()
	s, err := members.Begin(Key(t, Owner), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Start starts n servers, one cluster if there are several. change may change the options of each
// and the first roster.
func Start(t *testing.T, n int, change func(*server.Options, *members.Roster)) *Fleet {
	t.Helper()
	f := &Fleet{Roster: NewRoster(t)}
	var routes []string
	for i := range n {
		o := server.Options{Folder: t.TempDir(), Listen: "127.0.0.1:0", Replicas: n}
		if n > 1 {
			o.Listen = FreePort(t) // the same when it comes back
			o.Cluster = server.Cluster{Name: "test", Listen: FreePort(t)}
			routes = append(routes, o.Cluster.Listen)
		}
		if testing.Verbose() {
			o.Log = slog.New(slog.NewTextHandler(t.Output(), nil)).With("server", i)
		}
		if change != nil {
			change(&o, &f.Roster)
		}
		f.Options = append(f.Options, o)
	}
	for i := range f.Options {
		f.Options[i].Fleet = Sign(t, f.Roster)
		if n > 1 {
			f.Options[i].Cluster.Routes = slices.Delete(slices.Clone(routes), i, i+1)
			if err := os.WriteFile(filepath.Join(f.Options[i].Folder, "key"), bytes.Repeat([]byte{9}, 32), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.Servers = make([]*server.Server, n)
	errs := make([]error, n)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f.Servers[i], errs[i] = server.Start(ctx, f.Options[i]) })
	}
	all.Wait()
	for i := range n {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
	}
	t.Cleanup(func() {
		for _, s := range f.Servers {
			if s != nil {
				s.Close()
			}
		}
	})
	return f
}

// FreePort is an address where nobody listens.
func FreePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// LineOptions are those of a line with a key to all servers.
func (f *Fleet) LineOptions(k keys.Key) jet.Options {
	o := jet.Options{Key: k, Fleet: ID, Name: "test"}
	for _, s := range f.Servers {
		if s != nil {
			o.Servers, o.Pin = append(o.Servers, s.URL()), s.Pin()
		}
	}
	return o
}

// Line is a line with a key, not yet up perhaps.
func (f *Fleet) Line(t *testing.T, k keys.Key) *jet.Line {
	t.Helper()
	return Dial(t, f.LineOptions(k))
}

// Dial makes a line that ends with the test.
func Dial(t *testing.T, o jet.Options) *jet.Line {
	t.Helper()
	if testing.Verbose() {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	l, err := jet.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// As is a line of a member that is up.
func (f *Fleet) As(t *testing.T, seed byte) *jet.Line {
	t.Helper()
	l := f.Line(t, Key(t, seed))
	Until(t, l, func(s jet.State) bool { return s.Up })
	return l
}

// Until waits until a line is as it should be.
func Until(t *testing.T, l *jet.Line, good func(jet.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		changed := l.Changed()
		if good(l.State()) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the line is %+v", l.State())
		}
	}
}
