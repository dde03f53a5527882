// Package service is the broker at work: it builds the rooms of the broker, runs the engine's
// loop, and takes care of what nobody asks for.
//
// New loads what an earlier console left in the store, has the engine restore it, makes the
// rooms (records, calls, policy, runs, story, hooks) and opens the API's server over them. The
// Broker embeds those rooms, so the screen and cli/console call their methods on it. Close ends
// the background work and leaves what waits in the store for the next console.
//
// What is the package's own:
//
//   - broker.go takes up what was left: calls that wait, calls that were put off, late cards,
//     alarms. quarantine.go sets a call aside that brought two consoles down: it is denied, and
//     its text is never parsed again.
//   - sweep.go looks twice a second for askers and agents that are gone, pays the engine's debts
//     to a store that failed, and reads calls again that the vetter was too busy for.
//   - stop.go, kill.go and operators.go are what operators do to whole sessions, to their
//     processes and to tokens.
//   - memory.go decides when the process gives memory back.
//
// It decides nothing about a call. The engine does, and every end is on record before the agent
// hears of it. cli/console makes a Broker, doctor one for its drill, and the trials theirs; no
// other room of the broker knows this package.
//
// The order of a start matters. What was left is taken out of the store before the engine runs,
// the count of crashes is on record before any text of an agent is parsed, and the socket is
// served only when New has returned (cli/console does that). So no hook meets a console that does
// not know its call.
//
// Read options.go for what can be tuned, broker.go for how the rooms hang together, then the file
// of the matter.
package service
