package sessions

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// stopsAtOnce is how many stops are under way together with --all.
const stopsAtOnce = 16

// stopOptions are the argument and the flags of "aoctl session stop". all and session
// exclude each other.
type stopOptions struct {
	session string // as client.FindSession understands it
	all     bool
	here    bool // with all: this machine alone
	others  bool // the fleet's other machines, too
	kill    bool // end the processes too
	yes     bool // without asking
	json    output.Format
}

// newStopCommand declares "stop". It needs no token: stopping only refuses.
func newStopCommand() *cobra.Command {
	var o stopOptions
	cmd := &cobra.Command{
		Use:   "stop SESSION | --all",
		Short: "Stop a session, or all of them",
		Long: `stop refuses what a session waits for, and everything it asks from then on, and
tells its agent to end the turn. The session shows "stopping" until that was seen
to happen, then "stopped". A new prompt by the user in that session lifts it.

SESSION is its name as the screen shows it, its id or either end of it, or its folder.
Stopping twice is fine.

--all reaches every machine of your fleet, where you are in one: this machine first,
then the others. It says which confirmed, and which are out of reach and stop when they
are back; the exit code is then 7. --here keeps to this machine.

With --kill the processes of the session end as well, after the stop is on record:
the agent, what it started, and what left its tree, as far as the process group, the
POSIX session or the environment show it. They are listed first, with the reason why
each counts. All are held, asked to end, and killed three seconds later; then it looks
again. What lives on is listed, and the exit code is then 7.`,
		Example:           "  aoctl session stop api-server\n  aoctl session stop .\n  aoctl session stop --all\n  aoctl session stop --kill api-server",
		ValidArgsFunction: client.CompleteSessions,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.kill && o.all:
				return usage.Error{Text: "--kill takes one session, not --all", Hint: usage.HelpHint(cmd)}
			case o.yes && !o.kill:
				return usage.Error{Text: "--yes is for --kill, and nothing else asks", Hint: usage.HelpHint(cmd)}
			case o.here && !o.all:
				return usage.Error{Text: "--here is for --all: a session is on this machine", Hint: usage.HelpHint(cmd)}
			case !o.all:
				return usage.OneArg("a session, or --all")(cmd, args)
			}
			if len(args) > 0 {
				return usage.Error{Text: "give a session or --all, not both", Hint: usage.HelpHint(cmd)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.all && !o.here && inFleet() {
				return stopFleet(cmd, o)
			}
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				o.session = args[0]
			}
			if o.kill {
				return killSession(cmd.Context(), c, o, streams{cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()})
			}
			return stopSessions(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "stop every session")
	cmd.Flags().BoolVar(&o.here, "here", false, "with --all: on this machine alone, not in the whole fleet")
	cmd.Flags().BoolVar(&o.kill, "kill", false, "also end the session's processes; lists them and asks first")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "with --kill: do not ask")
	output.Flags[stopped](cmd, &o.json, "print a JSON array of what was stopped", "over", "recorded", "processes", "unfinished", "shared")
	return cmd
}

// stopped is one session after its stop. err is nil for one that was stopped. Already
// is known from before the stop, Status from after it.
type stopped struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Already bool   `json:"already"` // it had been asked to stop before
	Waited  int    `json:"waited"`  // calls that were waiting when the stop was sent

	// Another machine of the fleet, whose status is one of onMachine's.
	Machine bool   `json:"machine,omitempty"`
	Error   string `json:"error,omitempty"`

	err error
}

// stopSessions stops what o names. What was stopped is printed even when a later one
// failed: with --all a person wants to know which agents still run. One session that
// is named must live. An unknown name is an error before anything is stopped.
func stopSessions(ctx context.Context, c *client.Client, o stopOptions, out io.Writer) error {
	done, names, err := stopNamed(ctx, c, o)
	if names == nil {
		return err
	}
	if printErr := printStopped(out, done, o, names); printErr != nil {
		return printErr
	}
	return err
}

// stopNamed stops what o names. names are what the screen calls sessions, nil where nothing was tried.
func stopNamed(ctx context.Context, c *client.Client, o stopOptions) (done []stopped, names map[string]string, err error) {
	raw, err := c.Sessions(ctx)
	if err != nil {
		return nil, nil, err
	}
	known := client.Plain(raw)
	var targets []broker.Session
	if o.all {
		for _, s := range known {
			if !s.Ended() {
				targets = append(targets, s)
			}
		}
	} else {
		s, err := client.FindSession(known, o.session, client.Living...)
		if err != nil {
			return nil, nil, err
		}
		targets = []broker.Session{s}
	}
	done, err = stopEach(ctx, c, targets)
	awaitStopped(ctx, c, done)
	return done, show.SessionNames(known), err
}

