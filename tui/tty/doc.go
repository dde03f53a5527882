// Package tty speaks to the terminal beside the frames that are drawn on it: the bell and
// notifications, the clipboard, the question for its background colour, and when a write was taken.
// What agents sent gets there only as Bare leaves it, or as base64.
package tty
