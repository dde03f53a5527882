// Package peers finds out who is asking: which process is at the other end of a connection,
// what it descends from, and whether an agent stands above it.
//
// What a peer says of itself counts for nothing here. The kernel says who connected to the
// socket (Peer); over TCP the process is found by its connection (HoldersOf). A process is
// held by a descriptor while it is looked at, so that its pid cannot become another's, and an
// ancestry is read until two readings agree (SteadyLineage). What cannot be told counts
// against the peer.
package peers
