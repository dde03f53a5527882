package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// viewOptions are the argument and the flags of "aoctl call view".
type viewOptions struct {
	call   string // id, or its beginning
	output bool   // all that its tool gave back
	json   output.Format
}

// newViewCommand declares "view".
func newViewCommand() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view ID",
		Short: "Show all of one call, as the console draws it",
		Long: `view draws the card of a call: what it would do, in its files, what the rules say of it,
what led to it, and its digest. A call that waits is asked of the console; one that was
decided, or of an earlier console, is read from the record, with and without a console.

ID is the call's id or the beginning of it. The card is as wide as the terminal, and in a
pipe 100 characters.`,
		Example:           "  aoctl call view 0197f3a2\n  aoctl call view 0197f3a2 --output\n  aoctl call view 0197f3a2 --json | jq .digest",
		Args:              usage.OneArg("the id of a call"),
		ValidArgsFunction: completeRecorded,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.call = args[0]
			return viewCall(cmd, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&o.output, "output", false, "also all that its tool gave back, as far as it was kept")
	output.Flags[client.Request](cmd, &o.json, "print a JSON object")
	return cmd
}

// viewCall draws one call, wherever it is. For programs it prints what the console sent or
// the record has, not the drawing.
func viewCall(cmd *cobra.Command, o viewOptions, out io.Writer) error {
	ctx := cmd.Context()
	found, err := lookUp(ctx, cmd, o.call)
	if err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, found.asCame)
	}
	st, width := show.Styles(out)
	return show.Paper(out, found.card(ctx, st, o.output, width, time.Now()))
}

// seen is a call and what is known around it. asCame is what --json prints: the console's
// own object for a call that waits, the row for one on record.
type seen struct {
	broker.Request
	asCame any // for programs
	around callview.Around
}

// lookUp finds the call that ref names: among those that wait, else on record. Without a
// console there is still the record, and without a record the console. Waiting calls come
// first, because a short id most often means one of those.
func lookUp(ctx context.Context, cmd *cobra.Command, ref string) (seen, error) {
	rec, recErr := openRecord(ctx)
	found, known, err := waitingCall(ctx, cmd, ref)
	switch {
	case err != nil:
		return seen{}, err
	case known && recErr == nil:
		found.around = rec.around(ctx, found.Request)
		return found, nil
	// A name from the record is missing; the session's id is still true.
	case known:
		found.around = callview.Around{Label: draw.SafeLine(found.SessionID)}
		return found, nil
	case recErr != nil:
		return seen{}, recErr
	}
	return rec.call(ctx, ref)
}

// waitingCall asks the console for a call that waits. That there is no console is no error;
// any other trouble with one is, since its call might be the one that is meant.
func waitingCall(ctx context.Context, cmd *cobra.Command, ref string) (found seen, known bool, err error) {
	var waiting []client.Request
	c, err := client.New(cmd)
	if err == nil {
		waiting, err = c.Pending(ctx, "")
	}
	if f, ok := errors.AsType[exit.Error](err); ok && f.Code == exit.NoConsole {
		return seen{}, false, nil
	}
	if err != nil {
		return seen{}, false, err
	}
	plain := make([]broker.Request, len(waiting))
	for i, r := range waiting {
		plain[i] = r.Request
	}
	one, known, err := client.FindRequest(plain, ref)
	found = seen{Request: one, asCame: one}
	for _, r := range waiting {
		if r.ID == one.ID {
			found.asCame = r
		}
	}
	return found, known, err
}

// card draws the call as the console does, with what stands in the frame there above it,
// and with its digest, by which "aoctl call approve" may name it. width is in cells; output
// asks for all that the tool gave back.
func (s seen) card(ctx context.Context, st *draw.Styles, output bool, width int, now time.Time) []string {
	s.around.Loc = now.Location()
	// The disk is read only for a call that still waits: for one that is over, the files
	// are no longer what they were when it ran.
	if s.State == broker.Pending {
		s.around = s.around.InFiles(ctx, s.Request, change.ReadFile, now)
	}
	top := st.Paper(width)
	top.Say(draw.Title, draw.SafeLine(s.ToolName)+" · "+s.around.Label)
	if s.State == broker.Pending {
		top.Say(draw.Muted, standing(s.Request, now))
	}
	// The digest stands above the card and not below: a long call would scroll it away.
	top.Write(draw.Fixed(draw.Label, "digest", callview.LabelWidth), draw.Text, s.Digest)
	top.Blank()
	doc := callview.LayOutEnded(st, s.Request, s.around, callview.Ended(s.Request), output, top.Width)
	return append(top.Rows, doc.Rows...)
}

// standing says how long a call has waited, and how long it still may. A deadline that has
// just passed reads as none left and not as a negative time.
func standing(r broker.Request, now time.Time) string {
	asked := "waits, asked " + figures.Ago(now.Sub(r.CreatedAt)) + " ago · "
	switch {
	case r.Checkpoint != nil:
		return asked + "deferred, no deadline"
	case r.Held != "":
		return asked + "frozen, " + figures.Clock(r.ExpiresAt.Sub(now)) + " left"
	}
	return asked + figures.Clock(max(0, r.ExpiresAt.Sub(now))) + " left"
}

// noCall is the answer for an id that nothing has, neither a console nor the record.
func noCall(ref string) error {
	return exit.Error{
		Code: exit.NotFound, Text: fmt.Sprintf("no call has an id that is or begins with %q", ref),
		Hint: "see what waits: aoctl call list; what was decided: aoctl call list --all",
	}
}
