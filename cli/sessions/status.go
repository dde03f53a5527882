package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// statusTime is the longest that aoctl status takes: status lines and prompts wait for
// it. A prompt that waits for longer is felt at each command that is typed.
const statusTime = 200 * time.Millisecond

// statusOptions are the flags of "aoctl status"; at most one of them is set. None of
// them is the plain line for a person.
type statusOptions struct {
	tmux, prompt bool
	json         output.Format
}

// newStatusCommand declares "status". The time is bounded for all that it does,
// connecting included.
func newStatusCommand() *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell in one line what waits",
		Long: `status tells in one line how many calls wait, how many of them are dangerous, since
when, and what else is to be known at a glance. It takes a few milliseconds, and never
more than 200: a console that does not answer by then counts as one that does not run.

--tmux is for a status bar of tmux, in its colours (none with NO_COLOR). --prompt is for
a shell's prompt: without colours and names, and empty while nothing waits.

It exits with 0 when a console answered, whatever waits; with 3 when none did, and the
line then says "aoctl off", or "aoctl no answer" of one that is suspended; and with 1
when the socket is not to be trusted.`,
		Example: `  aoctl status
  tmux set -g status-interval 2
  tmux set -ag status-right ' #(aoctl status --tmux)'
  PS1='$(aoctl status --prompt) \w \$ '
  aoctl status --json | jq .waiting`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), statusTime)
			defer cancel()
			return tellStatus(ctx, cmd, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&o.tmux, "tmux", false, "for a status bar of tmux")
	output.Flags[status](cmd, &o.json, "print a JSON object")
	cmd.Flags().BoolVar(&o.prompt, "prompt", false, "for a shell's prompt")
	for _, data := range []string{"json", "jq", "template"} {
		cmd.MarkFlagsMutuallyExclusive("tmux", data, "prompt")
	}
	return cmd
}

// status is what a console says of itself; Running is false when there was none to
// ask. Status is nil then. Why and word say the same thing, for programs and for a
// line.
type status struct {
	Running bool   `json:"running"`
	Why     string `json:"why,omitempty"` // it does not run
	*broker.Status

	word string // for Why, in a line
}

// tellStatus prints one line, whatever happens. A line that says what is wrong is
// enough where nobody reads standard error, and the exit code tells programs. Only a
// socket that is not to be trusted is an error with words of its own.
//
// A status line shows what is printed and knows no errors, so a console that is not
// there is a word in the line.
func tellStatus(ctx context.Context, cmd *cobra.Command, o statusOptions, out io.Writer) error {
	s, problem := askStatus(ctx, cmd)
	err := printStatus(s, o, out)
	if problem == nil || err != nil {
		return err
	}
	if f, ok := errors.AsType[exit.Error](problem); ok && f.Code == exit.NoConsole {
		return exit.QuietError(f.Code)
	}
	return problem
}

// askStatus asks the console how things stand. The error is there for the exit code;
// the status can be printed either way. A console that does not answer in time is told
// from one that is not there. A socket of another user is told from one at which
// nobody listens.
func askStatus(ctx context.Context, cmd *cobra.Command) (status, error) {
	c, err := client.New(cmd)
	if err == nil {
		var s broker.Status
		if err = c.Get(ctx, "/status", nil, &s); err == nil {
			return status{Running: true, Status: &s}, nil
		}
	}
	s := status{Why: err.Error(), word: "off"}
	if errors.Is(err, context.DeadlineExceeded) { // it is there, but suspended or overwhelmed
		s.word = "no answer"
	}
	return s, err
}

// printStatus prints the status in the form that was asked for. A prompt gets nothing
// at all, not even an empty line, while nothing waits.
func printStatus(s status, o statusOptions, out io.Writer) error {
	if o.json.On() {
		return o.json.Print(out, s)
	}
	line := o.line(s)
	if line == "" && o.prompt {
		return nil
	}
	return show.Line(out, line)
}

// line is the status for a person: for tmux, for a prompt, or plain.
func (o statusOptions) line(s status) string {
	switch {
	case o.tmux:
		return tmuxLine(s, os.Getenv("NO_COLOR") == "")
	case o.prompt:
		return promptLine(s)
	}
	return plainLine(s)
}

