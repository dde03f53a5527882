package fleet

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

func newJoinCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "join [SERVER]",
		Short: "Join a fleet with a code that an owner's screen shows",
		Long: `join asks for the code that "aoctl fleet invite" shows, and joins as what the code is for: this
machine, whose broker then carries what its agents do to the fleet and takes orders from
the fleet's people; or you, as a person.

A machine joins through its broker, so one must run here ("aoctl", or "aoctl serve"), and
this terminal must be paired with it; where it is not, join asks for that code next.

An owner's own machine joins without a code and without SERVER.`,
		Example: `  aoctl fleet join office:4222
  aoctl fleet join office:4222 < code.txt     # where nobody can type
  aoctl fleet join                            # the owner's own machine`,
		Args: usage.AtMostOne("the address of the fleet's server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return joinOwn(cmd, as)
			}
			at, err := member.ServerAt(args[0])
			if err != nil {
				return err
			}
			code, err := askCode(cmd)
			if err != nil {
				return err
			}
			return join(cmd, at, code, as)
		},
	}
	asFlag(cmd, &as)
	return cmd
}

// askCode reads the code from the terminal, or from what is piped in.
func askCode(cmd *cobra.Command) (members.Code, error) {
	if f, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(f.Fd()) {
		fmt.Fprint(cmd.ErrOrStderr(), "Code of the fleet: ")
	}
	return member.ReadCode(cmd.InOrStdin())
}

// join uses an invite.
func join(cmd *cobra.Command, at string, code members.Code, as string) error {
	ctx := cmd.Context()
	in, err := member.Fetch(ctx, at, code)
	if err != nil {
		return err
	}
	if in.To.Role == members.Machine {
		return joinMachine(cmd, in.Letter, code, as)
	}
	return joinPerson(cmd, in.Letter, code, in.To.Role, as)
}

// joinMachine has this machine's broker be in the fleet.
func joinMachine(cmd *cobra.Command, letter members.Letter, code members.Code, as string) error {
	name, err := member.MachineName(as)
	if err != nil {
		return err
	}
	// The broker comes first, so that a code is not used up where none runs.
	return console.AtBroker(cmd, func(ctx context.Context, b *consoles.Client) error {
		if st, err := b.Fleet(ctx); err != nil || st.ID != "" {
			return inOne(st, err)
		}
		m, err := member.EnrolMachine(ctx, letter, code, name)
		if err != nil {
			return err
		}
		if err := b.JoinFleet(ctx, m); err != nil {
			return err
		}
		return sayJoined(ctx, cmd, b, name)
	})
}

func inOne(st consoles.FleetStatus, err error) error {
	if err != nil {
		return err
	}
	return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("this machine is in fleet %s already", st.Name), Hint: "take it out first: aoctl fleet leave"}
}

// sayJoined waits a little for the broker's link, and says how it is.
func sayJoined(ctx context.Context, cmd *cobra.Command, b *consoles.Client, name string) error {
	var st consoles.FleetStatus
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && !st.Up; {
		var err error
		if st, err = b.Fleet(ctx); err != nil {
			return err
		}
		if !st.Up {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	text := fmt.Sprintf("This machine is in fleet %s, as %s.", st.Name, name)
	if !st.Up {
		text += " No server answers it yet: " + st.Problem
	}
	return show.Line(cmd.OutOrStdout(), safe.Line(text))
}

// letInTime is how long an owner's screen has to put a person into the roster.
const letInTime = time.Minute

// joinPerson has the person be in the fleet.
func joinPerson(cmd *cobra.Command, letter members.Letter, code members.Code, role members.Role, as string) error {
	if _, err := member.Load(); err == nil || !member.InNone(err) {
		return already(err)
	}
	name, err := personName(as)
	if err != nil {
		return err
	}
	me, err := member.New(letter.Roster, letter.Servers, letter.Pin)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(me.Roster().Members, func(m members.Member) bool { return m.Name == name }) { // who allowed what must be clear
		return usage.Error{Text: fmt.Sprintf("the fleet has a %s already", safe.Line(name)), Hint: "choose another name with --as; the code is good still"}
	}
	ctx := cmd.Context()
	if _, err := me.Enrol(ctx, code, me.Key, name, role); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, letInTime)
	defer stop()
	for {
		if _, ok := me.Member(); ok {
			break
		}
		// The owner's screen puts the person into the roster now; a server lets them in when it has that.
		line, err := me.Reach(ctx)
		if err == nil {
			line.Close()
			continue
		}
		if ctx.Err() != nil {
			return exit.Error{Code: exit.Failed, Text: "no owner let you in", Hint: `"aoctl fleet invite" must stay open on their screen until you are in; have another code shown`, Cause: err}
		}
	}
	if err := me.Save(); err != nil {
		return err
	}
	return show.Line(cmd.OutOrStdout(), safe.Line(fmt.Sprintf("You are in fleet %s, as %s, %s. Open its console: aoctl --fleet", me.Roster().Name, name, role)))
}

// joinOwn has the owner's own machine join: they sign it in.
func joinOwn(cmd *cobra.Command, as string) error {
	me, err := member.Load()
	if err != nil {
		return err
	}
	name, err := member.MachineName(as)
	if err != nil {
		return err
	}
	return console.AtBroker(cmd, func(ctx context.Context, b *consoles.Client) error {
		if st, err := b.Fleet(ctx); err != nil || st.ID != "" {
			return inOne(st, err)
		}
		line, err := me.Reach(ctx)
		if err != nil {
			return err
		}
		defer line.Close()
		key, err := member.MachineKey()
		if err != nil {
			return err
		}
		err = me.Change(ctx, line, func(r *members.Roster) error {
			r.Members = append(slices.DeleteFunc(r.Members, func(m members.Member) bool { return m.ID() == key.Public().ID() }), members.Member{Public: key.Public(), Name: name, Role: members.Machine})
			return nil
		})
		if err != nil {
			return err
		}
		m, err := me.Membership(nil)
		if err != nil {
			return err
		}
		if err := b.JoinFleet(ctx, m); err != nil {
			return err
		}
		return sayJoined(ctx, cmd, b, name)
	})
}
