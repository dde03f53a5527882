package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/jet"
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
	owner    string // the id of whoever made the invite
	codeFile string
	as       string

	code members.Code
	name string
}

// flags adds them to serve.
func (g *guestOptions) flags(cmd *cobra.Command) {
	const on, server, owner, file, as = "ephemeral", "join", "owner", "join-code-file", "as"
	cmd.Flags().BoolVar(&g.on, on, false, "join a fleet, and leave nothing behind at the end: for containers and CI")
	cmd.Flags().StringVar(&g.server, server, "", "with --ephemeral, the fleet's server, such as office:4222")
	cmd.Flags().StringVar(&g.owner, owner, "", `with --ephemeral, the key of the owner who made the code, as "aoctl fleet invite --many" shows it`)
	cmd.Flags().StringVar(&g.codeFile, file, "", "with --ephemeral, the file that has the code; standard input when not given")
	cmd.Flags().StringVar(&g.as, as, "", "with --ephemeral, what the fleet calls this machine; its host name when not given")
	for _, other := range []string{"pair", takeUpFlag, onEmptyFlag, "observe", "on-wait-token"} { // the fleet's people decide
		cmd.MarkFlagsMutuallyExclusive(on, other)
	}
}

// memberID is how a member's key is named.
var memberID = regexp.MustCompile(`^[a-z2-7]{26}$`)

// read completes them. Errors: usage.Error, exit.Error.
// late is what becomes of a call that nobody answers in time.
func (g *guestOptions) read(cmd *cobra.Command, late string) (err error) {
	if !g.on {
		if g.server != "" || g.owner != "" || g.codeFile != "" || g.as != "" {
			return usage.Error{Text: "--join, --owner, --join-code-file and --as are for --ephemeral", Hint: `any other broker joins with "aoctl fleet join"`}
		}
		return nil
	}
	if late != string(broker.Deny) { // no prompt of an agent's own, and nothing is kept for later
		return usage.Error{Text: fmt.Sprintf("--ephemeral refuses what nobody answers in time, and on-timeout is %q", late), Hint: "give --on-timeout deny"}
	}
	const whole = `"aoctl fleet invite --many" shows the whole command`
	if g.server == "" {
		return usage.Error{Text: "--ephemeral needs the fleet's server: --join HOST:PORT", Hint: whole}
	}
	if g.owner == "" {
		return usage.Error{Text: "--ephemeral needs the key of the owner who made the code: --owner KEY", Hint: whole}
	}
	if !memberID.MatchString(g.owner) {
		return usage.Error{Text: fmt.Sprintf("--owner %q is not the key of the owner who made the code: it has 26 letters and digits", g.owner), Hint: whole}
	}
	if g.server, err = member.ServerAt(g.server); err != nil {
		return err
	}
	if g.name, err = member.MachineName(g.as); err != nil {
		return err
	}
	if _, err = newState(); err != nil { // before a code is asked for
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

// newState is the state folder, which must be new. Nothing that somebody may need is in it then.
func newState() (dir string, err error) {
	dir, err = paths.StateDir()
	if err != nil {
		return "", err
	}
	list, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(list) == 0 {
		return dir, nil
	}
	if err != nil {
		return "", err
	}
	return "", exit.Error{Code: exit.Failed, Text: fmt.Sprintf("--ephemeral removes its state folder at the end, and %s has something in it", dir), Hint: "set AOCTL_HOME to a folder that does not exist yet, for the broker and its agents"}
}

// fetch gets what the code opens. Whoever knows the code can make such a letter, and there may be somebody like that
// on the way to the server, so it counts only where the owner signed it who made the invite.
func (g *guestOptions) fetch(ctx context.Context) (members.Invited, error) {
	in, err := member.Fetch(ctx, g.server, g.code)
	if err != nil {
		return in, err
	}
	wrong := ""
	switch by := in.By.ID(); {
	case by != g.owner:
		wrong = fmt.Sprintf("the fleet at %s is another one than --owner says: %s made the code", member.PlainServer(g.server), by)
	case in.To.Role != members.Machine:
		wrong = fmt.Sprintf("the code is for %s, and this is a machine", in.To.Role.One())
	case !in.To.Many:
		wrong = "the code is for one machine, which stays in the fleet"
	case time.Until(in.To.Until) <= endBefore:
		wrong = "the code is good until " + in.To.Until.Local().Format(time.TimeOnly) + ", which is now"
	default:
		return in, nil
	}
	return in, exit.Error{Code: exit.Forbidden, Text: wrong, Hint: `"aoctl fleet invite --many" makes one for jobs, and shows the whole command`}
}

const (
	// The end of a guest may take so long to refuse what waits, and to tell the fleet what is on record. With
	// closeTime that is less than the ten seconds after which what runs containers kills them.
	refuseTime, untoldTime = time.Second, 3 * time.Second
	// endBefore is how long before the end of its invite a guest ends, so that it can tell what is on record.
	endBefore = 10 * time.Second
	// unknownMost is for how many seconds no server may know a guest.
	unknownMost = 30
)

// serveGuest serves as a guest of a fleet until ctx ends, the invite is over, or serving fails. The state
// folder is removed then, if the fleet has all that is on record.
func (o *serveOptions) serveGuest(ctx context.Context, out io.Writer) error {
	in, err := o.guest.fetch(ctx)
	if err != nil {
		return err
	}
	dir, err := newState() // somebody may have used it while the code was read
	if err != nil {
		return err
	}
	a, err := Open(ctx, o.Options)
	if err != nil {
		return err
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		a.Close()
		return err
	}
	g := guest{a, dir, folder}
	err = g.join(ctx, o.guest, in.Letter)
	if err == nil {
		err = g.sayReady(o, out)
	}
	if err == nil {
		err = g.serve(ctx, in.To.Until.Add(-endBefore))
	}
	return g.leave(err)
}

// guest is a broker that is in a fleet for as long as it runs.
type guest struct {
	*App
	dir    string // the state folder
	folder *os.Root
}

// join has the broker be in the fleet that a letter is of.
func (g guest) join(ctx context.Context, o guestOptions, letter members.Letter) error {
	m, err := member.EnrolMachine(ctx, letter, o.code, o.name)
	if err != nil {
		return err
	}
	return g.fleet.Join(ctx, m, broker.Actor{Kind: broker.ByBroker})
}

func (g guest) sayReady(o *serveOptions, out io.Writer) error {
	o.sayConfig()
	if o.json {
		return g.sayWhere(out)
	}
	return show.Line(out, safe.Line(fmt.Sprintf("aoctl serves on %s (pid %d), in fleet %s as %s.", g.socket, os.Getpid(), g.fleet.Status().Name, o.guest.name)))
}

// serve serves until ctx ends, or until over.
func (g guest) serve(ctx context.Context, over time.Time) error {
	g.beside(func(ctx context.Context) {
		g.denyUnseenBy(ctx, func() bool { return g.fleet.Status().Up }, g.whyUnseen)
	})
	end := time.NewTimer(time.Until(over))
	defer end.Stop()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	unknown := 0 // looks for which no server has known the machine
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-end.C:
			return exit.Error{Code: exit.Failed, Text: "the invite is over, and with it this machine's time in the fleet", Hint: "have another code shown, for longer: aoctl fleet invite --many --for"}
		case <-look.C:
			st := g.fleet.Status()
			// Whoever is put out often loses the line before they have read so. A server that only starts knows nobody
			// either, for a moment.
			if unknown++; st.Up || st.Problem != jet.ErrUnknown.Error() {
				unknown = 0
			}
			if st.ID == "" || unknown >= unknownMost {
				return exit.Error{Code: exit.Failed, Text: "this machine was put out of the fleet", Hint: "ask an owner of the fleet"}
			}
		case <-g.served:
			return g.serveErr
		}
	}
}

