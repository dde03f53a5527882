package fleet

import (
	"crypto/rand"
	"fmt"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

func newInitCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Begin a fleet, which you own",
		Long: `init begins a fleet with you as its owner. Your key is the console's key in the state
folder: who has that file is you, so keep it from others. Then run a server with
"aoctl fleet up", and invite machines and people.`,
		Example: "  aoctl fleet init acme\n  aoctl fleet init acme --as ana",
		Args:    usage.OneArg("a name for the fleet"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := member.Load(); err == nil || !member.InNone(err) {
				return already(err)
			}
			me, err := begin(args[0], as)
			if err != nil {
				return err
			}
			if err := me.Save(); err != nil {
				return err
			}
			r := me.Roster()
			return show.Line(cmd.OutOrStdout(), safe.Line(fmt.Sprintf("Fleet %s is yours (id %s). Run its server: aoctl fleet up", r.Name, r.Fleet)))
		},
	}
	asFlag(cmd, &as)
	return cmd
}

// asFlag gives cmd the flag that names the new member.
func asFlag(cmd *cobra.Command, as *string) {
	cmd.Flags().StringVar(as, "as", "", "what the fleet calls you, or the machine; your user name, or the machine's name, when not given")
}

// already says that the person has a fleet, or cannot tell.
func already(err error) error {
	if err != nil {
		return err
	}
	return exit.Error{Code: exit.Failed, Text: "you are in a fleet already", Hint: "aoctl fleet list shows it; leave it first: aoctl fleet leave --me"}
}

// begin makes the first roster, with its owner alone.
func begin(name, as string) (*member.Me, error) {
	if err := broker.CheckName("name", name); err != nil || name == "" {
		return nil, usage.Error{Text: fmt.Sprintf("a fleet cannot be called %q", name), Hint: "take a short name, such as that of your team"}
	}
	as, err := personName(as)
	if err != nil {
		return nil, err
	}
	key, err := member.MyKey()
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC().Truncate(time.Second)
	first, err := members.Begin(key, members.Roster{
		Fleet: fleetID(name), Name: name, Number: 1, At: now, Until: now.Add(member.GoodFor),
		Members: []members.Member{{Public: key.Public(), Name: as, Role: members.Owner}},
	})
	if err != nil {
		return nil, err
	}
	return member.New(first, nil, nil)
}

// fleetID is an id that no other fleet has: what can be read of the name, and letters drawn at random.
// It stands in the subjects of messages.
func fleetID(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		if b.Len() < 12 && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			b.WriteRune(c)
		}
	}
	return b.String() + "-" + strings.ToLower(rand.Text())[:12]
}

// personName is what the fleet calls the person.
func personName(as string) (string, error) {
	if as == "" {
		if u, err := user.Current(); err == nil {
			as = u.Username
		}
	}
	return member.GoodName(as)
}
