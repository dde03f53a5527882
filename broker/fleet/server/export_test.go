package server

// Leads reports whether s leads a stream of its cluster.
func (s *Server) Leads(stream string) bool { return s.nats.JetStreamIsStreamLeader("$G", stream) }
