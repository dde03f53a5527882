package console

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/config"
)

// limitOptions bound what agents may ask of a console. An agent that asks without end must
// neither fill the memory nor hide another one's call on the screen.
type limitOptions struct {
	pending        int           // calls that wait, in all
	pendingSession int           // calls of one session that wait
	rate           int           // new calls a second of one session; 0 for any number
	silence        time.Duration // after it a session ends of which no process is known; 0 for never
}

// flags declares the limits; the settings file has the same.
func (l *limitOptions) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&l.pending, "max-pending", config.DefaultMaxPending, "calls that may wait in all; the next one is refused")
	cmd.Flags().IntVar(&l.pendingSession, "max-pending-session", config.DefaultMaxPendingSession, "calls of one session that may wait, its sub-agents' included")
	cmd.Flags().IntVar(&l.rate, "max-rate", config.DefaultMaxRate, "new calls a second of one session, five times that at once; 0 for any number")
	cmd.Flags().DurationVar(&l.silence, "end-silent", config.DefaultSilence, "end sessions without a process here that were silent for so long; 0 for never")
}

// read completes and checks l. Whoever lowers the limit of all need not lower that of one
// session as well.
func (l *limitOptions) read(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("max-pending-session") {
		l.pendingSession = min(l.pendingSession, l.pending)
	}
	return cmp.Or(
		config.CheckLimit("--max-pending", l.pending, 1, config.MostPending, "", config.DefaultMaxPending),
		config.CheckLimit("--max-pending-session", l.pendingSession, 1, l.pending, ", which is --max-pending", config.DefaultMaxPendingSession),
		config.CheckLimit("--max-rate", l.rate, 0, config.MostRate, "", config.DefaultMaxRate),
		config.CheckSilence("--end-silent", l.silence),
	)
}

// in puts the limits into a broker's options, where 0 stands for the default and -1 for no
// limit.
func (l limitOptions) in(o service.Options) service.Options {
	o.MaxPending, o.MaxPerSession, o.Rate = l.pending, l.pendingSession, l.rate
	if l.rate == 0 {
		o.Rate = -1
	}
	if o.Silence = l.silence; l.silence == 0 {
		o.Silence = -1
	}
	return o
}
