// Package service is the broker at work: the state machine of requests and sessions, the HTTP
// server through which agents ask, and what the console uses of both.
//
// A request ends one way, through one function, and the end is recorded before the agent is
// released. The store is the interface that package broker declares; the console is whoever
// calls Watch and Decide.
package service
