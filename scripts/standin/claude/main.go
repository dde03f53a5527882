// Command claude is the stand-in as a program; see package standin.
package main

import (
	"os"

	"github.com/aoctl/aoctl/scripts/standin"
)

func main() { os.Exit(standin.Main(os.Args[1:], os.Stdin, os.Stdout)) }
