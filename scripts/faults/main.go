// Command faults breaks the disk and the database under a running broker and looks at
// what its hooks answer: before the fault, during it, and once it is over.
//
// The call that is asked is reading a file inside the project, which the broker allows
// by itself, so that nobody needs to be at the keys. What a hook lets through must be in
// the log, and the log must verify.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.aoctl, "aoctl", "", "path of an aoctl program")
	flag.BoolVar(&o.short, "short", false, "leave out the slow cases")
	flag.StringVar(&o.only, "only", "", "only cases whose name has this in it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "faults: FAILED:", err)
		os.Exit(1)
	}
}

type options struct {
	aoctl string
	short bool
	only  string
}

// run tries every case and prints a table of them.
func run(ctx context.Context, o options) error {
	if o.aoctl == "" {
		return errors.New("-aoctl is not set")
	}
	fmt.Printf("%-36s %6s %6s %7s %5s %7s  %s\n", "FAULT", "CALLS", "DENIED", "ALLOWED", "OPEN", "BACK", "RESULT")
	failed := 0
	for _, c := range cases() {
		if o.only != "" && !strings.Contains(c.name, o.only) {
			continue
		}
		r := report{result: "skipped: slow"}
		if !o.short || !c.slow {
			r = c.run(ctx, o.aoctl)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !r.fine() {
			failed++
		}
		fmt.Printf("%-36s %6d %6d %7d %5d %7s  %s\n", c.name, r.asked, r.denied, r.allowed, r.open, r.back, r.result)
	}
	if failed > 0 {
		return fmt.Errorf("%d faults were not dealt with", failed)
	}
	return nil
}
