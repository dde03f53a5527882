// Package peers finds out who is asking: which process is at the other end of a connection,
// what it descends from, and whether an agent stands above it. The right to allow rests on that.
//
// What a peer says of itself counts for nothing here. The kernel says who connected to the Unix
// socket (Peer, which With keeps for each connection); over TCP the process is looked up by the
// connection's two ends (HoldersOf). A process is held by a descriptor while it is looked at
// (Peer.Hold), so that its pid cannot pass to another process, and an ancestry is read until two
// readings agree (SteadyLineage).
//
// Read Peer first, then Ancestor, which is one process of an ancestry. The questions asked of them:
//
//   - BornOfAgent, CutOff: does an agent stand above this process, or has it been cut off from
//     whatever started it, so that nobody can say?
//   - AgentOf: which process is the agent that ran this hook?
//   - NotFromRunner: is this hook one that the agent itself ran, after that moment?
//   - Forwarder: does this program only pass on what another one says?
//   - StartedHow, Forgets: how was the agent started, and can its session be resumed?
//
// What cannot be told counts against the peer: an ancestry that changes, a process that is gone,
// an error from the system. Such a peer may refuse and stop, never allow. Nothing is kept; each
// question reads the system's process table. The files _linux, _darwin and _other have what the
// systems tell; one that tells too little gets no operator's rights for programs.
//
// Package api asks for each request that would allow something, hooks for each session.
package peers
