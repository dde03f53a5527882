// Package sessionnames says what sessions are called. The screen and the command line ask it
// alike, so what the screen shows is what "aoctl stop" takes.
//
// Label is the one name of a session among others: its own name where no other has it, else
// that name and the end of its id ("shop-7185"), which is one word and can be typed. Living
// sessions come first: one that ended never makes the label of a living one longer, so the
// labels of living sessions are the same whether or not the ended ones are known as well.
// Agents choose names. However they choose, no two sessions have the same label.
//
// Fits is what a person may write for a session: its label, its name, its id or the beginning
// or the end of it, its folder, or its folder's name. Pick makes one of several that fit, and
// leaves it to its caller to say that there are none, or too many.
//
// Names are as their agents gave them. Whoever draws one makes it safe first.
package sessionnames
