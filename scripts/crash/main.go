// Command crash kills a broker with SIGKILL at random moments, again and again,
// while clients ask and a decider decides, and checks each time that nothing that
// was acknowledged is lost, changed or doubled.
//
// What was acknowledged is kept outside of the broker's process, by the one who
// kills it: the decider's word comes through a pipe, one line after each Decide that
// returned; the clients' answers are seen here directly. After each kill the files
// are copied as the disk has them, and the copy is verified with "aoctl log verify",
// which has SQLite check the file as well, and compared with the ledger.
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
	limit := flag.Duration("limit", 20*time.Minute, "give up after this long")
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

// killsPerFolder bounds what each check has to read: after so many kills a fresh state
// folder takes over, and the old one is checked as a whole.
const killsPerFolder = 20

// run is one whole trial.
func run(ctx context.Context, o options) error {
	if o.aoctl == "" || o.kills < 1 {
		return errors.New("-aoctl is not set, or -n is less than 1")
	}
	dir, err := os.MkdirTemp("", "aoctl-crash")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	fmt.Printf("killing a broker %d times, seed %d\n", o.kills, o.seed)
	began := time.Now()
	moments := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // G404: random moments, no secrets
	var all tally
	for all.kills < o.kills {
		home := filepath.Join(dir, fmt.Sprintf("home-%d", all.kills))
		err := folder(ctx, o, home, min(killsPerFolder, o.kills-all.kills), moments, &all)
		if err != nil {
			return fmt.Errorf("kill %d (seed %d; what was left is in %s): %w", all.kills+1, o.seed, dir, err)
		}
		if err := os.RemoveAll(home); err != nil {
			return fmt.Errorf("clear %s: %w", home, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear %s: %w", dir, err)
	}
	return all.report(time.Since(began))
}

// folder kills n brokers on one state folder, checks it, and adds to all.
func folder(ctx context.Context, o options, home string, n int, moments *rand.Rand, all *tally) error {
	if err := os.Mkdir(home, 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	book := newLedger()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	load := startLoad(ctx, filepath.Join(home, "broker.sock"), book)
	for i := range n {
		early := i > 0 && moments.IntN(10) == 0 // the first one has a database to make
		took, err := round(ctx, o, home, early, book, moments, &all.found)
		if err != nil {
			return err
		}
		all.kills++
		if took > 0 {
			all.restarts = append(all.restarts, took)
		}
	}
	cancel()
	load.Wait()
	return conclude(context.WithoutCancel(ctx), o, home, book, all)
}

// round starts a broker, kills it after a random while, and checks what the disk has
// against what was acknowledged until then. An early kill comes while it still starts.
// It returns how long the start took, 0 when nobody saw its end.
func round(ctx context.Context, o options, home string, early bool, book *ledger, moments *rand.Rand, found *findings) (time.Duration, error) {
	p, err := startServer(ctx, home, book)
	if err != nil {
		return 0, err
	}
	up, after := p.up, time.Duration(20+moments.IntN(300))*time.Millisecond
	if early {
		up, after = closed, time.Duration(moments.IntN(30))*time.Millisecond
	}
	if err := p.killAfter(ctx, up, after); err != nil {
		return 0, err
	}
	acked, copied := book.snapshot(), home+".copy"
	if err := copyState(home, copied); err != nil {
		return 0, err
	}
	if err := verify(ctx, o.aoctl, copied); err != nil { // first: opening it for writing mends it
		return 0, err
	}
	return p.startTook, check(ctx, copied, acked, found)
}

// conclude checks everything once more on the real files and adds to all what was seen.
func conclude(ctx context.Context, o options, home string, book *ledger, all *tally) error {
	acked := book.all()
	if err := check(ctx, home, acked, &all.found); err != nil {
		return err
	}
	if err := verify(ctx, o.aoctl, home); err != nil {
		return err
	}
	events, err := checkOnce(ctx, home, &all.found)
	if err != nil {
		return err
	}
	all.decisions += len(acked.verdicts)
	all.answers += len(acked.answered)
	all.calls += len(acked.created)
	all.events += events
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
