package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// Bounds of --for.
const (
	leastOpen = time.Minute
	mostOpen  = 30 * 24 * time.Hour
)

// inviteOptions are the flags of invite.
type inviteOptions struct {
	role string
	open time.Duration
	many bool
}

func newInviteCommand() *cobra.Command {
	var o inviteOptions
	cmd := &cobra.Command{
		Use:   "invite",
		Short: "Show a code with which a machine or a person joins",
		Long: `invite shows a code, and waits until somebody has joined with it. It is typed at the
other screen: "aoctl fleet join SERVER". It is good once.

--role says what they are: a machine tells what its agents do and takes orders; a watcher
sees; a guard denies, stops and freezes; an operator allows. With --many any number of
machines join with the code until its time is over, and are out of the fleet then: that
is for containers and CI runners, which run "aoctl serve --ephemeral".`,
		Example: `  aoctl fleet invite                        # for a machine
  aoctl fleet invite --role operator
  aoctl fleet invite --many --for 24h       # for CI`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			role, err := o.check()
			if err != nil {
				return err
			}
			me, err := member.Load()
			if err != nil {
				return err
			}
			line, err := me.Reach(cmd.Context())
			if err != nil {
				return err
			}
			defer line.Close()
			return invite(cmd.Context(), me, line, role, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.role, "role", string(members.Machine), "what joins: machine, watcher, guard or operator")
	cmd.Flags().DurationVar(&o.open, "for", 10*time.Minute, "how long the code is good")
	cmd.Flags().BoolVar(&o.many, "many", false, "let any number of machines join, until the time is over")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"machine", "watcher", "guard", "operator"}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

func (o inviteOptions) check() (members.Role, error) {
	role := members.Role(o.role)
	switch {
	case !role.Known() || role == members.Owner:
		return role, usage.Error{Text: fmt.Sprintf("nobody can be invited as %q", o.role), Hint: "--role is machine, watcher, guard or operator"}
	case o.many && role != members.Machine:
		return role, usage.Error{Text: "--many is for machines alone", Hint: "invite people one by one"}
	case o.open < leastOpen || o.open > mostOpen:
		return role, usage.Error{Text: fmt.Sprintf("--for %s is not between a minute and 30 days", o.open), Hint: "the default is 10m"}
	}
	return role, nil
}

// invite opens a code, shows it, and waits for who joins.
func invite(ctx context.Context, me *member.Me, line *jet.Line, role members.Role, o inviteOptions, out io.Writer) error {
	code := members.NewCode()
	in, err := code.Invite(role, time.Now().UTC().Add(o.open).Truncate(time.Second))
	if err != nil {
		return err
	}
	in.Many = o.many
	err = me.Change(ctx, line, func(r *members.Roster) error {
		r.Invites = append(slices.Clone(r.Invites), in)
		return nil
	})
	if err != nil {
		return err
	}
	if err := me.PutLetter(ctx, line, code, in); err != nil {
		takeBack(me, line, code, in)
		return err
	}
	if err := show.Line(out, o.text(me, code, in)); err != nil || o.many {
		return err
	}
	m, err := awaitJoin(ctx, me, line, in)
	if err != nil {
		takeBack(me, line, code, in)
		return err
	}
	err = me.Change(ctx, line, func(r *members.Roster) error {
		open := len(r.Invites)
		r.Invites = slices.DeleteFunc(slices.Clone(r.Invites), func(x members.Invite) bool { return slices.Equal(x.Key, in.Key) })
		if len(r.Invites) == open {
			return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%s does not join: an owner closed the code, or its time is over", safe.Line(m.Name)), Hint: "invite again"}
		}
		r.Members = append(slices.DeleteFunc(r.Members, func(x members.Member) bool { return x.ID() == m.ID() }), m)
		return nil
	})
	if err != nil {
		return err
	}
	_ = line.DropInvite(ctx, code.ID()) // it opens nothing any more
	return show.Line(out, safe.Line(fmt.Sprintf("%s joined as %s (key %s).", m.Name, m.Role.One(), m.ID())))
}

// text says how to join.
func (o inviteOptions) text(me *member.Me, code members.Code, in members.Invite) string {
	server, until := member.PlainServer(me.Servers[0]), in.Until.Local().Format(time.DateTime)
	if o.many {
		return fmt.Sprintf("To join as a machine for as long as a job runs, run this there, with the code on standard input:\n\n    aoctl serve --ephemeral --join %s --owner %s\n\nThe code is\n\n    %s\n\nIt is good until %s. This closes it before: aoctl fleet leave %s", server, me.Key.Public().ID(), code, until, in.ID())
	}
	return fmt.Sprintf("To join as %s, run this there:\n\n    aoctl fleet join %s\n\nand type the code\n\n    %s\n\nIt is good until %s.", in.Role.One(), server, code, until)
}

// awaitJoin waits for an enrolment with the invite.
func awaitJoin(ctx context.Context, me *member.Me, line *jet.Line, in members.Invite) (members.Member, error) {
	ctx, stop := context.WithDeadlineCause(ctx, in.Until, errUnused)
	defer stop()
	ctx, found := context.WithCancel(ctx)
	defer found()
	var m members.Member
	err := line.Enrolments(ctx, func(s keys.Signed) {
		if !slices.Equal(s.By, in.Key) || ctx.Err() != nil {
			return
		}
		if who, err := me.Book().Join(s, time.Now()); err == nil {
			m = who
			found()
		}
	})
	switch {
	case m.Name != "":
		return m, nil
	case errors.Is(context.Cause(ctx), errUnused):
		return m, exit.Error{Code: exit.NotFound, Text: "nobody joined: the code is no longer good", Hint: "invite again; --for gives more time"}
	case ctx.Err() != nil:
		return m, exit.Error{Code: exit.Failed, Text: "interrupted: the code is no longer good", Cause: ctx.Err()}
	}
	return m, err
}

var errUnused = errors.New("nobody joined in time")

// takeBack closes an invite that nobody used. Where it cannot, its time closes it.
func takeBack(me *member.Me, line *jet.Line, code members.Code, in members.Invite) {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	_ = me.Change(ctx, line, func(r *members.Roster) error {
		r.Invites = slices.DeleteFunc(slices.Clone(r.Invites), func(x members.Invite) bool { return slices.Equal(x.Key, in.Key) })
		return nil
	})
	_ = line.DropInvite(ctx, code.ID())
}
