// Command screenshot takes pictures of the console as it really is. It runs a built aoctl at a
// pseudo terminal, presses keys, lets a terminal emulator read what comes out, and writes the
// screen as SVG.
//
// It waits for texts on the screen and never for a time, with one exception: the console is deaf
// to decisions for a moment after its card changed, and nothing on the screen tells when that is
// over. See terminal.settle.
//
// A module of its own keeps the emulator out of aoctl's: it needs newer libraries, and one of
// those takes long to start, which every call of an agent would pay for.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// atMost is how long all pictures may take; a machine with other work takes a few minutes.
const atMost = 20 * time.Minute

func main() {
	program := flag.String("aoctl", "", "the built `program`")
	out := flag.String("out", "", "write still pictures to this `folder`")
	only := flag.String("only", "", "of the still pictures, take those of terminals whose name contains this `text`, as 80x24 or dark")
	film := flag.String("film", "", "write the moving picture to this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, atMost)
	err := take(ctx, *program, *out, *only, *film)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func take(ctx context.Context, program, out, only, film string) error {
	if out != "" {
		for _, l := range looks {
			if !strings.Contains(l.name(), only) {
				continue
			}
			if err := l.takeAll(ctx, program, out); err != nil {
				return fmt.Errorf("%s: %w", l.name(), err)
			}
		}
	}
	if film != "" {
		return shoot(ctx, program, film)
	}
	return nil
}
