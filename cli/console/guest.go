package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui/safe"
)

// guestOptions are those of a broker that is in a fleet for as long as it runs: in a container, or on a
// CI runner.
type guestOptions struct {
	on       bool
	server   string
	codeFile string
	as       string

	code members.Code
	name string
}

// flags adds them to serve.
func (g *guestOptions) flags(cmd *cobra.Command) {
	const on, server, file, as = "ephemeral", "join", "join-code-file", "as"
	cmd.Flags().BoolVar(&g.on, on, false, "join a fleet, and leave nothing behind at the end: for containers and CI")
	cmd.Flags().StringVar(&g.server, server, "", "with --ephemeral, the fleet's server, such as office:4222")
	cmd.Flags().StringVar(&g.codeFile, file, "", "with --ephemeral, the file that has the code of the invite; standard input when not given")
	cmd.Flags().StringVar(&g.as, as, "", "with --ephemeral, what the fleet calls this machine; its host name when not given")
	for _, other := range []string{"pair", takeUpFlag, onEmptyFlag} {
		cmd.MarkFlagsMutuallyExclusive(on, other)
	}
}

// read completes them. Errors: usage.Error, exit.Error.
func (g *guestOptions) read(cmd *cobra.Command) (err error) {
	if !g.on {
		if g.server != "" || g.codeFile != "" || g.as != "" {
			return usage.Error{Text: "--join, --join-code-file and --as are for --ephemeral", Hint: `any other broker joins with "aoctl fleet join"`}
		}
		return nil
	}
	if g.server == "" {
		return usage.Error{Text: "--ephemeral needs the fleet's server: --join HOST:PORT", Hint: usage.HelpHint(cmd)}
	}
	if g.server, err = member.ServerAt(g.server); err != nil {
		return err
	}
	if g.name, err = member.MachineName(g.as); err != nil {
		return err
	}
	if err = newState(); err != nil { // before a code is asked for
		return err
	}
	from := cmd.InOrStdin()
	if g.codeFile != "" {
		f, err := os.Open(g.codeFile)
		if err != nil {
			return exit.Error{Code: exit.Failed, Text: "cannot read the code: " + err.Error(), Hint: `write there what "aoctl fleet invite --many" shows`, Cause: err}
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	g.code, err = member.ReadCode(from)
	return err
}

// newState says whether the state folder is new. Nothing that somebody may need is in it then.
func newState() error {
	dir, err := paths.StateDir()
	if err != nil {
		return err
	}
	list, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(list) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("--ephemeral removes its state folder at the end, and %s has something in it", dir), Hint: "set AOCTL_HOME to a folder that does not exist yet, for the broker and its agents"}
}

// fleetGone is the reason with which a call is refused that nobody in the fleet can have seen.
const fleetGone = "no server of the fleet could be reached, so nobody could answer"

// withdrawTime is how long the end of a guest may take for the fleet: what runs containers kills them after
// ten seconds.
const withdrawTime = 6 * time.Second

// serveGuest serves as a guest of a fleet until ctx ends, the invite is over, or serving fails. The state
// folder is removed then.
func (o *serveOptions) serveGuest(ctx context.Context, out io.Writer) (err error) {
	letter, in, err := member.Fetch(ctx, o.guest.server, o.guest.code)
	if err != nil {
		return err
	}
	if in.Role != members.Machine {
		return exit.Error{Code: exit.Forbidden, Text: fmt.Sprintf("the code is for a %s, and this is a machine", in.Role), Hint: "have one shown for machines: aoctl fleet invite --many"}
	}
	a, err := Open(ctx, o.Options)
	if err != nil {
		return err
	}
	defer func() {
		a.Close()
		err = errors.Join(err, removeState())
	}()
	if err = a.joinAs(ctx, o.guest, letter); err != nil {
		return err
	}
	a.beside(func(ctx context.Context) {
		a.denyUnseenBy(ctx, func() bool { return a.fleet.Status().Up }, fleetGone)
	})
	if o.json {
		err = a.sayWhere(out)
	} else {
		err = show.Line(out, safe.Line(fmt.Sprintf("aoctl serves on %s (pid %d), in fleet %s as %s.", a.socket, os.Getpid(), a.fleet.Status().Name, o.guest.name)))
	}
	if err != nil {
		return err
	}
	o.sayConfig()
	over := time.NewTimer(time.Until(in.Until))
	defer over.Stop()
	select {
	case <-ctx.Done():
		during, stop := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
		defer stop()
		if _, err := a.fleet.Withdraw(during); err != nil {
			a.log.Warn("the fleet was not told that this machine is gone: it is listed until its invite is over", "err", err)
		}
		return nil
	case <-over.C:
		return exit.Error{Code: exit.Failed, Text: "the invite is over, and with it this machine's time in the fleet", Hint: "have another code shown, for longer: aoctl fleet invite --many --for"}
	case <-a.served:
		return a.serveErr
	}
}

// joinAs has the broker be a machine of the fleet that a letter is of.
func (a *App) joinAs(ctx context.Context, g guestOptions, letter members.Letter) error {
	key, err := member.MachineKey()
	if err != nil {
		return err
	}
	me, err := member.New(letter.Roster, letter.Servers, letter.Pin)
	if err != nil {
		return err
	}
	joined, err := me.Enrol(ctx, g.code, key, g.name, members.Machine)
	if err != nil {
		return err
	}
	m := consoles.Membership{Servers: me.Servers, Pin: me.Pin}
	if m.Roster, err = keys.Encode(me.Signed()); err != nil {
		return err
	}
	if m.Joined, err = keys.Encode(joined); err != nil {
		return err
	}
	return a.fleet.Join(ctx, m, broker.Actor{Kind: broker.ByBroker})
}

// removeState removes the state folder, which was new.
func removeState() error {
	dir, err := paths.StateDir()
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
