// Command aoctl is a keyboard console that answers coding agents' questions
// before they act. See the README for what it does and package cli for how it
// is called.
package main

import (
	"os"

	"github.com/aoctl/aoctl/cli"
	_ "github.com/aoctl/aoctl/hookclient/atstart" // is "aoctl hook"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
