package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
)

// How many calls of the record are listed.
const (
	listLimit  = 30 // without --limit
	mostListed = 10_000
)

// states are what --state takes, the waiting ones first.
var states = []string{
	string(broker.Pending), string(broker.Allowed), string(broker.Denied), string(broker.Expired), string(broker.Cancelled), string(broker.Answered),
}

// onRecord reports whether more than what waits now is asked for. It makes sure that the
// flags can be meant.
func (o listOptions) onRecord() (bool, error) {
	switch {
	case o.limit < 1 || o.limit > mostListed:
		return false, usage.Error{Text: fmt.Sprintf("a limit of %d is out of range", o.limit), Hint: fmt.Sprintf("give --limit from 1 to %d", mostListed)}
	case o.state != "" && !broker.State(o.state).Valid():
		return false, usage.Error{Text: fmt.Sprintf("no call is ever %q", o.state), Hint: "use --state pending, allowed, denied, expired, cancelled or answered"}
	}
	return o.all || o.state != "" && o.state != string(broker.Pending), nil
}

// listEnded prints calls of the record, the newest first: who decided what. It needs no
// console.
func listEnded(ctx context.Context, o listOptions, out, stderr io.Writer) error {
	rec, err := openRecord(ctx)
	if err != nil {
		return err
	}
	sessions, err := rec.Sessions(ctx, broker.SessionFilter{Limit: maxSessions})
	if err != nil {
		return err
	}
	f := broker.RequestFilter{State: broker.State(o.state), Decided: !o.all, Limit: o.limit + 1}
	if o.session != "" {
		s, err := client.FindSession(sessions, o.session, client.Recorded...)
		if err != nil {
			return err
		}
		f.SessionID = s.ID
	}
	list, err := rec.Requests(ctx, f)
	if err != nil {
		return err
	}
	if err := rec.noteMore(ctx, len(list), o.limit, stderr); err != nil {
		return err
	}
	if list, err = rec.vouched(ctx, list[:min(len(list), o.limit)], stderr); err != nil {
		return err
	}
	switch {
	case o.json.On():
		return printRecorded(o, list, out)
	case len(list) == 0:
		return show.Line(out, "No such calls are on record.")
	}
	// Without the rules' names, or with rules in doubt, a rule goes by its id.
	rules, _ := rec.Rules(ctx)
	width, _ := show.Terminal(out)
	return endedTable(list, show.SessionNames(sessions), show.RuleNames(rules), width > 0).Print(out)
}

// noteMore says on stderr that there are more calls than are listed.
func (r record) noteMore(ctx context.Context, found, limit int, stderr io.Writer) error {
	if found <= limit {
		return state.NoteArchived(ctx, r.Reader, time.Time{}, stderr)
	}
	_, err := fmt.Fprintf(stderr, "aoctl: these are the newest %d; for more: --limit\n", limit)
	return err
}

// vouched are the calls of list for which the log vouches. That others were left out is
// said on stderr.
func (r record) vouched(ctx context.Context, list []broker.Request, stderr io.Writer) ([]broker.Request, error) {
	kept := make([]broker.Request, 0, len(list))
	for _, q := range list {
		switch one, err := r.Request(ctx, q.ID); {
		case err == nil:
			kept = append(kept, one)
		case !errors.Is(err, broker.ErrTampered):
			return nil, err
		}
	}
	if n := len(list) - len(kept); n > 0 {
		_, err := fmt.Fprintf(stderr, "aoctl: left out: %s whose row was changed by something else than aoctl; see what: aoctl log verify\n", figures.Plural(n, "call"))
		return kept, err
	}
	return kept, nil
}

// printRecorded prints calls as the console would send them.
func printRecorded(o listOptions, list []broker.Request, out io.Writer) error {
	sent := make([]listed, len(list))
	for i, r := range list {
		raw, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("write the calls: %w", err)
		}
		if err := json.Unmarshal(raw, &sent[i].Request); err != nil {
			return fmt.Errorf("write the calls: %w", err)
		}
	}
	return o.json.Print(out, sent)
}

// endedTable is who decided what, for people. sessions and rules are names by id.
func endedTable(list []broker.Request, sessions, rules map[string]string, inWindow bool) *show.Table {
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	short, layout := show.ShortIDs(ids), time.DateTime
	if inWindow {
		layout = "01-02 15:04:05"
	}
	t := &show.Table{Head: []string{"ID", "WHEN", "VERDICT", "BY", "SESSION", "TOOL", "CALL"}, Spare: []string{"TOOL", "ID"}}
	for _, r := range list {
		at, verdict, by := r.CreatedAt, "waiting", ""
		if o := r.Outcome; o != nil {
			at, verdict, by = o.At, verdictWords(r), show.Actor(o.By, rules)
		}
		t.Add(short[r.ID], at.Local().Format(layout), verdict, by, asker(r, sessions), r.ToolName, show.Call(r))
	}
	return t
}

// verdictWords is how a call ended. That it ran with another input than was asked for is
// said; an answer to a question is such an input too and goes without saying.
func verdictWords(r broker.Request) string {
	tool, _ := r.Call()
	if r.State == broker.Allowed && len(r.Outcome.UpdatedInput) > 0 && tool != agents.AskUserQuestion {
		return "allowed, edited"
	}
	return string(r.State)
}
