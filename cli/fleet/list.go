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

// listed is a member as list prints it, or a code with which somebody may still join.
type listed struct {
	Name  string       `json:"name"`
	Role  members.Role `json:"role"`
	ID    string       `json:"id"`
	Until *time.Time   `json:"until,omitempty"` // of a code, and of a machine that joined with one for many: when it is over
	You   bool         `json:"you,omitempty"`
	Code  goodFor      `json:"code,omitempty"` // of a code
}

// goodFor is how often a code is good.
type goodFor string

const (
	once goodFor = "once"
	many goodFor = "many"
)

func newListCommand() *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List who is in your fleet",
		Long: `list asks the fleet's server who is in the fleet: people with their roles, and machines; and
which codes are open, with which somebody may still join.`,
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
	output.Flags[listed](cmd, &format, "print a JSON array of members and open codes")
	return cmd
}

func printMembers(cmd *cobra.Command, me *member.Me, format *output.Format) error {
	now := time.Now()
	r, book := me.Roster(), me.Book()
	signed := book.Roster()
	list := make([]listed, 0, len(r.Members)+len(signed.Invites))
	for i := range r.Members {
		m := &r.Members[i]
		l := listed{Name: m.Name, Role: m.Role, ID: m.ID(), You: m.ID() == me.Key.Public().ID()}
		if _, kept := signed.Member(l.ID); !kept {
			l.Until = until(book, m)
		}
		list = append(list, l)
	}
	for _, in := range signed.Invites {
		if !now.Before(in.Until) {
			continue
		}
		l := listed{Name: "a code", Role: in.Role, ID: in.ID(), Until: &in.Until, Code: once}
		if in.Many {
			l.Code = many
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
		case l.Code != "":
			note = map[goodFor]string{once: "good once, until ", many: "good for many machines until "}[l.Code] + l.Until.Local().Format(time.DateTime)
		case l.Until != nil:
			note = "until " + l.Until.Local().Format(time.DateTime)
		}
		t.Add(l.Name, string(l.Role), l.ID, note)
	}
	return t.Print(cmd.OutOrStdout())
}

// until is when the last of the invites ends with which a machine joined.
func until(book *members.Book, m *members.Member) *time.Time {
	var last time.Time
	for _, in := range book.Roster().Invites {
		if book.CameWith(m.Sign, in.Key) && in.Until.After(last) {
			last = in.Until
		}
	}
	return &last
}
