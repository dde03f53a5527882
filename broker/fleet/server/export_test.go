package server

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// Leads reports whether a server leads a stream.
func (s *Server) Leads(stream string) bool { return s.nats.JetStreamIsStreamLeader("$G", stream) }

// Stream is one of the server's.
func (s *Server) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	return s.tend.js.Stream(ctx, name)
}

// Sweep has a server look whose states and readers there are, as it does now and then.
func (s *Server) Sweep(ctx context.Context, was map[string]bool) (out map[string]bool, err error) {
	return s.tend.sweep(ctx, was)
}
