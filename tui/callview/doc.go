// Package callview draws a tool call: the card of the console, which "aoctl call view", the
// timeline and transcripts draw as well.
//
// A card is read from its top:
//
//  1. the call with every field of its input (only a default value, in the very way that agents
//     write it, is left out of a folded card), and what is odd about its letters;
//  2. the agent's own words about it, behind a bar that no row of ours has;
//  3. its danger, once, with the code that allows it. It stands above a call that may fill the screen;
//  4. what it runs, what else is known of its risk, and what the rules say;
//  5. what led to it;
//  6. folder, session, mode, time and id in one quiet line, of which a key unfolds the rest.
//
// A Doc is a call laid out for a width. It says where the call ends (CallEnd): allowing takes that
// the last of those rows, the danger among them, was on the screen. Rows of a long comparison are
// drawn when they are looked at. The title may name the file of a change; where the frame would cut
// its path, or draws another title, the path stands on the card.
//
// What surrounds a call comes in as Around. Its zero value leaves nothing out: only a screen that has
// the keys to unfold a card says that it is Framed.
//
// A Summary is a call on one line. Ended, Actor and VerdictGlyph say in the same words everywhere
// how a call ended, and by whom.
package callview
