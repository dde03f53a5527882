package console

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/store"
)

// joinFleet makes this broker's part in a fleet, which works while it is in one.
func (a *App) joinFleet(me consoles.Identity) error {
	key, err := keys.New(me.Key())
	if err != nil {
		return err
	}
	dial := func(m consoles.Membership, fleet string) (link.Line, error) {
		line, err := jet.Dial(context.Background(), jet.Options{Servers: m.Servers, Pin: m.Pin, Key: key, Fleet: fleet, Name: "aoctl broker", Log: a.log})
		return machineLine{line}, err
	}
	a.fleet = link.NewHost(link.Options{Home: fleetHome{a.Broker, a.store, a}, Key: key, Version: version.Read().Version, Dial: dial, Log: a.log})
	return nil
}

// machineLine is a line as a link wants it.
type machineLine struct{ *jet.Line }

func (l machineLine) Up() (up bool, since time.Time, why string) {
	s := l.State()
	return s.Up, s.Since, s.Err
}

// fleetHome is the broker as a link wants it.
type fleetHome struct {
	*service.Broker
	store *store.Store
	app   *App
}

func (h fleetHome) Head() (seq int64, hash string) { return h.store.Head() }

func (h fleetHome) Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error) {
	return h.store.Events(ctx, f)
}

func (h fleetHome) Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error) {
	return h.app.consoles.Carry(ctx, by, method, body)
}
