package console

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/eyes"
	"github.com/aoctl/aoctl/broker/fleet/far"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/tui"
)

// joinFleet makes this broker's part in a fleet, which works while it is in one. It returns who must allow
// dangerous calls, before the broker judges any.
func (a *App) joinFleet(key keys.Key) policy.Eyes {
	dial := func(ctx context.Context, m consoles.Membership, fleet string) (link.Line, error) {
		line, err := jet.Dial(ctx, jet.Options{Servers: m.Servers, Pin: m.Pin, Key: key, Fleet: fleet, Name: "aoctl broker", Log: a.log})
		return jet.Machine(line), err
	}
	two := eyes.New(eyes.Options{Tokens: a.Broker.TokenRecords, Fleet: a.Broker.FleetToken, Screen: screenKey, Now: time.Now})
	begun := false // the broker has cards that say what holds
	listed := func(r *members.Roster, signer []byte) {
		if two.Set(r, signer) && begun {
			a.Broker.NeedTwo(two)
		}
	}
	a.fleet = link.NewHost(link.Options{Home: link.Home{Record: a.Broker, Callers: service.CallersOf(a.Broker), Screens: screens{a}, Log: a.store}, Key: key, Version: version.Read().Version, Dial: dial, Log: a.log, Listed: listed})
	if err := a.fleet.Begin(); err != nil {
		a.log.Error("no dangerous call can be allowed", "err", err)
		two.Blind()
	}
	begun = true
	return two
}

// screenKey is the key of who sits at the broker's own screen: that of the state folder's consoles. nil
// where there is none.
func screenKey() []byte {
	file, err := keyFile(member.ConsoleKey)
	if err != nil {
		return nil
	}
	id, err := consoles.ReadIdentity(file)
	if err != nil {
		return nil
	}
	sign, _ := id.Key().Public().(ed25519.PublicKey)
	return sign
}

// screens are the app's consoles, which are made later.
type screens struct{ app *App }

func (s screens) Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error) {
	return s.app.consoles.Carry(ctx, by, method, body)
}

// fleetMemory is what the screen over all machines may take before it collects garbage more often. 200
// machines with 2,000 sessions that all talk at once leave much of it.
const fleetMemory = 128 << 20

// showFleet opens the screen over all machines of the fleet that the person is in.
func showFleet(ctx context.Context, o Options) error {
	if _, err := asPerson(); err != nil {
		return err
	}
	me, err := member.Load()
	if err != nil {
		return err
	}
	m, ok := me.Member()
	if !ok {
		return putOut()
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(fleetMemory)
	}
	drawing, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	line, err := me.Dial(drawing, me.Key)
	if err != nil {
		return err
	}
	defer line.Close()
	roster := me.Roster() // Follow has me from now on
	out := func() string {
		if s := line.State(); !s.Up {
			return cmp.Or(s.Err, "not connected yet")
		}
		return ""
	}
	b := far.New(far.Options{Key: me.Key, Roster: roster, Line: line, Log: slog.New(slog.DiscardHandler), Out: out})
	var beside sync.WaitGroup
	defer beside.Wait()
	defer leave(nil)
	beside.Go(func() { b.Run(drawing) })
	beside.Go(func() {
		if err := me.Follow(drawing, line, b.SetRoster); errors.Is(err, member.ErrPutOut) {
			leave(err)
		}
	})
	t := o.screen("fleet " + roster.Name)
	t.Operator = broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(m.ID(), m.Name)} // as machines record it
	t.ReadFile, t.Stamp = b.ReadFile, b.Stamp
	t.Hooks = tui.Hooks{Others: b.OtherHooks, Ours: b.OurHooks}
	t.Place = func() tui.Place { return tui.Place{Elsewhere: true} }
	err = tui.Run(drawing, b, t)
	switch {
	case errors.Is(context.Cause(drawing), member.ErrPutOut):
		return putOut()
	case ctx.Err() != nil:
		return nil
	}
	return err
}

func putOut() error {
	return exit.Error{Code: exit.Forbidden, Text: member.ErrPutOut.Error(), Hint: `ask an owner; "aoctl fleet leave --me" forgets the fleet here`, Cause: member.ErrPutOut}
}
