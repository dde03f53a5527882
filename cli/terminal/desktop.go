package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/aoctl/aoctl/cli/exit"
)

// desktopTime is how long a notification may take to be handed to the desktop.
const desktopTime = 5 * time.Second

// Desktop finds the program that shows notifications on this system. name is what asks
// for it: a flag, or a setting of the file. The text is an argument of its own;
// neither a shell nor AppleScript reads it. The func that it returns blocks for up to
// desktopTime; it is not for the goroutine that draws.
func Desktop(name string) (func(ctx context.Context, text string) error, error) {
	// With "--" a text that begins with "-" is no option of the notifier.
	notifier, args := "notify-send", []string{"--app-name=aoctl", "--", "aoctl"}
	if runtime.GOOS == "darwin" {
		notifier, args = "osascript", []string{
			"-e", "on run argv", "-e", `display notification (item 1 of argv) with title "aoctl"`, "-e", "end run", "--",
		}
	}
	program, err := exec.LookPath(notifier)
	if err != nil {
		return nil, exit.Error{
			Code: exit.Failed, Text: name + " needs " + notifier + ", which is not on the PATH",
			Hint: "install it (Debian: libnotify-bin), or leave " + name + " out", Cause: err,
		}
	}
	return func(ctx context.Context, text string) error {
		ctx, cancel := context.WithTimeout(ctx, desktopTime)
		defer cancel()
		var problem bytes.Buffer
		cmd := exec.CommandContext(ctx, program, append(args, strings.TrimPrefix(text, "aoctl: "))...) //nolint:gosec // the operator asked for it, and no shell reads the text
		cmd.Stderr = &problem
		cmd.WaitDelay = time.Second
		err := cmd.Run()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("%s did not end within %v", notifier, desktopTime)
		}
		if err != nil {
			return fmt.Errorf("%s: %w %.200s", notifier, err, problem.String())
		}
		return nil
	}, nil
}
