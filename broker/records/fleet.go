package records

import (
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// FleetToken says which fleet the broker is in, and reports whether it is in one.
func (rs *Records) FleetToken() (broker.TokenData, bool) {
	for _, t := range rs.o.View.Tokens() {
		if t.Kind == broker.FleetToken {
			return t.TokenData, true
		}
	}
	return broker.TokenData{}, false
}

// TokenRecords are the tokens in force, as they are on record.
func (rs *Records) TokenRecords() (list []broker.TokenData) {
	for _, t := range rs.o.View.Tokens() {
		list = append(list, t.TokenData)
	}
	return list
}

// KeepFleet records which fleet the broker is in from now on. Errors: ErrNotRecorded.
func (rs *Records) KeepFleet(d broker.TokenData) error {
	if err := rs.o.Do(engine.MintToken{Token: d}).Err; err != nil {
		return broker.While(err, "record the fleet")
	}
	return nil
}

// NoteOrder records something about an order that came over the fleet; data is that of the event typ.
// Errors: ErrNotRecorded.
func (rs *Records) NoteOrder(typ string, data any) error {
	e := broker.NewEvent(broker.Instant(time.Now()), typ, broker.Request{}, data)
	if err := rs.o.Do(engine.Note{Events: []*broker.Event{e}, Sync: true}).Err; err != nil {
		return broker.While(err, "record an order")
	}
	return nil
}

// LogDoubt is why the log cannot be trusted to say who may give orders, "" when it can.
func (rs *Records) LogDoubt() string { return rs.o.View.Health().LogBroken }
