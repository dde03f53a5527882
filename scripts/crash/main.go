// Command crash kills a broker with SIGKILL at random moments, again and again,
// while clients ask and a decider decides, and checks each time that nothing that
// was acknowledged is lost, changed or doubled.
//
// What was acknowledged is kept outside of the broker's process, by the one who
// kills it: the decider's word comes through a pipe, one line after each Decide that
// returned; the clients' answers are seen here directly. After each kill the files
// are copied as the disk has them, a new broker takes over at once, and the copy is
// compared with the ledger and verified with "aoctl log verify".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "crash: broker's process:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.kills, "n", 50, "how often to kill the broker")
	flag.StringVar(&o.aoctl, "aoctl", "", "path of an aoctl program, for its log verify")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of the random moments")
	limit := flag.Duration("limit", 15*time.Minute, "give up after this long")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "crash: FAILED:", err)
		os.Exit(1)
	}
}

type options struct {
	kills int
	aoctl string
	seed  uint64
}

// run is one whole trial.
func run(ctx context.Context, o options) error {
	if o.aoctl == "" {
		return errors.New("-aoctl is not set")
	}
	dir, err := os.MkdirTemp("", "aoctl-crash")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	fmt.Printf("killing a broker %d times, seed %d\n", o.kills, o.seed)

	book := newLedger()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	load := startLoad(ctx, filepath.Join(home, "broker.sock"), book)
	moments := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // G404: random moments, no secrets
	var restarts []time.Duration
	for i := range o.kills {
		took, err := round(ctx, o, home, filepath.Join(dir, "copy"), book, moments)
		if err != nil {
			return fmt.Errorf("kill %d (seed %d): %w", i+1, o.seed, err)
		}
		restarts = append(restarts, took)
	}
	cancel()
	load.Wait()
	return conclude(context.WithoutCancel(ctx), o, home, book, restarts)
}

// round starts a broker, kills it after a random while, and checks what the disk has
// against what was acknowledged until then. It returns how long the start took.
func round(ctx context.Context, o options, home, copied string, book *ledger, moments *rand.Rand) (time.Duration, error) {
	p, err := startServer(ctx, home, book)
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(time.Duration(50+moments.IntN(650)) * time.Millisecond):
	case <-ctx.Done():
		p.kill()
		return 0, ctx.Err()
	case <-p.ended:
		return 0, errors.New("the broker ended by itself")
	}
	p.kill() // returns once the last word from the pipe is in the book
	acked := book.snapshot()
	if err := copyState(home, copied); err != nil {
		return 0, err
	}
	if err := verify(ctx, o.aoctl, copied); err != nil { // first: opening it for writing mends it
		return 0, err
	}
	return p.startTook, check(ctx, copied, acked)
}

// conclude checks everything once more on the real files and prints what was seen.
func conclude(ctx context.Context, o options, home string, book *ledger, restarts []time.Duration) error {
	acked := book.all()
	if err := check(ctx, home, acked); err != nil {
		return err
	}
	if err := verify(ctx, o.aoctl, home); err != nil {
		return err
	}
	events, err := checkOnce(ctx, home)
	if err != nil {
		return err
	}
	if len(acked.verdicts) == 0 || len(acked.answered) == 0 {
		return errors.New("nothing was decided, so nothing was tried")
	}
	slices.Sort(restarts)
	fmt.Printf("%d kills: %d decisions and %d answers to agents acknowledged, %d calls accepted; none lost, changed or doubled\n",
		o.kills, len(acked.verdicts), len(acked.answered), len(acked.created))
	fmt.Printf("log of %d events verified after every kill\n", events)
	fmt.Printf("start to listening: median %d ms, longest %d ms\n",
		restarts[len(restarts)/2].Milliseconds(), restarts[len(restarts)-1].Milliseconds())
	if longest := restarts[len(restarts)-1]; longest > time.Second {
		return fmt.Errorf("a restart took %s, more than a second", longest)
	}
	return nil
}

// verify runs aoctl log verify on the state in home.
func verify(ctx context.Context, aoctl, home string) error {
	cmd := exec.CommandContext(ctx, aoctl, "log", "verify")
	cmd.Env = append(os.Environ(), "AOCTL_HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("aoctl log verify: %w\n%s", err, out)
	}
	return nil
}

// copyState copies the database as the disk has it, with its write-ahead log.
func copyState(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("clear the copy: %w", err)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return fmt.Errorf("make the copy: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(from, "aoctl.db*"))
	if err != nil {
		return fmt.Errorf("list the database's files: %w", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f) //nolint:gosec // G304: in our own folder
		if err != nil {
			return fmt.Errorf("read %s: %w", f, err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), data, 0o600); err != nil { //nolint:gosec // G703: in our own folder
			return fmt.Errorf("write the copy of %s: %w", f, err)
		}
	}
	return nil
}
