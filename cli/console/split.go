package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/tmux"
)

// splitOptions are the flags of "aoctl split". size is as tmux takes it, "" for half the
// pane.
type splitOptions struct {
	below  bool
	size   string
	socket string
	args   []string // for the console
}

// newSplitCommand declares "split". --horizontal says the default aloud, for who looks for
// it.
func newSplitCommand() *cobra.Command {
	var o splitOptions
	var beside bool
	cmd := &cobra.Command{
		Use:   "split [-- FLAG…]",
		Short: "Open the console beside this pane of tmux",
		Long: `split opens the console in a new pane of tmux, to the right of this one, or with -v
below it. It is this very aoctl with the same socket and the same state; flags behind --
are the console's own. Where a console runs already, split goes to its pane instead.`,
		Example: "  aoctl split\n  aoctl split -v --size 40%\n  aoctl split -- --timeout 30m --desktop",
		Args: func(cmd *cobra.Command, args []string) error {
			// Arguments are the console's only when all of them stand behind "--".
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return usage.NoArgs(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.size != "" && !tmux.ValidSize(o.size) {
				return usage.Error{Text: fmt.Sprintf("--size %q is no size", o.size), Hint: "give a number of cells, such as 60, or a share, such as 40%"}
			}
			if o.socket, err = client.SocketPath(cmd); err != nil {
				return err
			}
			o.args = args
			return split(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&beside, "horizontal", false, "to the right of this pane (the default)")
	cmd.Flags().BoolVarP(&o.below, "vertical", "v", false, "below this pane")
	cmd.Flags().StringVar(&o.size, "size", "", "the new pane's width, or with -v its height: cells, or a share such as 40%")
	cmd.MarkFlagsMutuallyExclusive("horizontal", "vertical")
	return cmd
}

// split opens a pane of tmux with the console in it, or goes to the pane in which the
// console of this socket already runs. It returns when the new console holds its socket.
func split(ctx context.Context, o splitOptions, out io.Writer) error {
	here, err := tmux.Here()
	switch {
	case errors.Is(err, tmux.ErrOutside):
		return exit.Error{
			Code: exit.Failed, Text: "split opens a pane of tmux, and this is no pane of tmux", Cause: err,
			Hint: `start tmux first, or open the console in this terminal with "aoctl"`,
		}
	case err != nil:
		return exit.Error{Code: exit.Failed, Text: err.Error(), Hint: "install tmux, or see your PATH", Cause: err}
	}
	if pid := holder(o.socket); pid != 0 && !serves(ctx, pid) {
		return goToConsole(ctx, here, pid, o.socket, out)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find aoctl's own program: %w", err)
	}
	// The command line has no secrets: tmux shows it to anybody who asks.
	pane, err := here.Open(ctx, tmux.Split{
		Below: o.below, Size: o.size, Env: splitEnv(os.Environ()), Program: append([]string{program, "--socket", o.socket}, o.args...),
	})
	if err != nil {
		return exit.Error{Code: exit.Failed, Text: err.Error(), Hint: "is there room for another pane? is tmux 3.1 or newer?", Cause: err}
	}
	if err := untilOpen(ctx, here, pane, o.socket); err != nil {
		return err
	}
	return show.Line(out, "The console is open in pane "+pane+".")
}

// splitNames are the variables that say what console there is to be. tmux gives a pane the
// environment of its server, not that of who asks. A token is none of them: others may look
// at command lines.
var splitNames = []string{
	"AOCTL_HOME", "AOCTL_NO_BELL", "AOCTL_NOTIFY", config.TimeoutEnv, "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
	"NO_COLOR", "VISUAL", "EDITOR",
}

// splitEnv is what a new pane's console needs of env.
func splitEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, ok := strings.Cut(kv, "=")
		return !ok || !slices.Contains(splitNames, name)
	})
}

// holder is the pid of the console that holds socket, 0 when none does, and -1 when it
// cannot be told which. A lock file that cannot be read counts as no console: opening one
// then says what is wrong.
func holder(socket string) int {
	pid, held, err := state.Holder(socket)
	switch {
	case err != nil || !held:
		return 0
	case pid <= 0:
		return -1
	}
	return pid
}

// serves reports whether process pid is "aoctl serve", which has no screen to go to. Where that cannot
// be told it is a console.
func serves(ctx context.Context, pid int) bool {
	args, err := exec.CommandContext(ctx, "ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output() //nolint:gosec // a number
	return err == nil && slices.Contains(strings.Fields(string(args)), "serve")
}

// goToConsole jumps to the pane in which console pid runs. The console may be a child of
// the pane's shell, so the processes above it are looked at. One in another terminal is an
// error that says where it is not.
func goToConsole(ctx context.Context, here tmux.Server, pid int, socket string, out io.Writer) error {
	panes, err := here.Panes(ctx)
	if err != nil {
		return err
	}
	console := peers.FindProcess(pid)
	for _, p := range panes {
		// A pane whose processes cannot be read is passed over; another one may fit.
		if in, err := peers.Within(console, p.PID); err != nil || !in {
			continue
		}
		pane, _ := here.Find(panes, p.ID)
		if err := here.Jump(ctx, pane); err != nil {
			return err
		}
		return show.Line(out, fmt.Sprintf("The console runs already, as pid %d in pane %s.", pid, pane.ID))
	}
	return exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("a console runs already, as pid %d, in no pane of this tmux", pid),
		Hint: "it holds " + socket + "; use that one, or quit it first",
	}
}

// openTime is how long a new console may take until it holds its socket. A large database
// takes its time to open.
const openTime = 30 * time.Second

// untilOpen waits until the console in pane holds socket. A pane that has closed again took
// with it what the console said. There is no event to wait for, so it looks again and
// again.
func untilOpen(ctx context.Context, here tmux.Server, pane, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	for holder(socket) == 0 {
		panes, err := here.Panes(ctx)
		if err == nil {
			if p, found := here.Find(panes, pane); !found || p.Dead {
				return exit.Error{Code: exit.Failed, Text: "the console ended at once", Hint: `"aoctl" in this terminal says why`}
			}
		}
		if waitFor(ctx, 20*time.Millisecond) != nil {
			return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("the console in pane %s has not opened within %v", pane, openTime), Hint: "look at that pane"}
		}
	}
	return nil
}
