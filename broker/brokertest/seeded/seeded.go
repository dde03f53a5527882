// Package seeded makes rapid draw the same in every run of a test, so that a change is
// judged by itself and not by the draw. A failure then comes again without a file that
// holds it, so none is written. A test package imports it for that effect alone.
//
// Other draws are wanted too, by hand: -rapid.seed=0 takes a new seed each time, and
// scripts/trials.sh does so with many more checks. RAPID_CHECKS says how many there are of a
// property, of which -short takes a fifth.
package seeded

import (
	"errors"
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flags
)

func init() {
	if err := errors.Join(flag.Set("rapid.seed", "1"), flag.Set("rapid.nofailfile", "true")); err != nil {
		panic(err)
	}
	if n := os.Getenv("RAPID_CHECKS"); n != "" {
		if err := flag.Set("rapid.checks", n); err != nil {
			panic(err)
		}
	}
}
