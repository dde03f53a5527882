package console

import (
	"context"
	"os"
	"os/exec"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/hookclient/paths"
)

// screenBroker is the broker as the screen has it, with what only the record knows. tui
// sees its own interface of it.
type screenBroker struct {
	*service.Broker
	app      *App
	spending *state.Spending
}

// MintToken makes a code for a key that is still to come.
func (b screenBroker) MintToken(ctx context.Context, kind broker.TokenKind, label string, by broker.Actor) (string, error) {
	if kind != broker.ConsoleKey || by.Kind != broker.ByOperator {
		return b.Broker.MintToken(ctx, kind, label, by)
	}
	code, _ := b.app.consoles.OpenPairing()
	return code, nil
}

// Tally counts the recorded calls that ended since a time. It reads page by page on one of
// the store's reading connections, so the broker goes on meanwhile; when ctx ends it gives
// up.
func (b screenBroker) Tally(ctx context.Context, since time.Time) (tally.Report, error) {
	return state.Tally(ctx, b.app.store, "", since)
}

// Resume says also how a shell calls this aoctl, for this console.
func (b screenBroker) Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error) {
	r, err := b.Broker.Resume(ctx, sessionID, by)
	r.Aoctl = calledAs(b.app.socket)
	return r, err
}

// calledAs is how a shell calls this program for the console on socket: by its name where the shell
// finds it by that, and with the socket where another environment would lead elsewhere.
func calledAs(socket string) []string {
	words := []string{"aoctl"}
	found, _ := exec.LookPath("aoctl")
	if self, err := os.Executable(); err == nil && exists(self) && !sameFile(found, self) {
		words[0] = self
	}
	usual, err := paths.Socket()
	if err != nil || usual != socket || os.Getenv("AOCTL_SOCKET") != "" || os.Getenv("AOCTL_HOME") != "" {
		words = append(words, "--socket", socket)
	}
	return words
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Spending adds to r what its sessions spent. It reads transcripts that have changed since
// the last time, which may take long: the screen calls it from a command, never from
// Update.
func (b screenBroker) Spending(ctx context.Context, r tally.Report) (tally.Report, error) {
	return b.spending.Of(ctx, b.app.store, r)
}
