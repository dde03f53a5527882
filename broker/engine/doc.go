// Package engine decides what becomes of every request. One goroutine owns the state; one
// pure function changes it.
//
// Everything that can happen is an Input: a call was asked, its asker left, an operator
// decided, a stop, a freeze, more time, a timer fired. State.Step takes them one after the
// other and answers with a Change, which must be on record before the world hears of it, and
// with Effects, which are what the world then hears, in order. Step has no clock, no lock, no
// file and no randomness: the time and new ids come in with the input.
//
// Loop is the goroutine around it: it gathers what is queued, steps each input, commits all
// changes in one transaction and then releases the effects. An input that arrives meanwhile is
// taken in the next round and sees what is on record, so there is no race to look for.
//
// When the commit fails, State.Unrecorded says what holds all the same: nothing that allows,
// everything that refuses. Such refusals are debts; they are written as soon as the store can.
//
// A call is in one Phase, and the table in phase.go has the legal moves. What costs time
// (reading a call, its files, the rules) is done by the caller before, against the Rules that
// Ask or Look handed out; when those have changed by the time of the input, the answer is
// ErrLookAgain.
//
// Others read the state through View, which shows what is on record and nothing else.
package engine
