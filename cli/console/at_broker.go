package console

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/cli/client"
)

// AtBroker has a command give orders to this machine's broker as a console does: it is paired first
// where it is not, with a code that a person types. The broker must run.
func AtBroker(cmd *cobra.Command, do func(ctx context.Context, b *consoles.Client) error) error {
	socket, err := client.SocketPath(cmd)
	if err != nil {
		return err
	}
	if _, err := client.New(cmd); err != nil {
		return err // none was ever there: nor is there a folder for a key
	}
	at := address{socket: socket}
	me, err := asPerson()
	if err != nil {
		return err
	}
	known := knownBroker{at}
	if _, _, err := hello(cmd.Context(), at, me, known, ""); err != nil {
		return err
	}
	c := consoles.NewClient(me, at.dial, known.check)
	defer func() { _ = c.Close() }()
	return do(cmd.Context(), c)
}
