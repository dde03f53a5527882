// Command aoctl-hook is the hook client alone: small, static and quick to start.
// It does what "aoctl hook" does, with the same arguments. Agents run it before every call, so
// nothing may be linked that package hookclient does not need.
package main

import (
	"context"
	"os"

	"github.com/aoctl/aoctl/hookclient"
)

func main() {
	os.Exit(hookclient.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
