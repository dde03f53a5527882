// Package tui is the console: it shows the calls that wait and takes the operator's
// keys to the broker.
//
// Three things hold whatever an agent sends. A key acts on the call that is drawn,
// and only after it has been on the screen for half a second (guard.go). Allowing
// takes that the end of the call was on the screen. And nothing an agent sent reaches
// the terminal except through package safe (sanitize.go).
//
// One model stands at the root; panes are methods that draw. Update never waits:
// broker, files and terminal are reached by commands (commands.go).
package tui
