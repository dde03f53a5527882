// Package words says on one line what screens have to name: a rule, where it holds and for how
// long; what a session does and what it has spent; whose call it is and who decided it. The same
// thing is called the same on every screen.
//
// A Book is the rules as the console knows them: who wants to name the rule that decided a call
// asks it. Everything that is returned is safe to draw; what agents chose in it went through
// package safe.
package words
