package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

func newLeaveCommand() *cobra.Command {
	var own bool
	cmd := &cobra.Command{
		Use:   "leave [MEMBER]",
		Short: "Take this machine, yourself or somebody else out of the fleet",
		Long: `leave takes this machine out of its fleet: its broker carries nothing out any more and
takes no orders from there. With --me it forgets on this machine that you are in a fleet.

With MEMBER an owner takes somebody out, a person or a machine: by name, or by the
beginning or the end of the key that "aoctl fleet list" shows. A machine that joined with a
code for many goes with all that joined with it, and the code is good no more; the key of a
code that is open closes it in the same way. Machines that a server
reaches take no order from them from that moment on, and tell them nothing more; others
when the roster that they know is over, two weeks after it was signed.`,
		Example: "  aoctl fleet leave\n  aoctl fleet leave ben\n  aoctl fleet leave --me",
		Args: func(cmd *cobra.Command, args []string) error {
			if own && len(args) > 0 {
				return usage.Error{Text: "give a member or --me, not both", Hint: usage.HelpHint(cmd)}
			}
			return usage.AtMostOne("a member of the fleet")(cmd, args)
		},
		ValidArgsFunction: completeMembers,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case own:
				return leaveMe(cmd)
			case len(args) > 0:
				return putOut(cmd, args[0])
			}
			return console.AtBroker(cmd, func(ctx context.Context, b *consoles.Client) error {
				st, err := b.Fleet(ctx)
				if err != nil {
					return err
				}
				if err := b.LeaveFleet(ctx); errors.Is(err, broker.ErrNotFound) {
					return exit.Error{Code: exit.NotFound, Text: "this machine is in no fleet"}
				} else if err != nil {
					return err
				}
				return show.Line(cmd.OutOrStdout(), safe.Line(fmt.Sprintf("This machine left fleet %s. It stays listed there until an owner takes it out.", st.Name)))
			})
		},
	}
	cmd.Flags().BoolVar(&own, "me", false, "forget on this machine that you are in a fleet")
	return cmd
}

func completeMembers(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	me, err := member.Load()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	r, times := me.Roster(), map[string]int{}
	for _, m := range r.Members {
		times[m.Name]++
	}
	var names []string
	for _, m := range r.Members {
		if times[m.Name] == 1 {
			names = append(names, safe.Line(m.Name))
		} else { // the name fits several
			names = append(names, m.ID()+"\t"+safe.Line(m.Name))
		}
	}
	for _, in := range r.Invites {
		names = append(names, in.ID()+"\ta code")
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func leaveMe(cmd *cobra.Command) error {
	me, err := member.Load()
	if err != nil {
		return err
	}
	r := me.Roster()
	if err := me.Forget(); err != nil {
		return err
	}
	text := fmt.Sprintf("Forgot fleet %s here.", r.Name)
	if m, ok := me.Member(); ok && m.Role == members.Owner {
		text += " Your key can still change it: keep the file console.key, or have another owner take you out."
	} else if ok {
		text += " An owner takes you out of it: aoctl fleet leave " + m.Name
	}
	return show.Line(cmd.OutOrStdout(), safe.Line(text))
}

// putOut has an owner take a member out.
func putOut(cmd *cobra.Command, who string) error {
	ctx := cmd.Context()
	me, err := member.Load()
	if err != nil {
		return err
	}
	line, err := me.Reach(ctx)
	if err != nil {
		return err
	}
	defer line.Close()
	var gone members.Member
	machines := 0 // that go with it
	err = me.Change(ctx, line, func(r *members.Roster) error {
		all := me.Roster()
		if gone, err = find(&all, who); err != nil {
			return err
		}
		if gone.ID() == me.Key.Public().ID() {
			return exit.Error{Code: exit.Failed, Text: "you cannot take yourself out", Hint: "--me forgets the fleet on this machine"}
		}
		r.Members = slices.DeleteFunc(r.Members, func(m members.Member) bool { return m.ID() == gone.ID() })
		machines = closeInvites(me.Book(), r, &all, gone)
		return nil
	})
	if err != nil {
		return err
	}
	r := me.Roster()
	text := fmt.Sprintf("%s is out of fleet %s", gone.Name, r.Name)
	switch {
	case gone.Box == nil: // a code has no such key
		text = fmt.Sprintf("The code is closed; out of fleet %s with it: %s", r.Name, figures.Plural(machines, "machine"))
	case machines > 1:
		text += fmt.Sprintf(", with %d more of the same code", machines-1)
	}
	return show.Line(cmd.OutOrStdout(), safe.Line(fmt.Sprintf("%s. Machines in reach know it now, others by %s at the latest.", text, r.Until.Local().Format("2 January"))))
}

// closeInvites takes back an invite that is gone itself, and what a machine joined with that is in no roster: it
// would only join again. All that joined with the same go with it; it returns how many there are, the machine
// among them.
func closeInvites(book *members.Book, r, all *members.Roster, gone members.Member) (out int) {
	closed := map[string]bool{}
	r.Invites = slices.DeleteFunc(slices.Clone(r.Invites), func(in members.Invite) bool {
		closed[string(in.Key)] = slices.Equal(in.Key, gone.Sign) || book.CameWith(gone.Sign, in.Key)
		return closed[string(in.Key)]
	})
	for i := range all.Members {
		for key, is := range closed {
			if is && book.CameWith(all.Members[i].Sign, []byte(key)) {
				out++
				break
			}
		}
	}
	return out
}

// find is the member that a person names, or the open code, of which it is no more than the key. A whole key is
// nobody else's, whatever name somebody joined under.
func find(r *members.Roster, who string) (members.Member, error) {
	all := slices.Clone(r.Members)
	for _, in := range r.Invites {
		all = append(all, members.Member{Public: keys.Public{Sign: in.Key}, Name: "a code", Role: in.Role})
	}
	var found []members.Member
	for _, m := range all {
		id := m.ID()
		if id == who {
			return m, nil
		}
		if m.Name == who && m.Box != nil || len(who) >= 4 && (strings.HasPrefix(id, who) || strings.HasSuffix(id, who)) {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return members.Member{}, exit.Error{Code: exit.NotFound, Text: fmt.Sprintf("nobody in the fleet is called %q", who), Hint: "aoctl fleet list shows who is in it"}
	}
	e := exit.Error{Code: exit.Usage, Text: fmt.Sprintf("%q fits several members", who), Hint: "name one by its whole key"}
	for _, m := range found {
		e.List = append(e.List, m.Name+"  "+string(m.Role)+"  "+m.ID())
	}
	return members.Member{}, e
}
