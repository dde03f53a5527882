// Package workspace looks at the disk on behalf of a call: where the paths that it names
// lead, which of them hold secrets, what git would run in the project, and whether a file
// changed between showing the call and allowing it.
//
// It only looks. Nothing here writes, runs a program or follows a path that means another
// file to each process that opens it (/proc/self, /dev/fd). It knows risk and rules, for
// whose questions it has the answers, and nothing of requests or sessions.
//
// One call is looked at with one Paths, which asks the disk once for each path and folder.
// Stamps tell whether what was looked at is still there: a FileStamp for one file, CallStamp
// for all that a call names.
package workspace
