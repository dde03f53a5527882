// Package tty speaks to the terminal beside the frames that are drawn on it: the bell
// and notifications, the clipboard, the question for its background colour, and when a
// write was taken. What agents sent gets there only as Bare leaves it, or as base64.
//
// Output is what everything is written through. It keeps a frame and a sequence apart,
// and it knows when a terminal falls behind: then what a person sees is older than
// what was drawn, and the guard must hear of it.
package tty