// part is a piece of a status line; style is tmux's, "" for none. It is text of ours,
// with numbers.
type part struct{ text, style string }

// The styles of tmux's status bar.
const (
	styleWarn   = "fg=yellow"
	styleDanger = "fg=red,bold"
	styleFrozen = "fg=cyan,bold"
)

// parts are what there is to say, the most urgent first. Figures of zero are left out.
// None of the texts holds an agent's word, so a prompt can show them. The order is
// that of what a person would want to know first; tmux and prompts cut lines at their
// end.
func (s status) parts() []part {
	if !s.Running {
		return []part{{s.word, styleDanger}}
	}
	var list []part
	add := func(n int, text, style string) {
		if n > 0 {
			list = append(list, part{text, style})
		}
	}
	add(s.Waiting, fmt.Sprintf("%d waiting", s.Waiting), styleWarn)
	add(s.Dangerous, fmt.Sprintf("%d dangerous", s.Dangerous), styleDanger)
	add(s.Alarms, figures.Plural(s.Alarms, "alarm"), styleDanger)
	add(len(s.Problem), strings.ReplaceAll(s.Problem, "_", " "), styleDanger)
	switch {
	case s.FrozenAll && s.Held > 0:
		list = append(list, part{fmt.Sprintf("FROZEN, %s frozen", figures.Plural(s.Held, "call")), styleFrozen})
	case s.FrozenAll:
		list = append(list, part{"FROZEN", styleFrozen})
	default:
		add(s.Frozen, fmt.Sprintf("%d frozen", s.Frozen), styleFrozen)
	}
	if s.Observing {
		list = append(list, part{"holding nothing", styleDanger})
	} else {
		add(s.Observed, fmt.Sprintf("%d observed", s.Observed), styleWarn)
	}
	add(s.Stopped, fmt.Sprintf("%d stopped", s.Stopped), styleWarn)
	add(s.PutOff, fmt.Sprintf("%d deferred", s.PutOff), styleWarn)
	add(s.Failed, fmt.Sprintf("%d failed", s.Failed), styleWarn)
	return list
}

// oldest is since when the oldest call waits, and where. The session's name is an
// agent's word: drawable, and cut. s.Oldest must not be nil. The age is as short as it
// can be: a status line has little room.
func (s status) oldest() string {
	const most = 24 // cells
	name := safe.Cut(safe.Line(s.Oldest.SessionName), most)
	return name + " " + figures.Ago(time.Duration(s.OldestWaitMS)*time.Millisecond)
}

// tmuxLine is for #(…) in a status bar of tmux, which reads # in it: "#(" in a
// session's name would run a command. Every # is doubled, which tmux shows as one.
// Without colours the words alone say it.
func tmuxLine(s status, styled bool) string {
	list := s.parts()
	if s.Running && len(list) == 0 {
		list = append(list, part{figures.Plural(s.Sessions, "session"), ""})
	}
	if s.Running && s.Oldest != nil {
		list = append(list, part{s.oldest(), ""})
	}
	words := make([]string, len(list))
	for i, p := range list {
		words[i] = strings.ReplaceAll(p.text, "#", "##")
		if styled && p.style != "" {
			words[i] = "#[" + p.style + "]" + words[i] + "#[default]"
		}
	}
	return "aoctl " + strings.Join(words, ", ")
}

// promptLine is for a shell's prompt. It has no name in it: some shells expand what a
// prompt holds. "" means that nothing is to be said. What it says fits every shell, as
// no word of it comes from an agent.
func promptLine(s status) string {
	list := s.parts()
	words := make([]string, len(list))
	for i, p := range list {
		words[i] = p.text
	}
	if len(words) == 0 {
		return ""
	}
	return "aoctl " + strings.Join(words, ", ")
}

// plainLine is for a person at a terminal, and says also what is well. A session's
// name stands at the end only, so that a cut line loses the name and not a number.
func plainLine(s status) string {
	if !s.Running {
		return "aoctl " + s.word + ": " + safe.Line(s.Why)
	}
	text := figures.Plural(s.Sessions, "session")
	for _, p := range s.parts() {
		text += ", " + p.text
	}
	if s.Waiting+s.PutOff == 0 {
		text += ", nothing waits"
	} else if s.Oldest != nil {
		text += "; the oldest in " + s.oldest()
	}
	return text
}
