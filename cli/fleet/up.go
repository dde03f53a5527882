package fleet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui/safe"
)

// serverProgram is the program that is the server. aoctl itself has none of it: every hook run would
// wait for that to start.
const serverProgram = "aoctl-fleet"

// upOptions are the flags of up.
type upOptions struct {
	listen, address, folder string
	also                    []string // where the other servers of the cluster are reached
	server                  []string // the other flags, as the server takes them
}

func newUpCommand() *cobra.Command {
	var o upOptions
	var cluster, clusterListen string
	var routes []string
	var replicas, days, gib int
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run a server of your fleet here",
		Long: `up runs a server of the fleet until it is interrupted. It is for the fleet's owner; once
its folder has been made, anybody may run it there. The server carries what machines tell
and what people order; it can read none of it, and can allow nothing.

Machines and people connect to --address, which they learn when they join. Three servers
that know each other go on when one of them fails: see docs/fleet.md.`,
		Example: "  aoctl fleet up\n  aoctl fleet up --listen 0.0.0.0:4222 --address office.example:4222",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cluster == "" && len(routes)+len(o.also) > 0 {
				return usage.Error{Text: "--route and --also are for the servers of a cluster", Hint: "name it with --cluster-name"}
			}
			if cluster != "" {
				o.server = append(o.server, "--cluster-name", cluster, "--cluster-listen", clusterListen, "--replicas", fmt.Sprint(replicas))
			}
			if replicas != 1 && replicas != 3 && replicas != 5 {
				return usage.Error{Text: fmt.Sprintf("--replicas %d cannot be", replicas), Hint: "it is 1, 3 or 5"}
			}
			if days < 1 || days > 36500 || gib < 1 || gib > 1<<20 {
				return usage.Error{Text: fmt.Sprintf("--keep-days %d and --keep-gib %d cannot be", days, gib), Hint: "both are at least 1"}
			}
			o.server = append(o.server, "--keep-days", fmt.Sprint(days), "--max-events", fmt.Sprint(int64(gib)<<30))
			for _, r := range routes {
				o.server = append(o.server, "--route", r)
			}
			return up(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", "0.0.0.0:"+member.DefaultPort, "where the server listens")
	cmd.Flags().StringVar(&o.address, "address", "", "where others reach it, host:port; this machine's name and the port when not given")
	cmd.Flags().StringVar(&o.folder, "folder", "", "where it keeps what it has; fleet in the state folder when not given")
	cmd.Flags().StringVar(&cluster, "cluster-name", "", "the cluster that this server is one of")
	cmd.Flags().StringVar(&clusterListen, "cluster-listen", "0.0.0.0:6222", "where the other servers of the cluster connect")
	cmd.Flags().StringSliceVar(&routes, "route", nil, "the address of another server of the cluster; may be repeated")
	cmd.Flags().StringSliceVar(&o.also, "also", nil, "where others reach another server of the cluster, host:port; may be repeated")
	cmd.Flags().IntVar(&replicas, "replicas", 3, "how many servers of a cluster have each message: 1, 3 or 5")
	cmd.Flags().IntVar(&days, "keep-days", 90, "how many days events are kept")
	cmd.Flags().IntVar(&gib, "keep-gib", 8, "how many GiB of events are kept; when they are full, what is new waits at its machine")
	_ = cmd.MarkFlagDirname("folder") // the flag exists
	return cmd
}

// up runs the server until ctx ends.
func up(ctx context.Context, o upOptions, out, errs io.Writer) error {
	at, err := o.reachedAt()
	if err != nil {
		return err
	}
	program, err := findServer()
	if err != nil {
		return err
	}
	for i, other := range o.also {
		if o.also[i], err = member.ServerAt(other); err != nil {
			return err
		}
	}
	if o.folder == "" {
		dir, err := paths.StateDir()
		if err != nil {
			return err
		}
		o.folder = filepath.Join(dir, "fleet")
	}
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return err
	}
	args := append([]string{"--folder", o.folder, "--listen", o.listen}, o.server...)
	me, err := member.Load()
	_, none := os.Stat(filepath.Join(o.folder, "roster"))
	switch {
	case none != nil && err != nil: // nothing says of which fleet the server is
		return err
	case none != nil && !isOwner(me):
		return exit.Error{Code: exit.Forbidden, Text: "only an owner of the fleet begins a server", Hint: "one more takes the key and the roster of the first: docs/fleet.md"}
	case err == nil:
		file, err := rosterFile(me)
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(file) }()
		args = append(args, "--roster", file)
	case !member.InNone(err):
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // our own program
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = &plainLog{to: errs, all: !isTerminal(errs)}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	said := sayUp(stdout, me, at, o.also, out)
	err = cmd.Wait()
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		return said
	}
	return exit.Error{Code: exit.Failed, Text: "the fleet's server ended: " + exit.RootCause(err).Error(), Hint: "what it said stands above", Cause: err}
}

