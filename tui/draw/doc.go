// Package draw lays text out in cells. It is the lowest room of the console that knows colours, and
// every screen draws with it.
//
// Three types do the work:
//
//   - A Row is one line of the screen. It is put together piece by piece and never grows wider than
//     it may be, so a long name cannot push a frame apart.
//   - A Paper is a text over many rows of one width, with a gutter at its left (line numbers, a bar)
//     and marks for parts with another colour.
//   - Styles says what each Ink looks like at one terminal. An Ink is a meaning, such as danger or an
//     added line. Screens name meanings and never colours, so a new palette changes all of them.
//
// A Palette holds the colours. Palette.table is the one place that says which ink is drawn on which
// ground; TestContrast measures each of these pairs. Someone who cannot tell two colours apart, or
// whose terminal has none, must still see everything: that is why a dangerous call also has "!!",
// an added line "+", and a changed word bold letters or a line below it.
//
// Text from agents reaches the screen in two ways only, and both pass through package safe: SafeLine
// for one line, Paper.Write and its relatives for many. A Row does not check again, because it is
// drawn many times a second: give it safe text.
package draw
