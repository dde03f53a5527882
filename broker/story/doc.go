// Package story tells what led to a call and what came of it, and what was said and done in a
// session. It only reads: what is on record, the file in which the agent writes its session
// down, and through Calls what waits now.
//
// A Reader has three things to tell. A Story is about one call: what the user said before it,
// the calls just before it, how it ended. A Timeline is a page of a session's events, each with
// the call that it is about. A Transcript is one part of the agent's own file, with the events
// of the same stretch of time. A Conversation puts such parts together, in the order in which they
// come, and keeps a bounded stretch of them; the screen pages through it in both directions.
//
// An agent's file is foreign. It can be huge, can grow while it is read and can be replaced by
// another one, so it is read in bounded pieces (transcript_file.go), and lines that have no
// known shape come back as they are. What is on record is the authority: where the two differ,
// the event counts. No text is made safe to draw here; that is up to those who draw it.
//
// The screen and "aoctl transcript" call it; service builds the Reader.
//
// Events are joined to the file by the id of the call, or by what the call was where the agent
// tells its hooks none (conversation_build.go). Paging goes by a span: bytes of the file and
// numbers of events. A mark over the last bytes before the span tells whether the file is still
// the same one; when it is not, the newest part comes in place of what was asked for.
//
// Open story.go for the calls, transcript.go for one part of a session, conversation.go for how
// parts become one. spending.go adds up what an agent says of its tokens.
package story
