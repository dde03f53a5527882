// Package board is what the console knows of the broker: the calls that wait, those
// that ended lately without a person's answer, the sessions, and what was decided
// last. It is a snapshot, kept up to date by one change after another. A Card is one
// call with what the operator has seen of it; a card whose call or risk changed is
// another one to decide about (see guard.Drawn).
//
// Lists are sorted: the worst risk first, then the oldest. What a filter leaves out is
// not shown, and not marked.
//
// An update passes like this: Apply takes the whole new value of a call or a session,
// finds the card, and either renews it or makes another one. What was read, marked or
// typed for a card stays only when the call still means the same. So a key that acts
// asks Still, with the name under which the card was drawn.
//
// Nothing here asks the broker, reads a file or draws. Tidy sorts the sessions once
// after many updates. Open board.go first, then card.go.
package board
