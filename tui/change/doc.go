// Package change reads what a tool call would do to files, and compares it with the files as they
// are: the edits of an agent's tools, whole texts, cells of notebooks and patches. A Section is one
// comparison, with the sentences that belong beside it; who draws it is elsewhere.
//
// Input is a tool's input with its fields in the order in which they came, so that nothing of it
// is left out.
package change
