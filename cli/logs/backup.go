package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// backupOptions are the flags of "aoctl backup". force allows a file of that name to be
// replaced; nothing allows a file of aoctl's own to be.
type backupOptions struct {
	force bool
	json  output.Format
}

// newBackupCommand declares "backup". How to restore is in its help rather than a command:
// a restore replaces the record, and no program of the user should do that with one word.
func newBackupCommand() *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database to a file, and verify the copy",
		Long: `backup copies the database, as of one moment, to FILE, also while a console runs: it
goes on deciding meanwhile. FILE gets its name once the copy is whole, synced and
verified (aoctl log verify --db FILE does so again).

To restore, quit the console, move aoctl.db, aoctl.db-wal and aoctl.db-shm out of the
state folder, and copy FILE there as aoctl.db. What was decided after the backup is
not in it; the numbers printed here say where its log ends.`,
		Example: "  aoctl backup ~/backups/aoctl-2026-11-02.db\n  aoctl backup /mnt/usb/aoctl.db --force --json",
		Args:    usage.OneArg("a file"),

		ValidArgsFunction: usage.CompleteOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return backUp(cmd.Context(), args[0], o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an earlier backup of that name")
	output.Flags[store.Copy](cmd, &o.json, "print a JSON object")
	return cmd
}

// backUp copies the database to the file and says where the copy's log ends. It only reads,
// so it needs no lock and a console may go on writing meanwhile.
func backUp(ctx context.Context, to string, o backupOptions, out io.Writer) (err error) {
	r, err := state.OpenReader(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	// The store knows its own files and refuses them itself. The log file, the socket and
	// its lock belong to other rooms, so they are looked at here, before anything is made.
	if err := notOurFile(to); err != nil {
		return err
	}
	c, err := r.Backup(ctx, to, o.force)
	if err != nil {
		return explainBackup(to, err)
	}
	if !o.json.On() {
		return show.Line(out, fmt.Sprintf("backed up %s (%s, verified) to %s; head %d %s",
			figures.Plural(int(c.Events), "event"), byteSize(c.Bytes), safe.Line(c.Path), c.HeadSeq, c.HeadHash))
	}
	return o.json.Print(out, c)
}

// notOurFile refuses the names of aoctl's own files beside the database, which the store
// looks after itself. It compares absolute paths as they are written and follows no links:
// it protects from a slip, and the store makes its file without following links.
func notOurFile(to string) error {
	// A relative name is relative to where the command runs, and the store would follow it
	// there too.
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	// A folder that cannot be found out is no reason to refuse: then no such file is in use
	// either.
	for _, own := range []func() (string, error){paths.LogFile, paths.Socket} {
		path, err := own()
		if err == nil && (to == path || to == path+".lock" || to == path+".1") {
			return explainBackup(to, store.ErrOwnFile)
		}
	}
	return nil
}

// explainBackup turns the store's error into a sentence with a cure. Only a database that
// could not be verified exits with exit.Unverified; everything else is a plain failure.
func explainBackup(to string, err error) error {
	f := exit.Error{Code: exit.Failed, Cause: err}
	switch {
	case errors.Is(err, store.ErrExists):
		f.Text, f.Hint = fmt.Sprintf("%s is there already", to), "name another file, or replace it with --force"
	case errors.Is(err, store.ErrPart):
		// The part file is how a backup that was cut short is told from one that somebody
		// else runs.
		f.Text = fmt.Sprintf("a backup to %s is under way, or was cut short", to)
		f.Hint = fmt.Sprintf("wait for it; if there is none, remove %s.part or use --force", to)
	case errors.Is(err, store.ErrOwnFile):
		f.Text, f.Hint = fmt.Sprintf("%s is one of aoctl's own files", to), "name a file elsewhere"
	case errors.Is(err, store.ErrNoFile):
		f.Text, f.Hint = fmt.Sprintf("%s is no regular file", to), "name a file that is none yet; links, folders and pipes are left alone"
	case errors.Is(err, store.ErrUnproven):
		f.Code, f.Text = exit.Unverified, fmt.Sprintf("nothing was backed up: %v", err)
		f.Hint = "see aoctl log verify; to keep the database as it is, quit the console and copy aoctl.db with its -wal file"
	case errors.Is(err, fs.ErrNotExist):
		f.Text, f.Hint = fmt.Sprintf("there is no folder for %s", to), "make it first"
	case errors.Is(err, context.Canceled):
		f.Text = fmt.Sprintf("interrupted; there is no backup in %s", to)
	default:
		f.Text, f.Hint = fmt.Sprintf("cannot back up: %v", err), "see that the disk has room and its folder can be written"
	}
	return f
}

// byteSize is n bytes for people: whole KiB, rounded up so that nothing is "0 KiB", and MiB
// with one digit from 1 MiB on.
func byteSize(n int64) string {
	const kib, mib = 1 << 10, 1 << 20
	if n < mib {
		return fmt.Sprintf("%d KiB", (n+kib-1)/kib)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/mib)
}
