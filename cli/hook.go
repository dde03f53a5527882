package cli

import (
	"context"
	"os"

	"github.com/aoctl/aoctl/hookclient"
)

// runHook is "aoctl hook": args are those after the word hook. The program itself comes
// there even before this, through hookclient/atstart.
func runHook(args []string) int {
	return hookclient.Run(context.Background(), args, os.Stdin, os.Stdout, os.Stderr)
}
