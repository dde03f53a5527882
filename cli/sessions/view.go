package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sessionview"
)

// maxSessions is how many sessions of the record are looked through.
const maxSessions = 1_000_000

// viewOptions are the argument and the flags of "aoctl session view". session may name
// an ended one.
type viewOptions struct {
	session string // as client.FindSession understands it
	json    output.Format
}

// newViewCommand declares "view". Its completion reads the record, which has ended
// sessions too.
func newViewCommand() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view SESSION",
		Short: "Show all that is known of one session",
		Long: `view draws what a session does, what waits in it, how aoctl manages it, where it runs, and
what was said last. An ended session is found as well; without a console the record is
read, and what it says may be old.

SESSION is its name as the screen shows it, its id or either end of it, or its folder.`,
		Example:           "  aoctl session view api-server\n  aoctl session view api-server --json | jq .state",
		Args:              usage.OneArg("a session"),
		ValidArgsFunction: state.CompleteSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.session = args[0]
			return viewSession(cmd, o, cmd.OutOrStdout())
		},
	}
	output.Flags[broker.Session](cmd, &o.json, "print a JSON object")
	return cmd
}

// found is a session and what is known around it. asCame is what --json prints: the
// console's own object, or the row of the record. around is what the drawing needs
// beyond the session itself.
type found struct {
	broker.Session
	asCame any // for programs
	label  string
	old    bool // the record says it, and no console
	around sessionview.Around
	used   string // of tokens and money, by a session that aoctl does not hold; "" when its agent says nothing
}

// viewSession draws one session as the console knows it, or else the record. What was
// said last and what was spent come from the record and the transcript in both cases;
// where those cannot be read, the card goes without. A console that cannot be asked
// for another reason than that there is none is an error: its session may be another
// one than the record's.
//
// Without a console the card says so at its top; a program tells by the exit code of
// "aoctl status".
func viewSession(cmd *cobra.Command, o viewOptions, out io.Writer) error {
	f, err := askConsole(cmd, o.session)
	if failed, ok := errors.AsType[exit.Error](err); ok && failed.Code == exit.NoConsole {
		f, err = readRecord(cmd.Context(), o.session)
	}
	if err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, f.asCame)
	}
	if r, err := state.OpenReader(cmd.Context()); err == nil {
		f.around.Said, f.around.SaidAt = lastSaid(cmd.Context(), r, f.ID)
	}
	if f.Run == nil {
		if spent, told, err := story.SpentBy(cmd.Context(), f.Session); err == nil && told {
			u := spent.Usage
			f.used = figures.Spent(spent.Cost, u.Input+u.CacheRead+u.CacheWrite, u.Output)
		}
	}
	st, width := show.Styles(out)
	return show.Paper(out, f.rows(st, width))
}

// askConsole asks for the session and for what waits in it. The calls are listed under
// their ids, which other commands take.
func askConsole(cmd *cobra.Command, ref string) (found, error) {
	c, err := client.New(cmd)
	if err != nil {
		return found{}, err
	}
	all, err := c.Sessions(cmd.Context())
	if err != nil {
		return found{}, err
	}
	s, err := client.FindSession(client.Plain(all), ref, client.Recorded...)
	if err != nil {
		return found{}, err
	}
	f := found{Session: s, asCame: s, label: show.SessionNames(client.Plain(all))[s.ID]}
	for _, one := range all {
		if one.ID == s.ID {
			f.asCame = one
		}
	}
	waiting, err := c.Pending(cmd.Context(), s.ID)
	for _, r := range waiting {
		f.around.Calls = append(f.around.Calls, r.Request)
	}
	f.around.Waiting = s.Pending
	return f, err
}

// readRecord finds the session in the database. It is as the last console wrote it, so
// a session that seems to live may be long gone. No calls are listed then: whether one
// still waits, only a console can say.
func readRecord(ctx context.Context, ref string) (found, error) {
	r, err := state.OpenReader(ctx)
	if err != nil {
		return found{}, err
	}
	all, err := r.Sessions(ctx, broker.SessionFilter{Limit: maxSessions})
	if err != nil {
		return found{}, err
	}
	s, err := client.FindSession(all, ref, client.Recorded...)
	return found{Session: s, asCame: s, label: show.SessionNames(all)[s.ID], old: true}, err
}

// lastSaid is what the session's agent said last, as far as its hooks told; "" when
// nothing. The text is the agent's own and not safe for a terminal.
func lastSaid(ctx context.Context, r *store.Reader, id string) (said string, at time.Time) {
	events, err := r.Events(ctx, broker.EventFilter{SessionID: id, Types: []string{broker.EventMessage}, Limit: 1})
	var d story.UserData
	if err != nil || len(events) == 0 || json.Unmarshal(events[0].Data, &d) != nil {
		return "", time.Time{}
	}
	return d.Words(), events[0].At
}

// rows draws the session, width cells wide, with what the console's own screen has in
// its frame above it. The rows are safe for a terminal. What is no longer sure,
// because no console is open, is said before everything else.
func (f found) rows(st *draw.Styles, width int) []string {
	f.around.Loc = time.Local
	top := st.Paper(width)
	top.Say(draw.Title, draw.SafeLine(f.label))
	if f.old {
		top.Say(draw.Warn, "no console is open: this is as the last one knew it")
	}
	top.Blank()
	top.Rows = append(top.Rows, sessionview.LayOut(st, &f.Session, f.around, top.Width).Rows...)
	if f.used != "" {
		top.SayBehind(draw.Label, "used", callview.LabelWidth, draw.Text, f.used+", as its agent says")
	}
	return top.Rows
}
