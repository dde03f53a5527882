// Package diff compares two texts: first line by line, then word by word inside the
// lines that changed.
//
// Compare returns every line of both texts, in the order in which they are drawn, with
// its kind: it stays, it goes or it comes. CompareWords adds to each pair of changed
// lines the extents that differ. Fold leaves out unchanged lines far from any change.
//
// Both texts may be hostile and large, and the search for what two texts have in
// common can take very long. So every comparison has a limit of time. What it has not
// found by then is shown as going and coming: the picture gets longer, but it never
// hides a change. The caller chooses the limit: WhileDrawing when the screen waits for
// the answer, OffScreen when it does not.
//
// Texts are compared byte by byte, with their line breaks. A change of nothing but
// blanks or line ends is a change, since it can alter what a program does.
//
// The search itself is a library's (diffmatchpatch). What it says is checked: when its
// answer does not add up to both texts, all of the one goes and all of the other
// comes.
//
// The package draws nothing and knows no files. Package change finds the texts,
// package callview draws the lines.
package diff
