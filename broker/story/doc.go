// Package story tells what led to a call and what came of it, and what was said and done in a
// session.
//
// A Story is about one call. A Timeline is a page of a session's events, each with the call
// that it is about. A Transcript is one part of what the agent wrote down itself, read from the
// agent's file, with the events of the same stretch of time; a Telling puts such parts together,
// in whatever order they come, and keeps a bounded stretch of them.
//
// It only reads: what is on record, the agent's file, and through Calls what waits now.
package story