// whyUnseen is why a call is refused that nobody in the fleet can have seen. The sentence goes on from "because".
func (g guest) whyUnseen() string {
	why := ""
	if p := g.fleet.Status().Problem; p != "" {
		why = " (" + broker.Clip(p) + ")"
	}
	return "no server of the fleet could be reached" + why + ", so nobody could answer"
}

// leave ends the guest, because of why: it refuses what waits, tells the fleet what is on record and that this
// machine is gone, and removes the state folder. What cannot be told stays there.
func (g guest) leave(why error) error {
	defer func() { _ = g.folder.Close() }()
	g.refuseAll()
	g.endBroker() // so nothing more is on record after this
	ctx, stop := context.WithTimeout(context.Background(), untoldTime)
	defer stop()
	told, err := g.fleet.Withdraw(ctx)
	if head, _ := g.store.Head(); head == 0 { // it did not join
		told, err = true, nil
	}
	g.Close()
	if !told {
		return g.kept(why, err)
	}
	if err != nil && why == nil {
		exit.PrintProblem(os.Stderr, "the fleet was not told that this machine is gone: "+exit.RootCause(err).Error(), "it is listed until its invite is over")
	}
	if err := g.empty(); err != nil {
		return errors.Join(why, fmt.Errorf("the state folder is not removed: %w", err))
	}
	return why
}

// kept is the end of a guest, because of why, whose log the fleet has not all of.
func (g guest) kept(why, untold error) error {
	e := exit.Error{Code: exit.Failed, Text: fmt.Sprintf("the fleet was not told all that is on record, which stays in %s: %v", g.dir, untold), Hint: `with AOCTL_HOME set to that folder, "aoctl log" shows it, and "aoctl serve" tells the rest while the invite is open`, Cause: untold}
	if why != nil {
		e.Text, e.Hint = fmt.Sprintf("%v; %s", why, e.Text), `with AOCTL_HOME set to that folder, "aoctl log" shows it`
	}
	return e
}

// refuseAll refuses what waits, also what comes meanwhile, for a second.
func (g guest) refuseAll() {
	ctx, stop := context.WithTimeout(context.Background(), refuseTime)
	defer stop()
	for {
		waiting := g.Broker.Pending("")
		if len(waiting) == 0 {
			return
		}
		for i := range waiting {
			g.refuse(ctx, &waiting[i], "this machine's broker ended, so nobody could answer")
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// empty removes all that is in the state folder, and the folder where that may be: something may be mounted there.
// What stands at its path by now, such as a link, may be another folder, which nobody touches.
func (g guest) empty() error {
	d, err := g.folder.Open(".")
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	mine, statErr := d.Stat()
	_ = d.Close() // read to its end
	if err = errors.Join(err, statErr); err != nil {
		return err
	}
	for _, name := range names {
		if err := g.folder.RemoveAll(name); err != nil {
			return err
		}
	}
	if at, err := os.Lstat(g.dir); err == nil && os.SameFile(at, mine) {
		_ = os.Remove(g.dir)
	}
	return nil
}
