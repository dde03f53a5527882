package broker

import (
	"context"
	"errors"
)

// Say queues a message; see Console.
func (b *Broker) Say(context.Context, string, string, Actor) (Session, error) {
	return Session{}, errors.ErrUnsupported
}

// Interrupt ends a turn; see Console.
func (b *Broker) Interrupt(context.Context, string, Actor) error { return errors.ErrUnsupported }

// Launch starts a managed session; see Console.
func (b *Broker) Launch(context.Context, NewRun, Actor) (Session, error) {
	return Session{}, errors.ErrUnsupported
}

// Defer puts a call off; see Console.
func (b *Broker) Defer(context.Context, string, Actor) (Request, error) {
	return Request{}, errors.ErrUnsupported
}

// Resume goes on with a session; see Console.
func (b *Broker) Resume(context.Context, string, Actor) (Resumption, error) {
	return Resumption{}, errors.ErrUnsupported
}
