// Package engine decides what becomes of every request. One goroutine owns the state, and one pure
// function changes it.
//
// Everything that can happen is an Input: a call was asked, its asker left, an operator decided, a
// stop, a freeze, more time, a timer fired. State.Step takes one after the other. It answers with a
// broker.Change, which must be on record before the world hears of anything, and with Effects, which
// are what the world then hears, in order; the last one is the Reply. Step has no clock, no lock, no
// file and no randomness: the time and new ids come in with the input. To read about one input, open
// the file that has its struct: what only that input does are methods of it.
//
// Loop is the goroutine. It gathers the inputs that are queued, steps each on a draft of the state,
// commits all changes in one transaction, keeps the draft and releases the effects. An input that
// arrives meanwhile is in the next round and sees what is on record, so there is no race to look for.
//
// When a commit fails, the draft is dropped and each input goes through State.Unrecorded alone:
// nothing is allowed, and what refuses takes effect at once. Such refusals are debts, which PayDebt
// and PayRest write as soon as the store can; until it can, no rule allows anything.
//
// A call is in one Phase; phase.go has the legal moves. A new one waits or has ended:
//
//	waiting   it has an asker and a deadline                       → put off, ended
//	put off   its agent was told that it waits, and asks later     → waiting, owed, ended
//	owed      it was put off, and has an answer to be given once   → ended
//	ended     only how it ended is left to tell
//
// What costs time (reading a call, its files, the rules) is done by the caller before, against the
// Rules that Ask or Look handed out. When those have changed by the time of the input, the answer is
// ErrLookAgain, and the caller looks again. Readers see the state through View: what is on record.
package engine
