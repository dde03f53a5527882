package console

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui/change"
)

// knownBrokers is where the state folder has the keys of brokers that consoles from here were paired with.
const knownBrokers = "known_brokers"

// keyFile is where a file of keys lies.
func keyFile(name string) (string, error) {
	dir, err := paths.StateDir()
	return filepath.Join(dir, name), err
}

// asPerson makes this process a console: nobody else reads its memory, and it is not beneath an agent. It
// returns its key. The broker looks for agents as well, but cannot where a connection is forwarded.
// Errors: exit.Error where an agent started it.
func asPerson() (consoles.Identity, error) {
	if err := KeepPrivate(); err != nil {
		return consoles.Identity{}, fmt.Errorf("keep other processes out of the console: %w", err)
	}
	if why := peers.BornOfAgentHere(); why != "" {
		return consoles.Identity{}, unattached(address{}, fmt.Errorf("%w: %s", consoles.ErrAgent, why))
	}
	return member.Identity(member.ConsoleKey)
}

// admitConsoles lets screens in other processes attach.
func (a *App) admitConsoles(me consoles.Identity, o Options) {
	a.consoles = consoles.NewServer(consoles.Options{
		Broker: a.forScreens(), Keys: a.Broker, Place: place{}, Me: me, Version: version.Read().Version, Empty: emptyWords[o.empty], Log: a.log, Leave: a.leaveFor(o), Fleet: a.fleet,
	})
	a.Broker.AdmitConsoles(attached{a.consoles})
}

// attached are the consoles as package api serves them.
type attached struct{ *consoles.Server }

func (a attached) Serve(conn net.Conn, who api.Visitor) { a.Server.Serve(conn, who) }

// place is this machine, for screens that may be on another one.
type place struct{}

func (place) ReadFile(path string) ([]byte, error) { return change.ReadFile(path) }
func (place) Stamp(path string) string             { return change.StampFile(path) }
func (place) OurHooks() []string                   { return hooked() }
func (place) OtherHooks(agent, event, tool, project string) []string {
	return otherHooks(agent, event, tool, project)
}

const (
	// emptyFor is how long a call waits for somebody to attach.
	emptyFor = 30 * time.Second
	// nobodyThere is why it is refused then. The sentence goes on from "because".
	nobodyThere = "no console was attached, so nobody could answer"
)

// denyWhenEmpty refuses what waits while no console is attached, and none of a fleet open, until ctx ends. Each call has
// its time, so that somebody may attach who was told of it.
func (a *App) denyWhenEmpty(ctx context.Context) {
	a.denyUnseenBy(ctx, func() bool { return a.consoles.Present() > 0 || a.fleet.Watched() }, func() string { return nobodyThere })
}

// denyUnseenBy refuses what waits while nobody attends, until ctx ends. why is the reason.
func (a *App) denyUnseenBy(ctx context.Context, attended func() bool, why func() string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var since time.Time // when the last one left
	for {
		switch now := time.Now(); {
		case attended():
			since = time.Time{}
		case since.IsZero():
			since = now
		default:
			a.denyUnseen(ctx, now, since, attended, why())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// denyUnseen refuses the calls that have waited long enough in an empty room, until somebody came.
func (a *App) denyUnseen(ctx context.Context, now, since time.Time, came func() bool, why string) {
	for _, r := range a.Broker.Pending("") {
		if came() {
			return
		}
		from := since
		if r.CreatedAt.After(from) {
			from = r.CreatedAt
		}
		if r.Checkpoint != nil || now.Sub(from) < emptyFor { // what was put off waits for its person
			continue
		}
		a.refuse(ctx, &r, why)
	}
}

// refuse refuses a call that nobody can answer. why goes on from "because".
func (a *App) refuse(ctx context.Context, r *broker.Request, why string) {
	d := broker.Decision{Verdict: broker.Deny, By: broker.Actor{Kind: broker.ByBroker}, Reason: why, Digest: r.Digest}
	if _, err := a.Broker.Decide(ctx, r.ID, d); err != nil {
		a.log.WarnContext(ctx, "a call that nobody could answer was not refused", "request_id", r.ID, "err", err)
	}
}
