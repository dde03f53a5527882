package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// archiveOptions are the flags of "aoctl log archive". keep is not parsed yet; to is "" for
// the folder "archive" of the state folder.
type archiveOptions struct {
	keep string
	to   string
	json output.Format
}

// newArchiveCommand declares "log archive". --keep has no default: how much of a record
// leaves the database is for a person to say.
func newArchiveCommand() *cobra.Command {
	var o archiveOptions
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Move old calls and events to a file of their own",
		Long: `archive moves calls that were decided, and events, that are older than --keep to a
file in the folder "archive" of the state folder, verifies the file, and only then
removes them from the database. Rules, tokens, calls that wait and whatever still
holds stay. It needs the console to be closed; one started with --keep does the same
by itself, once an hour.

aoctl log verify goes on over the archives; aoctl log --archive FILE shows one.`,
		Example: "  aoctl log archive --keep 90d\n  aoctl log archive --keep 12w --to /mnt/backup/aoctl --json",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return archiveLog(cmd, o)
		},
	}
	cmd.Flags().StringVar(&o.keep, "keep", "", "how much stays: 90d, 12w, 48h")
	cmd.Flags().StringVar(&o.to, "to", "", "folder for the file (default: \"archive\" in the state folder)")
	output.Flags[store.Archive](cmd, &o.json, "print a JSON object")
	_ = cmd.MarkFlagRequired("keep")
	return cmd
}

// archiveLog moves old events into an archive. It takes the console's lock first, since
// only the holder of that may write to the database. A console would take a write of
// another program for tampering and refuse to record anything until it is started again.
//
// Cancelling the context stops between two steps of the store, so the rows are either still
// in the database or in an archive that was verified.
func archiveLog(cmd *cobra.Command, o archiveOptions) (err error) {
	// The setting of the console and the flag take the same words, so one function reads
	// both.
	keep, err := config.ParseKeep("--keep", o.keep)
	if err != nil {
		return err
	}
	// An operator may keep archives on another disk. The log notes the absolute path, so
	// verify finds them there again.
	dir := o.to
	if dir == "" {
		if dir, err = state.ArchiveDir(); err != nil {
			return err
		}
	}
	ctx := cmd.Context()
	if r, err := state.OpenReader(ctx); err != nil { // says that there is nothing, and makes nothing
		return err
	} else if err := r.Close(); err != nil {
		return err
	}
	socket, err := client.SocketPath(cmd)
	if err != nil {
		return err
	}
	lock, err := api.LockSocket(socket)
	if err != nil {
		return explainLock(socket, err)
	}
	// The lock is given back last, after the store is closed, since a console may take it
	// at once.
	defer func() { err = errors.Join(err, lock.Close()) }()
	st, err := state.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	a, err := st.Archive(ctx, store.ArchiveOptions{Before: time.Now().Add(-keep), Dir: dir})
	if err != nil {
		return explainArchive(dir, err)
	}
	return printArchive(cmd.OutOrStdout(), a, o)
}

// printArchive tells what was moved. An archive without a file means that nothing was old
// enough, which is success for a script that runs this every night.
func printArchive(out io.Writer, a store.Archive, o archiveOptions) error {
	switch {
	// A program gets an object in both cases, and tells by the empty file name that nothing
	// was moved.
	case o.json.On():
		return o.json.Print(out, a)
	case a.File == "":
		return show.Line(out, "Nothing is older than "+o.keep+" and done with.")
	}
	return show.Line(out, fmt.Sprintf("archived events %d to %d with %s in %s", a.From, a.To, figures.Plural(int(a.Calls), "call"), safe.Line(a.File)))
}

// explainLock says who holds the database, and what to do about it. A pid of 0 means that
// the holder's lock file does not name one; the sentence then goes without it.
func explainLock(socket string, err error) error {
	if used, ok := errors.AsType[*api.InUseError](err); ok {
		who := "a console runs"
		if used.PID > 0 {
			who = fmt.Sprintf("a console runs as pid %d", used.PID)
		}
		return exit.Error{
			Code: exit.Failed, Text: who + ", and only it writes to the database",
			Hint: "quit it first, or start it with --keep: it then archives by itself", Cause: err,
		}
	}
	if bad, ok := errors.AsType[*api.SocketError](err); ok {
		return exit.Error{Code: exit.Failed, Text: bad.Path + " " + bad.Problem, Hint: bad.Hint, Cause: err}
	}
	return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot claim %s: %v", socket, err), Cause: err}
}

// explainArchive says why archiving failed and that nothing was lost, which is what its
// user will want to know. A log that was changed exits with exit.Unverified, as "log
// verify" does, so that a nightly script can tell tampering from a full disk.
func explainArchive(dir string, err error) error {
	f := exit.Error{Code: exit.Failed, Text: err.Error(), Hint: "nothing was lost: what is not in a verified archive is still in the database", Cause: err}
	switch {
	// Moving rows out of a log that does not verify would put what is wrong with it out of
	// sight.
	case errors.Is(err, broker.ErrTampered), errors.Is(err, store.ErrUnproven), errors.Is(err, store.ErrForeignWrite):
		f.Code, f.Hint = exit.Unverified, "see aoctl log verify; a log that was changed is not archived"
	// The file was made and the log says so, but it is gone or other than it was: rows that
	// the archive was to take over stay where they are.
	case errors.Is(err, store.ErrArchiveFile):
		f.Hint = "put the file back: the rest of what it holds stays in the database until then"
	case errors.Is(err, context.Canceled):
		f.Text = "interrupted; run it again to go on"
	default:
		f.Hint += "; see that " + dir + " can be written and has room"
	}
	return f
}
