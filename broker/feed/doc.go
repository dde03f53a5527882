// Package feed tells front ends what happens, as it happens: the log's events over Server-Sent
// Events (Stream), and events, sessions and waiting calls over a WebSocket (Socket).
//
// In goes a wish: from which event on, of which session, which types. Out come bytes on the
// connection of the request. A feed decides nothing, changes nothing and never writes to the
// store; what a client of a WebSocket says is read and dropped.
//
// While anybody reads there is one tail (tail.go): a goroutine that the engine's loop wakes once
// a round is on record. It reads new events from the store, makes the JSON of each once, and keeps
// the newest in a ring (ring.go). Each reader has a place of its own in the ring and goes at its
// own pace. One that comes back with the number of the last event that it saw reads the store up
// to the ring's beginning and joins the ring there. Numbers only grow and have no gaps, so nothing
// is missed and nothing comes twice.
//
// The loop only leaves a sign and never waits for a reader. A reader that does not take what is
// written within a time, or falls out of the ring, is closed; it comes again and reads on.
//
// Rooms of this process that count or time what happens have a Tap each (tap.go): every event,
// once and in order, in a goroutine of its own.
//
// Only what GET /sessions/{id}/events gives is told: events of a session. The console's own, such
// as tokens that were minted and attempts that were refused, are passed over; a reader only learns
// their numbers, so that it can go on behind them. Package api lets readers in; service builds the
// feed.
//
// Open feed.go first, then tail.go, then stream.go and socket.go for what readers get.
package feed
