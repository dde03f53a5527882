// Package workspace looks at the disk on behalf of a call: where the paths that it names lead,
// which of them hold secrets, what git would run in the project, and whether a file changed
// between showing the call and allowing it.
//
// It only looks. Nothing here writes, runs a program or follows a path that means another file
// to each process that opens it (/proc/self, /dev/fd). It knows risk and rules, for whose
// questions it has the answers, and nothing of requests or sessions.
//
// One call is looked at with one Paths, which asks the disk once for each path and folder.
// PlaceOf makes of it the risk.Place that the judges ask. Stamps tell whether what was looked
// at is still there: a FileStamp for one file, CallStamp for all that a call names. Open
// paths.go first, then place.go and call_stamp.go; the files git_* read git's own files, as
// starting git would obey the very settings in question.
//
// What lies on the disk may have been put there by an agent. So every read has a limit, nothing
// opens a pipe or a device, and an error never counts as "nothing there": a path that cannot be
// followed, a folder too large, an index in a new format make the call one to ask about. Nor
// can a look be the last word, as the disk may change after it; the stamps are compared once
// more when the call is allowed.
package workspace
