// Package draw lays text out in cells. A Row is one line of the screen, put together piece by
// piece and never wider than it may be. A Paper is a text over many rows of one width, with a
// gutter at its left and marks in colours of their own. An Ink is a meaning, as a warning or an
// added line; Styles says what each looks like in one terminal, with few colours or none too.
//
// Whatever an agent sent comes to the screen by one of two ways, both through package safe:
// SafeLine on one line, Paper.Write and its kin over many. A Row takes text that is safe already.
package draw
