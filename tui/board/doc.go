// Package board is what the console knows of the broker: the calls that wait, those that ended
// lately without a person's answer, the sessions, and what was decided last. It is a snapshot, kept
// up to date by one change after another. A Card is one call with what the operator has seen of
// it; a card whose call or risk changed is another one to decide about (see guard.Drawn).
//
// Lists are sorted: the worst risk first, then the oldest. What a filter leaves out is not
// shown, and not marked.
package board
