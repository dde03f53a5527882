// Package callview draws a tool call: the call itself with every field of its input, then what it
// runs and what the rules say of that, then where it comes from, last what its agent says of it. A
// Doc is a call laid out for a width; it says where the call ends, since allowing takes that the
// last of its rows was on the screen. Rows of a long comparison are drawn when they are looked at.
//
// A Summary is a call on one line. Ended, Actor and VerdictGlyph say in the same words everywhere
// how a call ended, and by whom.
package callview
