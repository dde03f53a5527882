// Package tui is the console: it shows the calls that wait and takes the operator's
// keys to the broker.
//
// Three things hold whatever an agent sends. A key acts on the call that is drawn,
// and only after it has been on the screen for half a second (package guard). Allowing
// takes that the end of the call was on the screen. And nothing an agent sent reaches
// the terminal except through package safe.
//
// The root keeps a stack of screens (stack.go), all made in one table (table.go): the first one,
// tui/queue, is always below the others. Above the screens stands the header, below them the line,
// which is the key line, a sentence, or a prompt (line.go). A key goes to the prompt, else to a screen
// that is typed in, else through the keys of the topmost screen to those of the root (input.go).
// What the broker tells comes through the feed to the board (feed.go, news.go), and then to every
// screen. Update never waits: broker, files and terminal are reached by commands.
//
// What screens share lies in rooms below: desk is what a screen may use of the console, board is what
// waits, guard whether a key may decide, callview how a call is drawn, change and diff what it does
// to files, draw rows and frames, text what is typed, tty what goes to the terminal beside the frames.
package tui
