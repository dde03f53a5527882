package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/store"
)

// server is the broker's process: a real broker over a real store and socket, and
// the decider, which must live in the same process because allowing is not possible
// over the socket.
type server struct {
	home   string
	broker *broker.Broker
}

// operator is who decides here.
var operator = broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}

// serve runs the broker in home and obeys the lines on standard input until they
// end. Every line is answered with one line of JSON; so is having started.
//
//	pending        how many calls wait
//	allow          allow all of them, from many callers at once
//	latency N      N decisions one at a time, each beside one fdatasync
//	throughput N   N synced decisions from many callers at once
func serve(home string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, closeAll, err := open(ctx, home)
	if err != nil {
		say(nil, err)
		return 1
	}
	defer closeAll()
	say(nil, nil)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		say(s.obey(ctx, lines.Text()))
	}
	return 0
}

// open starts the broker; the function returned ends it.
func open(ctx context.Context, home string) (*server, func(), error) {
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"))
	if err != nil {
		return nil, nil, fmt.Errorf("open the store: %w", err)
	}
	socket := filepath.Join(home, "broker.sock")
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	reader := vet.Start(vet.Options{Command: func() *exec.Cmd { return exec.Command(self, parseGuard) }}) //nolint:noctx // this very program, which ends with its input
	b, err := broker.New(ctx, st, broker.Options{Socket: socket, MaxPending: 20000, Rate: -1, Vet: reader})
	if err != nil {
		return nil, nil, fmt.Errorf("start the broker: %w", err)
	}
	l, err := broker.Listen(socket)
	if err != nil {
		return nil, nil, fmt.Errorf("listen: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var served sync.WaitGroup
	served.Go(func() {
		if err := b.Serve(ctx, l); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "bench: serve:", err)
		}
	})
	return &server{home: home, broker: b}, func() {
		cancel()
		served.Wait()
		_ = l.Close()
		_ = b.Close()
		_ = reader.Close()
		_ = st.Close()
	}, nil
}

// parseGuard makes this program the process that reads for the broker, as the console's
// own does.
const parseGuard = "parse-guard"

func guard() int {
	if vet.Serve(os.Stdin, os.Stdout, time.Minute, func() { os.Exit(1) }) != nil {
		return 1
	}
	return 0
}

func say(values map[string]float64, err error) {
	a := answer{Values: values}
	if err != nil {
		a.Err = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(a)
}

func (s *server) obey(ctx context.Context, line string) (map[string]float64, error) {
	word, arg, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(arg)
	if arg != "" && err != nil {
		return nil, fmt.Errorf("read %q: %w", line, err)
	}
	switch word {
	case "pending":
		return map[string]float64{"pending": float64(len(s.broker.Pending("")))}, nil
	case "allow":
		return nil, s.decideAll(ctx, s.broker.Pending(""))
	case "latency":
		return s.latency(ctx, n)
	case "throughput":
		return s.throughput(ctx, n)
	}
	return nil, fmt.Errorf("unknown command %q", line)
}

// decideAll allows reqs from many callers at once, each decision synced.
func (s *server) decideAll(ctx context.Context, reqs []broker.Request) error {
	jobs := make(chan broker.Request)
	errs := make(chan error, len(reqs))
	var callersDone sync.WaitGroup
	for range callers {
		callersDone.Go(func() {
			for r := range jobs {
				_, err := s.broker.Decide(ctx, r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest})
				errs <- err
			}
		})
	}
	for _, r := range reqs {
		jobs <- r
	}
	close(jobs)
	callersDone.Wait()
	close(errs)
	return join(errs)
}
