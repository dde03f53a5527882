// Package atstart is "aoctl hook": it runs the hook client while the program starts,
// before the packages of the console are made ready, and ends the program.
//
// An agent waits for the hook before every tool call, and what the console links (tables of
// entities, grammars, dangerous commands) takes longer to make ready than the whole call.
// Go makes packages ready in the order of their import paths, each as soon as those it
// imports are; this one imports next to nothing and so comes before them.
//
// Only a main package may import it.
package atstart

import (
	"context"
	"os"

	"github.com/aoctl/aoctl/hookclient"
)

func init() {
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		os.Exit(hookclient.Run(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
}
