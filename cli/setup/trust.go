package setup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/figures"
)

// trustCodex has Codex trust the hooks in file, and returns how many those are.
// Without --trust it offers that at a terminal. Codex skips what it does not trust,
// and every call runs: an installation that ends so has failed.
//
// Codex's own program writes the trust, as its form is Codex's affair.
//
// It is for the user's own settings alone, as Codex's trust is kept beside those. With
// --trust nobody is asked, and a Codex that is not found is an error.
func (i *installer) trustCodex(ctx context.Context, file string) (int, error) {
	program, home := install.AgentProgram("codex"), filepath.Dir(file)
	switch {
	case i.trust && program == "":
		return 0, untrusted(errors.New("no program called codex was found"))
	case !i.trust && (program == "" || i.o.Scope != install.User):
		return 0, nil // trustText says what is needed
	case !i.trust:
		skipped, err := install.CodexSkips(ctx, program, home)
		if err != nil || skipped == 0 {
			return 0, untrusted(err)
		}
		if !i.agrees(fmt.Sprintf("Codex does not trust these %s, skips them, and every call runs. Have it trust them now? [y/N]: ", figures.Plural(skipped, "hook"))) {
			return 0, untrusted(errNotTrusted)
		}
	}
	n, err := install.TrustCodex(ctx, program, home)
	return n, untrusted(err)
}

// errNotTrusted is in the error of an installation that Codex's trust is missing from.
// It is never shown by itself.
var errNotTrusted = errors.New("nobody told it to")

// untrusted is the failure of an installation that ends without Codex's trust, nil for
// nil. Its cause can be found with errors.Is, so that the same advice is not given
// twice.
func untrusted(err error) error {
	if err == nil {
		return nil
	}
	return exit.Error{
		Code: exit.Failed, Text: "every call of Codex still runs unasked: the hooks are written, but Codex does not trust them: " + err.Error(),
		Hint: "run: aoctl install codex --trust    (or start codex and type /hooks)", Cause: errors.Join(errNotTrusted, err),
	}
}

// agrees asks the person at the terminal; without one nobody agrees. Anything but a y
// is a no.
func (i *installer) agrees(question string) bool {
	if !i.canAsk() {
		return false
	}
	_, _ = io.WriteString(i.out, question)
	line, err := bufio.NewReader(i.in).ReadString('\n')
	word := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (word == "y" || word == "yes")
}
