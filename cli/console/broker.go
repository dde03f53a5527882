package console

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// newBrokerCommand declares the hidden "broker". It takes the console's flags and no
// settings file, so that a test of a client depends on its own command line.
func newBrokerCommand() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:    "broker",
		Short:  "Serve without a console, for tests of API clients",
		Hidden: true,
		Long: `broker listens the way the console does, with nobody at the keys: calls wait and
expire, and from outside they can be refused or their session stopped. Nothing can
be allowed, but with an operator token of an earlier console. It is for trying a program against the API, also in CI.

When it is ready it prints one line of JSON, {"socket": …, "pid": …}, and it serves
until it is interrupted.`,
		Example: "  AOCTL_HOME=$(mktemp -d) aoctl broker --timeout 30s",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Read(cmd); err != nil {
				return err
			}
			return runBroker(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	o.Flags(cmd)
	return cmd
}

// runBroker opens a console without a screen. It prints where it listens once it does, so
// that its starter knows when to begin, and runs until ctx ends or serving fails. There is
// no key to press here, so a key press can allow nothing.
func runBroker(ctx context.Context, o Options, out io.Writer) error {
	if err := KeepPrivate(); err != nil {
		return fmt.Errorf("keep other processes out of the broker: %w", err)
	}
	h, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close()
	if err = h.sayWhere(out); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-h.served:
		return h.serveErr
	}
}

// sayWhere prints where the broker listens, as JSON. With port 0 only the listener knows where it is.
func (a *App) sayWhere(out io.Writer) error {
	return show.Object(out, struct {
		Socket string `json:"socket"`
		Listen string `json:"listen,omitempty"`
		PID    int    `json:"pid"`
	}{a.socket, a.listens(), os.Getpid()})
}
