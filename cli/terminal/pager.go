package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/charmbracelet/x/term"
)

// pagerMissing is the exit code of a shell that finds no program of that name.
const pagerMissing = 127

// Page shows a long text in the user's pager, and returns when that is left. Where out
// is no terminal, or there is no pager, it prints the text instead. The text must be
// safe for a terminal.
//
// Errors are those of writing. A pager that ends with an error was seen by the person.
func Page(ctx context.Context, out io.Writer, text string) error {
	pager := pagerCommand()
	if f, ok := out.(*os.File); !ok || pager == "" || !term.IsTerminal(f.Fd()) || os.Getenv("TERM") == "dumb" {
		_, err := io.WriteString(out, text)
		return err
	}
	if runPager(ctx, pager, out, text) {
		return nil
	}
	_, err := io.WriteString(out, text)
	return err
}

// pagerCommand is the user's pager as a shell reads it, "" for none. As in git, a PAGER
// that is empty or "cat" means none.
func pagerCommand() string {
	pager, set := os.LookupEnv("PAGER")
	if pager = strings.TrimSpace(pager); pager == "cat" || set && pager == "" {
		return ""
	}
	if set {
		return pager
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less -R"
}

// runPager reports whether the pager was there. Ctrl+c is the pager's key meanwhile, so
// it ends neither this program nor the shell; pagers set a handler of their own.
func runPager(ctx context.Context, pager string, out io.Writer, text string) bool {
	defer InForeground()()
	// A shell reads $PAGER, as it may have options.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "trap '' INT\n"+pager) //nolint:gosec // the user's own pager
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, os.Stderr
	if os.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=R")
	}
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode() != pagerMissing
	}
	// A pager that is left before it has read all of the text breaks the pipe.
	return cmd.ProcessState != nil
}
