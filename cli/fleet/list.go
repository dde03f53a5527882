package fleet

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// listed is a member as list prints it.
type listed struct {
	Name  string       `json:"name"`
	Role  members.Role `json:"role"`
	ID    string       `json:"id"`
	Until *time.Time   `json:"until,omitempty"` // of a machine that joined with an invite for many: when it is out again
	You   bool         `json:"you,omitempty"`
}

func newListCommand() *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List who is in your fleet",
		Long:    "list asks the fleet's server who is in the fleet: people with their roles, and machines.",
		Example: "  aoctl fleet list\n  aoctl fleet list --json",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			me, err := member.Load()
			if err != nil {
				return err
			}
			line, err := me.Reach(cmd.Context())
			if err != nil {
				return err
			}
			defer line.Close()
			if err := me.Renew(cmd.Context(), line); err != nil {
				return err
			}
			return printMembers(cmd, me, &format)
		},
	}
	output.Flags[listed](cmd, &format, "print a JSON array of the members")
	return cmd
}

func printMembers(cmd *cobra.Command, me *member.Me, format *output.Format) error {
	r, signed := me.Roster(), me.Book().Roster()
	list := make([]listed, 0, len(r.Members))
	for i := range r.Members {
		m := &r.Members[i]
		l := listed{Name: m.Name, Role: m.Role, ID: m.ID(), You: m.ID() == me.Key.Public().ID()}
		if _, kept := signed.Member(l.ID); !kept {
			until := latest(signed.Invites)
			l.Until = &until
		}
		list = append(list, l)
	}
	if format.On() {
		return format.Print(cmd.OutOrStdout(), list)
	}
	t := show.Table{Head: []string{"NAME", "ROLE", "KEY", ""}, Spare: []string{""}}
	for _, l := range list {
		note := ""
		switch {
		case l.You:
			note = "you"
		case l.Until != nil:
			note = "until " + l.Until.Local().Format(time.DateTime)
		}
		t.Add(l.Name, string(l.Role), l.ID, note)
	}
	return t.Print(cmd.OutOrStdout())
}

// latest is when the last of the invites ends.
func latest(list []members.Invite) (until time.Time) {
	for _, in := range list {
		if in.Until.After(until) {
			until = in.Until
		}
	}
	return until
}
