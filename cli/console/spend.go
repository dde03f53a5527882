package console

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/spend"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui"
)

// spendEvery is how often it is added up what sessions have spent: a transcript may be long.
const spendEvery = 10 * time.Second

// spendOptions are the amounts at which the operator is told, and what happens then.
type spendOptions struct {
	session, day string // as spend.Parse reads them; "" for no limit
	freeze       bool

	ofSession, ofDay spend.Amount
}

func (o *spendOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.session, "spend-session", "", "tell when a session has spent so much, as its agent says: $5, 500k or 2M tokens (default: never)")
	cmd.Flags().StringVar(&o.day, "spend-day", "", "tell when all sessions have spent so much in a day")
	cmd.Flags().BoolVar(&o.freeze, "spend-freeze", false, "freeze the session as well, or everything at the limit of a day, until you lift it")
}

// read completes and checks o.
func (o *spendOptions) read() error {
	for _, l := range []struct {
		flag, text string
		to         *spend.Amount
	}{{"--spend-session", o.session, &o.ofSession}, {"--spend-day", o.day, &o.ofDay}} {
		if l.text == "" {
			continue
		}
		var err error
		if *l.to, err = spend.Parse(l.text); err != nil {
			return usage.Error{Text: l.flag + ": " + err.Error(), Hint: "such as " + l.flag + " '$5', in quotes"}
		}
	}
	if o.freeze && o.session == "" && o.day == "" {
		return usage.Error{Text: "--spend-freeze freezes at a limit, and there is none", Hint: "give --spend-session or --spend-day as well"}
	}
	return nil
}

// watchSpending adds up what sessions spend, now and then, until the console closes. Alerts go to the screen
// by way of a.notices, and one that is not read for a while gives way to what comes.
func (a *App) watchSpending(o spendOptions) {
	m := spend.NewMeter(o.ofSession, o.ofDay, time.Now())
	if !m.On() {
		return
	}
	a.beside(func(ctx context.Context) {
		for waitFor(ctx, spendEvery) == nil {
			for _, alert := range a.overspent(ctx, m) {
				a.alert(ctx, alert, o.freeze)
			}
		}
	})
}

// overspent looks at each session that goes on. One whose transcript cannot be read is left out: it
// may be read the next time.
func (a *App) overspent(ctx context.Context, m *spend.Meter) (alerts []spend.Alert) {
	list, err := a.Broker.Sessions(ctx)
	if err != nil {
		return nil
	}
	for _, s := range list {
		if s.Ended() {
			continue
		}
		if spent, told, err := story.SpentBy(ctx, s); err == nil && told {
			u := spent.Usage
			alerts = append(alerts, m.Look(time.Now(), s.ID, s.StartedAt, spend.Amount{Dollars: spent.Cost, Tokens: u.Input + u.CacheRead + u.CacheWrite + u.Output})...)
		}
	}
	return alerts
}

// alert freezes what has spent too much, where that is wanted, and tells the screen.
func (a *App) alert(ctx context.Context, what spend.Alert, freeze bool) {
	text := what.Words
	if freeze {
		if err := a.Broker.Freeze(ctx, what.SessionID, true, broker.Actor{Kind: broker.ByBroker, ID: "spend", PID: os.Getpid()}); err != nil {
			text += "; not frozen: " + err.Error()
		} else {
			text += "; frozen"
		}
	}
	a.log.Warn("limit of spending reached", "session", what.SessionID, "what", text)
	a.tell(what.SessionID, text)
}

// tell says text on all screens, about a session, or none for "".
func (a *App) tell(sessionID, text string) {
	if a.consoles != nil {
		a.consoles.Tell(consoles.Notice{SessionID: sessionID, Text: text})
	}
	select {
	case a.notices <- tui.Notice{SessionID: sessionID, Text: text}:
	default:
	}
}
