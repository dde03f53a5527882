// Package broker is the domain: what a request, a session, a decision, a rule's use and an
// event are, and what becomes of them when something happens. It is types and pure functions:
// no clock of its own, no goroutine, no lock, no file.
//
// A Request is one tool call that waits, or waited, for an answer. It ends one way, and its
// Outcome says how and by whom. A Session is one conversation of one agent; where aoctl holds
// the agent's process, Session.Run says how. A Change is what one transaction of the Store
// writes, and an Event one row of its hash-chained log. The functions that end in a slice of
// events are transitions: they change a session as something that happened wants it, and say
// what the log is to tell of it.
//
// Each agent's dialect, what a command line means and what the rules say of it live in the
// packages below this one (agents, shell, risk, rules), which know nothing of requests.
//
// What must hold of these values, whoever handles them: a terminal State never changes; Outcome
// is nil exactly while a request is pending; the stored request is the authority for tool, input
// and folder, and nothing that a client repeats later is used. Annotations are beside the record:
// no hash covers them, so nothing is allowed because of one.
//
// Times are recorded in UTC and to the millisecond (Instant), so that a value from memory equals
// the same one from the store. Texts from agents are kept as they came, cut where a limit says
// so, and made safe only where they are drawn.
//
// Read request.go and session.go first, then store.go for what is recorded, event.go for the log,
// and words.go for what agents are told.
package broker
