package service

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// FleetToken says which fleet the broker is in, and reports whether it is in one.
func (b *Broker) FleetToken() (broker.TokenData, bool) {
	for _, t := range b.view.Tokens() {
		if t.Kind == broker.FleetToken {
			return t.TokenData, true
		}
	}
	return broker.TokenData{}, false
}

// KeepFleet records which fleet the broker is in from now on. Errors: ErrNotRecorded.
func (b *Broker) KeepFleet(d broker.TokenData) error {
	if err := b.loop.Do(engine.MintToken{Token: d}).Err; err != nil {
		return broker.While(err, "record the fleet")
	}
	return nil
}

// NoteOrder records something about an order that came over the fleet; data is that of the event typ.
// Errors: ErrNotRecorded.
func (b *Broker) NoteOrder(typ string, data any) error {
	e := broker.NewEvent(now(), typ, broker.Request{}, data)
	if err := b.loop.Do(engine.Note{Events: []*broker.Event{e}, Sync: true}).Err; err != nil {
		return broker.While(err, "record an order")
	}
	return nil
}

// LogDoubt is why the log cannot be trusted to say who may give orders, "" when it can.
func (b *Broker) LogDoubt() string {
	h := b.view.Health()
	if h.LogBroken != "" {
		return h.LogBroken
	}
	return h.LogUnread
}
