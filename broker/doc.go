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
package broker
