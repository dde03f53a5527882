package cli

import (
	"context"
	"os"

	"github.com/aoctl/aoctl/hookclient"
)

// runHook is "aoctl hook": args are those after the word hook. It is called before
// the other commands are even built, because an agent waits for it at every call.
func runHook(args []string) int {
	return hookclient.Run(context.Background(), args, os.Stdin, os.Stdout, os.Stderr)
}
