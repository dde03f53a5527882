package e2e

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aoctl/aoctl/broker/peers"
)

// Actors of the scripts about threats:
//
//	falsely ANSWER               something answers at the socket with that file's bytes, whatever it is asked
//	slowpeers open N             N connections send half a head, N more half a body, and then nothing
//	slowpeers closed             all of them were closed
func init() {
	scriptCommands["falsely"] = cmdFalsely
	scriptCommands["slowpeers"] = cmdSlowpeers
}

// conditions are [root], [agent] (the tests were started by a coding agent, beneath which nothing is a
// person's terminal) and [orphan] (what started them has ended, so a broker that it did not start
// cannot tell whose terminals these are).
func conditions(cond string) (bool, error) {
	switch cond {
	case "root":
		return os.Geteuid() == 0, nil
	case "agent":
		return peers.BornOfAgentHere() != "", nil
	case "orphan":
		chain, err := peers.SteadyLineage(os.Getpid())
		return err == nil && peers.CutOff(chain, nil, runsShell), err
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// runsShell reports whether pid runs a shell.
func runsShell(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.HasSuffix(strings.TrimSpace(string(name)), "sh")
}

// cmdFalsely is a console that is none: its lock file is right, its answers are not.
func cmdFalsely(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: falsely ANSWER")
	}
	answer := strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
	socket := filepath.Join(ts.Getenv("AOCTL_HOME"), "broker.sock")
	ts.Check(os.MkdirAll(filepath.Dir(socket), 0o700))
	_ = os.Remove(socket)
	ln, err := net.Listen("unix", socket)
	ts.Check(err)
	ts.Check(os.WriteFile(socket+".lock", []byte(strconv.Itoa(os.Getpid())), 0o600))
	ts.Defer(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				_ = c.SetDeadline(time.Now().Add(waitTime))
				buf := make([]byte, 64<<10)
				n, _ := c.Read(buf) // the question; what it says matters only for its correlation
				_, rest, _ := strings.Cut(string(buf[:n]), "Aoctl-Correlation: ")
				id, _, _ := strings.Cut(rest, "\r\n")
				_, _ = io.WriteString(c, strings.ReplaceAll(answer, "CORRELATION", id))
			}()
		}
	}()
}

// slowPeers are the connections of one script.
type slowPeers struct{ conns []net.Conn }

type slowKey struct{}

func cmdSlowpeers(ts *testscript.TestScript, neg bool, args []string) {
	values, ok := ts.Value(slowKey{}).(*slowPeers)
	switch {
	case neg || !ok:
		ts.Fatalf("usage: slowpeers open N | closed")
	case len(args) == 2 && args[0] == "open":
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		ts.Check(values.open(filepath.Join(ts.Getenv("AOCTL_HOME"), "broker.sock"), n))
		ts.Defer(values.close)
	case len(args) == 1 && args[0] == "closed":
		ts.Check(values.closed())
	default:
		ts.Fatalf("unknown: slowpeers %s", strings.Join(args, " "))
	}
}

func (s *slowPeers) open(socket string, n int) error {
	for range n {
		for _, half := range []string{
			"POST /request-approval HTTP/1.1\r\nHost: a",
			"POST /request-approval HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"session_id\":",
		} {
			c, err := net.Dial("unix", socket)
			if err != nil {
				return err
			}
			s.conns = append(s.conns, c)
			if _, err := io.WriteString(c, half); err != nil {
				return err
			}
		}
	}
	return nil
}

// closed waits for the other end to close them all.
func (s *slowPeers) closed() error {
	deadline := time.Now().Add(waitTime)
	for i, c := range s.conns {
		if err := c.SetReadDeadline(deadline); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("connection %d is still open", i)
		}
	}
	return nil
}

func (s *slowPeers) close() {
	for _, c := range s.conns {
		_ = c.Close()
	}
}
