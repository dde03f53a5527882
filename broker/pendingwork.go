package broker

import (
	"context"
	"errors"
)

// Defer puts a call off; see Console.
func (b *Broker) Defer(context.Context, string, Actor) (Request, error) {
	return Request{}, errors.ErrUnsupported
}

// Resume goes on with a session; see Console.
func (b *Broker) Resume(context.Context, string, Actor) (Resumption, error) {
	return Resumption{}, errors.ErrUnsupported
}
