package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// logFileOptions are those of commands that look at one database, verify and head.
type logFileOptions struct {
	db   string // a backup or an archive; "" for aoctl's own
	json output.Format
}

// flags declares what the two have in common. Each declares its own JSON form, as the
// fields that --json may name differ.
func (o *logFileOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.db, "db", "", "look at this file, a backup or an archive, instead of aoctl's database")
}

// newVerifyCommand declares "log verify".
func newVerifyCommand() *cobra.Command {
	var o logFileOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that nobody changed the log or the database",
		Long: `verify reads the whole log and compares every row with the chain of hashes, and
every call, session and decision with what the log says of it. It names the first
row that does not fit and exits 5. Compare its head with one that you noted
elsewhere (aoctl log head) to find a log that was rewritten as a whole.`,
		Example: "  aoctl log verify\n  aoctl log verify --json\n  aoctl log verify --db backup.db",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return verifyLog(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	output.Flags[verdict](cmd, &o.json, "print a JSON object")
	return cmd
}

// newHeadCommand declares "log head".
func newHeadCommand() *cobra.Command {
	var o logFileOptions
	cmd := &cobra.Command{
		Use:   "head",
		Short: "Print the end of the log and its hash",
		Long: `head prints the number of the newest event and its hash, which stands for the whole
log up to there. Note it outside this machine, and a log that is rewritten later can
be told from the real one.`,
		Example: "  aoctl log head\n  aoctl log head --json",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printHead(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	output.Flags[head](cmd, &o.json, "print a JSON object")
	return cmd
}

// head is what aoctl log head --json prints: the newest event's number and its hash in hex.
type head struct {
	ID   int64  `json:"id"`
	Hash string `json:"hash"`
}

// printHead prints the end of the log. It verifies nothing: it is quick enough for a cron
// job that notes the head elsewhere, and verify compares later.
func printHead(ctx context.Context, o logFileOptions, out io.Writer) (err error) {
	r, err := state.OpenReaderAt(ctx, o.db)
	if err != nil {
		return err
	}
	defer func() { err = state.ExplainNamed(o.db, errors.Join(err, r.Close())) }()
	seq, hash, err := r.Head(ctx)
	if err != nil {
		return err
	}
	if !o.json.On() {
		return show.Line(out, fmt.Sprintf("%d %s", seq, hash))
	}
	return o.json.Print(out, head{seq, hash})
}

// verdict is what aoctl log verify --json prints. The report's members stand on the same
// level as ok.
type verdict struct {
	OK bool `json:"ok"`
	store.Report

	Archives []store.Archived `json:"archives,omitempty"`
}

// verifyLog prints what was counted when all is well; otherwise the error names the first
// thing that is not. With --json the report is printed in both cases, and the error still
// ends the command with exit.Unverified: a script may read either.
func verifyLog(ctx context.Context, o logFileOptions, out io.Writer) (err error) {
	r, err := state.OpenReaderAt(ctx, o.db)
	if err != nil {
		return err
	}
	defer func() { err = state.ExplainNamed(o.db, errors.Join(err, r.Close())) }()
	report, err := r.Verify(ctx)
	if err != nil {
		return err
	}
	archives, err := verifyArchives(ctx, r, &report)
	if err != nil {
		return err
	}
	if o.json.On() {
		// The report goes out before the verdict is returned, so a program has it in both
		// cases.
		if err := o.json.Print(out, verdict{OK: report.Clean(), Report: report, Archives: archives}); err != nil {
			return err
		}
	}
	switch {
	case !report.Clean():
		return notClean(report)
	case o.json.On():
		return nil
	}
	err = show.Line(out, fmt.Sprintf("clean: %s, %s, %s and %s are as they were written; head %d %s",
		figures.Plural(int(report.Events), "event"), figures.Plural(int(report.Requests), "call"), figures.Plural(int(report.Grants), "grant"),
		figures.Plural(int(report.Sessions), "session"), report.HeadSeq, report.HeadHash))
	// Errors of printing are gathered instead of ending the loop, and the first of them is
	// what the root reports.
	for _, a := range archives {
		err = errors.Join(err, show.Line(out, archiveLine(a)))
	}
	return err
}

// verifyArchives verifies the archives on record, after a log that is clean, and adds what
// is wrong with them to the report. An archive has none. An unclean log cannot say which
// archives there should be, so they are not looked at then.
//
// A file that is missing is no problem by itself: people move archives to other disks. Its
// line says that it was not verified.
func verifyArchives(ctx context.Context, r *store.Reader, report *store.Report) ([]store.Archived, error) {
	if report.Archive || !report.Clean() {
		return nil, nil
	}
	list, err := r.VerifyArchives(ctx)
	for _, a := range list {
		if a.Problem != "" {
			report.Problems = append(report.Problems, store.Problem{Seq: a.From, Why: fmt.Sprintf("in the archive %s: %s", a.File, a.Problem)})
		}
	}
	return list, err
}

// archiveLine is one archive that has no problem. Problems are in the report and come
// first.
func archiveLine(a store.Archived) string {
	found := "clean"
	if a.Missing {
		found = "not there, and not verified"
	}
	return fmt.Sprintf("archive of events %d to %d, %s: %s %s", a.From, a.To, a.At.Local().Format(time.DateOnly), safe.Line(a.File), found)
}

// maxProblems is how many problems are spelled out beyond the first. A database that was
// damaged in one place tends to fail in thousands.
const maxProblems = 10

// notClean makes an error of a report, with the first few problems. The report must have at
// least one; its More counts those that verify itself did not keep.
func notClean(r store.Report) error {
	// The first problem is the sentence: it is where the trouble begins, and the others may
	// follow from it.
	f := exit.Error{
		Code: exit.Unverified, Text: "not as it was written: " + r.Problems[0].String(),
		Hint: "something else than aoctl changed the database; what follows from the log cannot be trusted from there on",
	}
	for i, p := range r.Problems[1:] {
		if i == maxProblems {
			f.List = append(f.List, fmt.Sprintf("… and %d more", len(r.Problems)-1-i+r.More))
			break
		}
		f.List = append(f.List, p.String())
	}
	return f
}
