package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// defaultPort is that of "aoctl fleet up".
const defaultPort = "4222"

func newJoinCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "join [SERVER]",
		Short: "Join a fleet with a code that an owner's screen shows",
		Long: `join asks for the code that "aoctl fleet invite" shows, and joins as what the code is for: this
machine, whose broker then carries what its agents do to the fleet and takes orders from
the fleet's people; or you, as a person.

A machine joins through its broker, so one must run here ("aoctl", or "aoctl serve"), and
this terminal must be paired with it; join asks for that code first where it is not.

An owner's own machine joins without a code and without SERVER.`,
		Example: `  aoctl fleet join office:4222
  aoctl fleet join office:4222 < code.txt     # where nobody can type
  aoctl fleet join                            # the owner's own machine`,
		Args: usage.AtMostOne("the address of the fleet's server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return joinOwn(cmd, as)
			}
			at, err := serverAt(args[0])
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

// serverAt reads an address: "office", "office:4222" or "tls://office:4222".
func serverAt(text string) (string, error) {
	wrong := usage.Error{Text: fmt.Sprintf("%q is no address of a server", text), Hint: "it is a host and a port, such as office:4222"}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if u.Scheme != "tls" && u.Scheme != "nats" || u.User != nil || strings.Trim(u.Path, "/") != "" {
			return "", wrong
		}
		text = u.Host
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), defaultPort
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" || strings.ContainsAny(host, " /,") {
		return "", wrong
	}
	return "tls://" + net.JoinHostPort(host, port), nil
}

// askCode reads the code from the terminal, or from what is piped in.
func askCode(cmd *cobra.Command) (members.Code, error) {
	if f, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(f.Fd()) {
		fmt.Fprint(cmd.ErrOrStderr(), "Code of the fleet: ")
	}
	typed, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 256)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return members.Code{}, err
	}
	code, err := members.ParseCode(typed)
	if err != nil {
		return code, usage.Error{Text: err.Error(), Hint: `"aoctl fleet invite" shows one on an owner's screen`}
	}
	return code, nil
}

// letterTime is how long a server has to hand over the invite's letter.
const letterTime = 15 * time.Second

// join uses an invite.
func join(cmd *cobra.Command, at string, code members.Code, as string) error {
	ctx := cmd.Context()
	letter, in, err := fetch(ctx, at, code)
	if err != nil {
		return err
	}
	if in.Role == members.Machine {
		return joinMachine(cmd, letter, code, as)
	}
	return joinPerson(cmd, letter, code, in.Role, as)
}

// fetch gets the invite's letter, and says what the invite is for. Nothing vouches for the server yet:
// the letter does, which only the code opens.
func fetch(ctx context.Context, at string, code members.Code) (letter members.Letter, in members.Invite, err error) {
	ctx, stop := context.WithTimeout(ctx, letterTime)
	defer stop()
	key, err := code.Key()
	if err != nil {
		return letter, in, err
	}
	line, err := jet.Dial(ctx, jet.Options{Servers: []string{at}, Unproved: true, Key: key, Name: "aoctl fleet join"})
	if err != nil {
		return letter, in, err
	}
	defer line.Close()
	if err = member.Up(ctx, line); err != nil {
		return letter, in, notUp(at, line, err)
	}
	raw, err := line.Invite(ctx, code.ID())
	var sealed seals.Sealed
	if err == nil {
		err = keys.Decode(raw, &sealed)
	}
	var plain []byte
	if err == nil {
		plain, err = seals.Of(code.Secret()).Open(code.ID(), sealed)
	}
	if err == nil {
		err = keys.Decode(plain, &letter)
	}
	var r members.Roster
	if err == nil {
		r, err = members.Read(letter.Roster)
	}
	if err != nil {
		return letter, in, noInvite(at, err.Error())
	}
	i := slices.IndexFunc(r.Invites, func(in members.Invite) bool { return slices.Equal(in.Key, key.Public().Sign) })
	if i < 0 {
		return letter, in, noInvite(at, members.ErrInvite.Error())
	}
	return letter, r.Invites[i], nil
}

// notUp says why a line with an invite's key is not up.
func notUp(at string, line *jet.Line, err error) error {
	if errors.Is(err, jet.ErrUnknown) {
		return noInvite(at, "it has no such code, or no longer")
	}
	return exit.Error{Code: exit.NoConsole, Text: fmt.Sprintf("no server of a fleet answers at %s: %s", plainServer(at), line.State().Err), Hint: "look at the address, and whether the server runs there: aoctl fleet up", Cause: err}
}

func noInvite(at, why string) error {
	return exit.Error{Code: exit.Forbidden, Text: fmt.Sprintf("the server at %s does not let you in: %s", plainServer(at), why), Hint: `have a new code shown, which is good once and for a short time: aoctl fleet invite`}
}

// enrol tells the fleet who joins, and returns what was told.
func enrol(ctx context.Context, me *member.Me, code members.Code, key keys.Key, name string, role members.Role) (keys.Signed, error) {
	invite, err := code.Key()
	if err != nil {
		return keys.Signed{}, err
	}
	line, err := me.Dial(ctx, invite)
	if err != nil {
		return keys.Signed{}, err
	}
	defer line.Close()
	if err := member.Up(ctx, line); err != nil {
		return keys.Signed{}, notUp(me.Servers[0], line, err)
	}
	s, err := members.Enrol(code, key, me.Roster().Fleet, name, role, time.Now().UTC())
	if err != nil {
		return s, err
	}
	// The owner's screen closes the invite as soon as it was used, and the server this line with it: the
	// answer may be lost then. Whoever is not in the fleet after that hears so.
	if err := line.Enrol(ctx, key.Public().ID(), s); err != nil && !errors.Is(err, jet.ErrOut) {
		return s, noInvite(me.Servers[0], err.Error())
	}
	return s, nil
}

// joinMachine has this machine's broker be in the fleet.
func joinMachine(cmd *cobra.Command, letter members.Letter, code members.Code, as string) error {
	name, err := machineName(as)
	if err != nil {
		return err
	}
	// The broker comes first, so that a code is not used up where none runs.
	return console.AtBroker(cmd, func(ctx context.Context, b *consoles.Client) error {
		if st, err := b.Fleet(ctx); err != nil || st.ID != "" {
			return inOne(st, err)
		}
		key, err := member.MachineKey()
		if err != nil {
			return err
		}
		me, err := member.New(letter.Roster, letter.Servers, letter.Pin)
		if err != nil {
			return err
		}
		joined, err := enrol(ctx, me, code, key, name, members.Machine)
		if err != nil {
			return err
		}
		if err := tellBroker(ctx, b, me, &joined); err != nil {
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

// tellBroker has the broker be in the fleet. joined is nil where the roster has the machine.
func tellBroker(ctx context.Context, b *consoles.Client, me *member.Me, joined *keys.Signed) error {
	m := consoles.Membership{Servers: me.Servers, Pin: me.Pin}
	var err error
	if m.Roster, err = keys.Encode(me.Signed()); err != nil {
		return err
	}
	if joined != nil {
		if m.Joined, err = keys.Encode(*joined); err != nil {
			return err
		}
	}
	return b.JoinFleet(ctx, m)
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
	ctx := cmd.Context()
	if _, err := enrol(ctx, me, code, me.Key, name, role); err != nil {
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
	name, err := machineName(as)
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
		if err := tellBroker(ctx, b, me, nil); err != nil {
			return err
		}
		return sayJoined(ctx, cmd, b, name)
	})
}
