// Package logs has the commands that look back: what happened (log), what an agent and its
// operator said and did (transcript), figures over many calls (stats), and what keeps the
// record safe (log verify, log head, log archive, backup).
//
// They read the database themselves and work with and without a console; log --follow
// reads on where it left off. Only archive writes, and so takes the console's lock first.
// A command that was asked for more than the database still has names the archives. verify
// goes over the whole chain of events, archives and all, and exits with 5 when something
// is not as it was written.
//
// words.go and writer.go put an event into words. A new kind of event gets its words there.
package logs

import "github.com/spf13/cobra"

// Commands are the commands that look back.
func Commands() []*cobra.Command {
	return []*cobra.Command{newLogCommand(), newTranscriptCommand(), newBackupCommand(), newStatsCommand()}
}
