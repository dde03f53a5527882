// Command sim plays drawn worlds against the broker's engine, and fleets of them, and looks for a broken
// promise; package broker/engine/sim says which there are. With "defects" it takes protections out of
// the engine and of the fleet, one at a time, and wants each to be noticed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/aoctl/aoctl/broker/engine/sim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	debug.SetGCPercent(400) // worlds are small and short, and there are many
	if len(os.Args) > 1 && os.Args[1] == "defects" {
		end(tryDefects(ctx))
	}
	from := flag.Uint64("from", 0, "the first seed")
	worlds := flag.Int("worlds", 8000, "how many worlds of one broker are played, unless -minutes is given")
	fleets := flag.Int("fleets", 150, "how many fleets, likewise")
	minutes := flag.Float64("minutes", 0, "play for that long instead, half of it fleets")
	moves := flag.Int("moves", 300, "in each world")
	story := flag.Bool("story", true, "tell the shortest story of a broken promise")
	flag.Parse()
	for _, g := range []game{{"worlds", *worlds, sim.Play, sim.Story}, {"fleets", *fleets, sim.PlayFleet, sim.StoryFleet}} {
		if err := g.play(ctx, *from, *moves, *story, time.Duration(*minutes*float64(time.Minute)/2)); err != nil {
			end(err)
		}
	}
	end(nil)
}

// game is a kind of world.
type game struct {
	name  string
	most  int // are played, unless there is a time
	once  func(seed uint64, moves int) sim.Result
	story func(seed uint64, moves int) string
}

var errBroken = errors.New("a promise was broken")

// play plays worlds until one breaks a promise, and tells how that came about. It plays some at a
// time, so that no processor is idle, and looks at their results in the order of their seeds: the first broken one is
// always the same.
func (g game) play(ctx context.Context, from uint64, moves int, story bool, limit time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if limit == 0 && g.most == 0 {
		return nil
	}
	began, steps, n := time.Now(), 0, 0
	played := make(chan chan sim.Result, runtime.GOMAXPROCS(0)-1) // and one that waits to be put in
	go func() {
		defer close(played)
		for seed := from; limit > 0 || seed-from < uint64(g.most); seed++ { //nolint:gosec // G115: a number of worlds is not negative
			result := make(chan sim.Result, 1)
			go func() { result <- g.once(seed, moves) }()
			select {
			case played <- result:
			case <-ctx.Done():
				return
			}
		}
	}()
	for result := range played {
		if limit > 0 && time.Since(began) > limit {
			break
		}
		r := <-result
		n++
		steps += r.Steps
		if r.Wrong != "" {
			seed := from + uint64(n) - 1
			fmt.Printf("BROKEN after %d steps: %s\n", steps, r.Wrong)
			if story {
				fmt.Println(g.story(seed, moves))
			}
			return errBroken
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fmt.Printf("%d steps in %d %s, %.0f a minute: every promise was kept\n", steps, n, g.name, float64(steps)/time.Since(began).Minutes())
	return nil
}

func end(err error) {
	switch {
	case errors.Is(err, errBroken):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(2)
	}
	os.Exit(0)
}
