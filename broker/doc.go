// Package broker holds the approval state machine: what agents ask, what was
// answered, and which sessions exist.
//
// A request ends one way, through one function, and the end is recorded before
// the agent is released. The package knows the domain only: the store is an
// interface it declares, the console is whoever calls Watch and Decide, and each
// agent's dialect lives in the pure package broker/agents.
package broker
