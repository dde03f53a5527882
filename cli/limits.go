package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

// limitOptions bound what agents may ask of a console.
type limitOptions struct {
	pending        int // calls that wait, in all
	pendingSession int // calls of one session that wait
	rate           int // new calls a second of one session; 0 for any number
}

const (
	defaultMaxPending        = 4096
	defaultMaxPendingSession = 64
	defaultMaxRate           = 20
	mostPending              = 20000 // what commands and the screen still handle well
	mostRate                 = 10000
)

func (l *limitOptions) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&l.pending, "max-pending", defaultMaxPending, "calls that may wait in all; the next one is refused")
	cmd.Flags().IntVar(&l.pendingSession, "max-pending-session", defaultMaxPendingSession, "calls of one session that may wait, its sub-agents' included")
	cmd.Flags().IntVar(&l.rate, "max-rate", defaultMaxRate, "new calls a second of one session, five times that at once; 0 for any number")
}

// read completes and checks l.
func (l *limitOptions) read(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("max-pending-session") {
		l.pendingSession = min(l.pendingSession, l.pending)
	}
	return cmp.Or(
		checkLimit("--max-pending", l.pending, 1, mostPending, "", defaultMaxPending),
		checkLimit("--max-pending-session", l.pendingSession, 1, l.pending, ", which is --max-pending", defaultMaxPendingSession),
		checkLimit("--max-rate", l.rate, 0, mostRate, "", defaultMaxRate),
	)
}

// checkLimit refuses a limit outside of least and most, which whose explains; such is a
// better one.
func checkLimit(name string, value, least, most int, whose string, such int) error {
	if value >= least && value <= most {
		return nil
	}
	return usageError{
		text: fmt.Sprintf("%s %d is out of range", name, value),
		hint: fmt.Sprintf("give a number from %d to %d%s, such as %d", least, most, whose, such),
	}
}

// in puts the limits into a broker's options.
func (l limitOptions) in(o service.Options) service.Options {
	o.MaxPending, o.MaxPerSession, o.Rate = l.pending, l.pendingSession, l.rate
	if l.rate == 0 {
		o.Rate = -1
	}
	return o
}

// limitWords is what an event tells of calls that were too many, "" for other events.
func limitWords(e broker.Event) string {
	var d broker.CallsRefusedData
	if e.Type != broker.EventCallsRefused || json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	text := plural(d.Count, "call") + ": " + d.Why
	if d.Total > d.Count {
		text += fmt.Sprintf(" (%d since %s)", d.Total, d.Since.Local().Format(time.TimeOnly))
	}
	return text
}