func isOwner(me *member.Me) bool {
	m, ok := me.Member()
	return ok && m.Role == members.Owner
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// plainLog is where the server says what it has to say. A file gets all of it; a person at a terminal
// gets what is wrong, and not that all is well.
type plainLog struct {
	to   io.Writer
	all  bool
	rest []byte // a line that is not whole yet
}

func (l *plainLog) Write(p []byte) (int, error) {
	if l.all {
		return l.to.Write(p)
	}
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.rest = rest
		var said struct{ Level, Msg, Text, Err string }
		text := string(line)
		if json.Unmarshal(line, &said) == nil && said.Level != "" {
			if said.Level == "INFO" {
				continue
			}
			text = strings.Join(slices.DeleteFunc([]string{said.Msg, said.Text, said.Err}, func(s string) bool { return s == "" }), ": ")
		}
		if err := show.Line(l.to, safe.Line(text)); err != nil {
			return 0, err
		}
	}
}

// findServer finds the server's program: beside aoctl, or in the path.
func findServer() (string, error) {
	if exe, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(exe), serverProgram)); err == nil {
			return beside, nil
		}
	}
	program, err := exec.LookPath(serverProgram)
	if err != nil {
		return "", exit.Error{Code: exit.Failed, Text: "there is no program " + serverProgram + " beside aoctl, nor in the path", Hint: "it is in aoctl's archive; from the source: go install ./broker/fleet/" + serverProgram, Cause: err}
	}
	return program, nil
}

// reachedAt is the address that others get.
func (o upOptions) reachedAt() (string, error) {
	_, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return "", usage.Error{Text: fmt.Sprintf("--listen %q is no address", o.listen), Hint: "it is HOST:PORT, such as 0.0.0.0:4222"}
	}
	if o.address != "" {
		if _, _, err := net.SplitHostPort(o.address); err != nil && !strings.Contains(o.address, "/") {
			return member.ServerAt(net.JoinHostPort(strings.Trim(o.address, "[]"), port))
		}
		return member.ServerAt(o.address)
	}
	host, err := os.Hostname()
	if err != nil {
		return "", usage.Error{Text: "this machine's name cannot be told", Hint: "say with --address where others reach the server"}
	}
	return member.ServerAt(net.JoinHostPort(host, port))
}

// rosterFile writes the roster down for the server.
func rosterFile(me *member.Me) (string, error) {
	raw, err := keys.Encode(me.Signed())
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "aoctl-roster-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// sayUp waits for the server's line, notes for those who will join where it is, and says so.
func sayUp(stdout io.Reader, me *member.Me, at string, also []string, out io.Writer) error {
	line, err := bufio.NewReader(io.LimitReader(stdout, 4<<10)).ReadBytes('\n')
	if err != nil {
		return nil //nolint:nilerr // it ended, and says itself why
	}
	var ready struct{ URL, Pin string }
	if err := json.Unmarshal(line, &ready); err != nil {
		return fmt.Errorf("read what the server says: %w", err)
	}
	pin, err := hex.DecodeString(ready.Pin)
	if err != nil {
		return fmt.Errorf("read the server's pin: %w", err)
	}
	if u, err := url.Parse(ready.URL); err == nil && u.Port() != "" {
		if host, port, err := net.SplitHostPort(member.PlainServer(at)); err == nil && port == "0" {
			at = "tls://" + net.JoinHostPort(host, u.Port())
		}
	}
	if me != nil {
		if err := me.Serve(pin, append([]string{at}, also...)...); err != nil {
			return err
		}
	}
	return show.Line(out, safe.Line(fmt.Sprintf("The fleet's server is at %s. Invite a machine or a person: aoctl fleet invite", member.PlainServer(at))))
}
