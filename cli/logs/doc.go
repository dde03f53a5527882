// Package logs has the commands that look back: what happened (log), what an agent and its
// operator said and did (transcript), figures over many calls (stats), and what keeps the
// record safe (log verify, log head, log archive, backup).
//
// They read the database themselves and work with and without a console; log --follow reads
// on where it left off. Only archive writes, and so takes the console's lock first. A
// command that was asked for more than the database still has names the archives. verify
// goes over the whole chain of events, archives and all, and exits with 5 when something is
// not as it was written.
//
// The log vouches for what is shown. An event of a call carries the digest of tool, input
// and folder; the call's own row, from which its text comes, is shown only when it has that
// digest. What an agent's transcript says proves nothing, so an outcome is printed only for
// calls that are on record. Everything that an agent could have written goes through
// safe.Line or safe.Text.
//
// An event on its way to the screen: readEvents fetches it in pages, newest first, and
// turns the list round; writer learns what sessions and calls are named; writer.line lays
// out the columns, and writer.what chooses the words. In a pipe the columns are parted by
// tabs and nothing is cut.
//
// Open log.go first: the other commands are made like it, flags in a struct and one
// function that takes it. words.go and writer.go put an event into words. A new kind of
// event gets its words there; one without words is printed as its JSON, never left out.
package logs

import "github.com/spf13/cobra"

// Commands are the commands that look back. verify, head and archive are below log and not
// here.
func Commands() []*cobra.Command {
	return []*cobra.Command{newLogCommand(), newTranscriptCommand(), newBackupCommand(), newStatsCommand()}
}
