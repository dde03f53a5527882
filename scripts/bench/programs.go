package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// programs are the paths of what is measured.
type programs struct {
	empty string // prints {} and nothing else
	hook  string // the small hook client
	aoctl string
}

const emptyMain = `package main

import "os"

func main() { os.Stdout.WriteString("{}\n") }
`

// build compiles the three programs into dir, the way the README says.
func build(ctx context.Context, dir string) (programs, error) {
	p := programs{
		empty: filepath.Join(dir, "empty"),
		hook:  filepath.Join(dir, "aoctl-hook"),
		aoctl: filepath.Join(dir, "aoctl"),
	}
	src := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(src, []byte(emptyMain), 0o600); err != nil {
		return p, fmt.Errorf("write the empty program: %w", err)
	}
	for _, target := range []struct{ cgo, out, pkg string }{
		{"0", p.empty, src},
		{"0", p.hook, "./hookclient/aoctl-hook"},
		{"1", p.aoctl, "."},
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", target.out, target.pkg) //nolint:gosec // G204: our own words
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+target.cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("build %s: %w\n%s", target.pkg, err, out)
		}
	}
	return p, nil
}
