// Package tui is the console: it shows the calls that wait and takes the operator's
// keys to the broker.
//
// Three things hold whatever an agent sends. A key acts on the call that is drawn,
// and only after it has been on the screen for half a second (package guard). Allowing
// takes that the end of the call was on the screen. And nothing an agent sent reaches
// the terminal except through package safe.
//
// One model stands at the root; panes and screens are methods that draw. What they share lies in
// rooms below: board is what waits, guard whether a key may decide, callview how a call is drawn,
// change and diff what it does to files, draw rows and frames, text what is typed, tty what goes to
// the terminal beside the frames. Update never waits: broker, files and terminal are reached by
// commands (commands.go).
package tui
