package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/vet"
	"github.com/aoctl/aoctl/store"
)

// Server is the broker's process: a real broker over a real store and socket, and
// the decider, which must live in the same process because allowing is not possible
// over the socket.
type Server struct {
	Home   string
	Broker *service.Broker
}

// Command is what one line to the broker's process does; n is the number behind its
// word, 0 when there is none.
type Command func(ctx context.Context, s *Server, n int) (map[string]float64, error)

// Callers is how many decide at a time where there is much to decide.
const Callers = 64

// Operator is who decides here.
var Operator = broker.Actor{Kind: broker.ByOperator, PID: os.Getpid()}

// parseGuard makes a program the process that reads for its broker, as the console has
// one.
const parseGuard = "parse-guard"

// Child is for the start of main: it reports whether this process is one that Start, or
// a broker, has started from the program, and if so does its work and returns the exit
// code.
func Child(o service.Options, commands map[string]Command) (code int, is bool) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == parseGuard:
		if vet.Serve(os.Stdin, os.Stdout, time.Minute, func() { os.Exit(1) }) != nil {
			return 1, true
		}
		return 0, true
	case len(os.Args) == 3 && os.Args[1] == "serve":
		return serve(os.Args[2], o, commands), true
	}
	return 0, false
}

// serve runs a broker in home and obeys the lines on standard input until they end.
// Every line is answered with one line of JSON; so is having started. Beside the
// commands given there are:
//
//	pending   how many calls wait
//	allow     allow all of them, from many callers at once
//
// It returns the exit code.
func serve(home string, o service.Options, commands map[string]Command) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, closeAll, err := open(ctx, home, o)
	if err != nil {
		say(nil, err)
		return 1
	}
	defer closeAll()
	say(nil, nil)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		say(s.obey(ctx, lines.Text(), commands))
	}
	return 0
}

// open starts the broker; the function returned ends it.
func open(ctx context.Context, home string, o service.Options) (*Server, func(), error) {
	go service.SaveMemory(ctx)
	st, err := store.Open(ctx, filepath.Join(home, "aoctl.db"))
	if err != nil {
		return nil, nil, fmt.Errorf("open the store: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	reader := vet.Start(vet.Options{Command: func() *exec.Cmd { return exec.Command(self, parseGuard) }}) //nolint:noctx // this very program, which ends with its input
	o.Vet = reader
	o.Socket = filepath.Join(home, "broker.sock")
	b, err := service.New(ctx, st, o)
	if err != nil {
		return nil, nil, fmt.Errorf("start the broker: %w", err)
	}
	l, err := api.Listen(o.Socket)
	if err != nil {
		return nil, nil, fmt.Errorf("listen: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var served sync.WaitGroup
	served.Go(func() {
		if err := b.Serve(ctx, l); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "serve:", err)
		}
	})
	return &Server{Home: home, Broker: b}, func() {
		cancel()
		served.Wait()
		_ = l.Close()
		_ = b.Close()
		_ = reader.Close()
		_ = st.Close()
	}, nil
}

func say(values map[string]float64, err error) {
	a := answer{Values: values}
	if err != nil {
		a.Err = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(a)
}

func (s *Server) obey(ctx context.Context, line string, commands map[string]Command) (map[string]float64, error) {
	word, arg, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(arg)
	if arg != "" && err != nil {
		return nil, fmt.Errorf("read %q: %w", line, err)
	}
	if do, ok := commands[word]; ok {
		return do(ctx, s, n)
	}
	switch word {
	case "pending":
		return map[string]float64{"pending": float64(len(s.Broker.Pending("")))}, nil
	case "allow":
		return nil, s.DecideAll(ctx, s.Broker.Pending(""))
	}
	return nil, fmt.Errorf("unknown command %q", line)
}

// DecideAll allows reqs from many callers at once, each decision synced.
func (s *Server) DecideAll(ctx context.Context, reqs []broker.Request) error {
	jobs := make(chan broker.Request)
	errs := make(chan error, len(reqs))
	var again atomic.Int64
	var callersDone sync.WaitGroup
	for range Callers {
		callersDone.Go(func() {
			for r := range jobs {
				anew, err := s.Decide(ctx, r, broker.Decision{Verdict: broker.Allow, By: Operator})
				if anew {
					again.Add(1)
				}
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
	if n := again.Load(); n > 0 {
		fmt.Fprintf(os.Stderr, "  %d of %d cards were not read when they came, and looked at twice\n", n, len(reqs))
	}
	return Join(errs)
}

// Decide decides r as a person does: when the card turns out to be another than the one
// that was looked at, as after a burst in which it could not be read at once, it is
// looked at anew, and decided the same way. anew reports that.
func (s *Server) Decide(ctx context.Context, r broker.Request, d broker.Decision) (anew bool, err error) {
	d.Digest = r.Digest
	_, err = s.Broker.Decide(ctx, r.ID, d)
	if errors.Is(err, broker.ErrChanged) || errors.Is(err, broker.ErrReadAnew) {
		anew = true
		_, err = s.Broker.Decide(ctx, r.ID, d)
	}
	return anew, err
}
