package console

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/once"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/show"
)

// waitHookOutput is how much of a command's output goes into aoctl.log, bytes. The rest is
// counted.
const waitHookOutput = 4 << 10

// toldCall is what a command reads of a call.
type toldCall struct {
	broker.Request

	Token string `json:"token,omitempty"` // for this call alone; see broker/once
}

// tokenLike finds tokens in what a command printed, also one that was cut.
var tokenLike = regexp.MustCompile(regexp.QuoteMeta(once.Prefix) + "[[:alnum:]]*")

// runWaitHook runs command with sh for r: its JSON, as the API lists it, on standard input,
// and its ids in the environment. A token is on standard input alone, where only the command reads
// it: agents can look at what processes have in their environment, and read aoctl.log. The command ends with ctx, or when its time is over, and
// takes what it left in its process group with it. How it ended is only logged: what it
// does or fails to do has no say in the call.
//
// The command line is the operator's own. Nothing of r becomes part of it.
func runWaitHook(ctx context.Context, log *slog.Logger, command, socket string, r toldCall, skipped int) {
	card, err := show.JSONLine(r)
	if err != nil {
		log.Error("on-wait command not run", "request_id", r.ID, "err", err)
		return
	}
	// The kernel ends the command when the thread ends that started it: it must be ours.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	timed, cancel := context.WithTimeout(ctx, waitHookTime)
	defer cancel()
	out := &headWriter{most: waitHookOutput}
	cmd := exec.CommandContext(timed, "/bin/sh", "-c", command) //nolint:gosec // the operator's own command line
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(card, '\n')), out, out
	cmd.Env = waitHookEnv(os.Environ(), socket, r.Request, skipped)
	cmd.SysProcAttr = waitHookGroup()
	// A negative number is the whole group.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// What the command left in the background may hold its output open; we do not wait for
	// that.
	cmd.WaitDelay = time.Second
	began := time.Now()
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind, if anything
	}
	level := slog.LevelInfo
	why := ""
	switch {
	case ctx.Err() != nil:
		why = "killed: the console ended"
	case timed.Err() != nil:
		level, why = slog.LevelWarn, "killed: its time was over"
	case errors.Is(err, exec.ErrWaitDelay):
		why = "what it left in the background was ended"
	case err != nil:
		level, why = slog.LevelWarn, err.Error()
	}
	log.Log(ctx, level, "on-wait command ended", "request_id", r.ID, "session_id", r.SessionID,
		"took_ms", time.Since(began).Milliseconds(), "skipped", skipped, "err", why, "output", tokenLike.ReplaceAllString(out.text(), once.Prefix+"…"))
}

// waitHookEnv adds to env what names the call. Names are agents' words without what acts on
// a terminal, and none may hold a zero byte. The call's input is not among it: that is on
// standard input, where no shell expands it.
func waitHookEnv(env []string, socket string, r broker.Request, skipped int) []string {
	dangerous := "0"
	if r.Assessment != nil && r.Assessment.Class >= risk.Dangerous {
		dangerous = "1"
	}
	return append(client.WithoutToken(env), // it needs none to tell somebody
		"AOCTL_REQUEST_ID="+plainWord(r.ID), "AOCTL_SESSION_ID="+plainWord(r.SessionID), "AOCTL_AGENT="+plainWord(r.Agent),
		"AOCTL_TOOL="+plainWord(r.ToolName), "AOCTL_DANGEROUS="+dangerous, "AOCTL_SKIPPED="+strconv.Itoa(skipped),
		"AOCTL_SOCKET="+socket)
}

// plainWord is a name for an environment: letters, digits and a few signs, "?" for anything
// else, so that a careless script cannot be made to do what the name says. It is cut at 128
// bytes.
func plainWord(name string) string {
	const most = 128
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:-", r) {
			return r
		}
		return '?'
	}, name)
	return plain[:min(len(plain), most)]
}

// headWriter keeps the first bytes of what is written, and counts the others. The first
// ones say what went wrong; a program that never stops writing costs no memory. It is for
// one writer at a time.
type headWriter struct {
	most int
	kept []byte
	more int
}

// Write takes all of p in any case, so the program that writes is never stopped by it.
func (w *headWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.most-len(w.kept))
	w.kept = append(w.kept, p[:n]...)
	w.more += len(p) - n
	return len(p), nil
}

// text is what was kept, with a word on what was not.
func (w *headWriter) text() string {
	if w.more > 0 {
		return string(w.kept) + "… and " + strconv.Itoa(w.more) + " bytes more"
	}
	return string(w.kept)
}