// stopFleet stops everything on this machine, and then on the fleet's others.
func stopFleet(cmd *cobra.Command, o stopOptions) error {
	o.others = true
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	var done []stopped
	var names map[string]string
	c, err := client.New(cmd)
	if err == nil {
		done, names, err = stopNamed(ctx, c, o)
	}
	if names != nil && !o.json.On() {
		if err := printStopped(out, done, o, names); err != nil {
			return err
		}
	}
	return everywhere(cmd, stopOrder, err, func(list []onMachine) error {
		if !o.json.On() {
			return printOthers(out, list, stopOrder)
		}
		rows := slices.Clone(done)
		for _, m := range list {
			rows = append(rows, stopped{ID: m.ID, Name: m.Name, Status: m.Status, Machine: true, Error: m.Error})
		}
		return o.json.Print(out, rows)
	})
}

// stopEach stops all targets, some at a time. It returns those that were stopped, in
// the order of targets, and the first error. A session that ended in between is
// neither, unless it was the only one. The first error stands for all: the sentences
// printed above say which sessions were stopped.
//
// The stops are sent at once up to stopsAtOnce, because each waits until it is on
// record, and a person who stops everything is in a hurry.
func stopEach(ctx context.Context, c *client.Client, targets []broker.Session) ([]stopped, error) {
	results := make([]stopped, len(targets))
	slots := make(chan struct{}, stopsAtOnce)
	var wg sync.WaitGroup
	for i, s := range targets {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			results[i] = stopOne(ctx, c, s)
		})
	}
	wg.Wait()
	done := make([]stopped, 0, len(results))
	var firstErr error
	for _, r := range results {
		switch {
		case r.err == nil:
			done = append(done, r)
		case client.Code(r.err) == "session_ended" && len(targets) > 1:
		case firstErr == nil:
			firstErr = r.err
		}
	}
	return done, firstErr
}

// seenWithin is how long a stop waits to see that the turns are over. An agent whose call was refused
// ends its turn in a moment; one that works on takes as long as it takes.
const seenWithin = time.Second

// awaitStopped brings the states of done up to date, until all have stopped or that takes too long:
// what is printed is then what the screen shows.
func awaitStopped(ctx context.Context, c *client.Client, done []stopped) {
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	again := time.NewTicker(seenWithin / 20)
	defer again.Stop()
	for slices.ContainsFunc(done, stopped.goesOn) {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		now, err := c.Sessions(ctx)
		if err != nil {
			return
		}
		for _, s := range now {
			if i := slices.IndexFunc(done, func(d stopped) bool { return d.ID == s.ID }); i >= 0 {
				done[i].Status = string(s.State)
			}
		}
	}
}

// goesOn reports whether the turn of a session that was stopped just now was not over.
func (s stopped) goesOn() bool { return !s.Already && s.Status == string(broker.SessionStopping) }

// stopOne stops session s, which is as it was listed a moment ago: whether it had been
// stopped already, and what waited in it, is from before. A stop that comes second is
// answered like the first one.
func stopOne(ctx context.Context, c *client.Client, s broker.Session) stopped {
	var after client.Session
	err := c.Post(ctx, "/sessions/"+url.PathEscape(s.ID)+"/stop", struct{}{}, &after)
	return stopped{
		ID: s.ID, Name: show.SessionName(s), Status: string(after.State), Waited: s.Pending, err: err,
		Already: s.State == broker.SessionStopping || s.State == broker.SessionStopped,
	}
}

// printStopped prints a line for each session, or one array. names are what the screen
// calls them. With --all an empty list is a sentence and no error: there was nothing
// to stop.
func printStopped(out io.Writer, done []stopped, o stopOptions, names map[string]string) error {
	if o.json.On() {
		return o.json.Print(out, done)
	}
	if len(done) == 0 && o.all {
		return show.Line(out, o.nothing())
	}
	for _, s := range done {
		if err := show.Line(out, safe.Line(s.sentence(names[s.ID]))); err != nil {
			return err
		}
	}
	return nil
}

// nothing says that no session was there to stop.
func (o stopOptions) nothing() string {
	if o.others {
		return "No agent has a session open here."
	}
	return "No agent has a session open."
}

// sentence says what became of a session, which is called name. The caller makes it
// safe.
func (s stopped) sentence(name string) string {
	switch {
	case s.Already && s.Status == string(broker.SessionStopped):
		return name + " is already stopped"
	case s.Already:
		return name + " is already stopping"
	case s.Waited > 0:
		return fmt.Sprintf("%s: %s, refused %s", name, s.Status, figures.Plural(s.Waited, "waiting call"))
	}
	return name + ": " + s.Status
}
