package calls

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/safe"
)

// approveOptions are the argument and the flags of "aoctl call approve". input is nil when
// the call is to run as it was asked.
type approveOptions struct {
	call      string // id, or a prefix of the id of a waiting call
	reason    string // a word for the agent that goes with the permission
	tokenFile string // instead of the environment
	digest    string // of the call that was looked at, or how it begins
	dangerous bool   // it is known that the call is dangerous
	inputFile string // holds what is to run in place of what was asked; "-" for standard input
	input     []byte // the same, read
	json      output.Format
}

// newApproveCommand declares "approve".
func newApproveCommand() *cobra.Command {
	var o approveOptions
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Allow a call that waits, with an operator token",
		Long: `approve shows a waiting call, named by its id or by enough of the id's beginning,
asks, and allows it once. It needs an operator token in AOCTL_TOKEN or in a file that
only you can read; the console makes one (r, then t). A process that an agent started is
refused, token or not, and the console shows that it tried.

Without a terminal nobody can look, so the call must be named by its digest, which
"aoctl pending --json" prints: at least the first 8 digits, and all of them with
--dangerous for a call that is dangerous.

With --input the call runs with another input: one JSON object with all of it, as the
agent's tool takes it. It is judged like any other: what a rule refuses is refused.`,
		Example: `  aoctl call approve 0197f3a2
  aoctl call approve 0197f3a2 --token-file ~/.config/aoctl/token
  aoctl call approve 0197f3a2 --digest 4f2a91c0 --json </dev/null
  aoctl call approve 0197f3a2 --input other.json`,
		Args:              usage.OneArg("the id of a waiting call"),
		ValidArgsFunction: client.CompleteCalls,
		RunE: func(cmd *cobra.Command, args []string) error {
			// The token is read before anything is asked, so that a file that others can
			// read is told first.
			c, err := client.NewOperator(cmd, o.tokenFile)
			if err != nil {
				return err
			}
			o.call = args[0]
			if o.inputFile != "" {
				if o.input, err = readEditedInput(o.inputFile, cmd.InOrStdin()); err != nil {
					return err
				}
			}
			return approveCall(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVarP(&o.reason, "message", "m", "", "a word for the agent that goes with the permission")
	client.TokenFileFlag(cmd, &o.tokenFile)
	cmd.Flags().StringVar(&o.digest, "digest", "", "digest of the call that was looked at, or its beginning; then nothing is asked")
	cmd.Flags().BoolVar(&o.dangerous, "dangerous", false, "allow it although it is dangerous; takes the whole --digest")
	cmd.Flags().StringVar(&o.inputFile, "input", "", "file with the input to run with in place of the call's own, as JSON; - for standard input")
	_ = cmd.RegisterFlagCompletionFunc("input", usage.CompleteFiles) // the flag exists
	output.Flags[outcome](cmd, &o.json, "print a JSON object with the call's outcome")
	return cmd
}

// readEditedInput reads one strict JSON object from a file, or from standard input for "-".
// It is read as strictly as the console reads what agents send: an object with two members
// of one name could be shown as one thing and run as another.
//
// Errors are for the person who wrote the file; the input itself is at most wire.MaxBody
// bytes.
func readEditedInput(path string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path) //nolint:gosec // the operator's own choice
		if err != nil {
			return nil, exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot read the input: %v", err), Cause: err}
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	// One byte more than is allowed tells a file that is too long from one that just fits.
	raw, err := io.ReadAll(io.LimitReader(in, wire.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read the input in %s: %w", path, err)
	}
	if len(raw) > wire.MaxBody {
		return nil, usage.Error{Text: fmt.Sprintf("the input in %s is longer than %d bytes", path, wire.MaxBody), Hint: "a call can be no larger"}
	}
	raw = bytes.TrimSpace(raw)
	if _, err := wire.Fields(raw); err != nil {
		return nil, usage.Error{Text: fmt.Sprintf("the input in %s is not one plain JSON object: %v", path, err), Hint: `"aoctl pending --json" has the call's own, as tool_input`}
	}
	return raw, nil
}

// show prints the call, and how the input differs that is to run. What is printed is all
// that the person consents to, so both are shown whole.
func (o approveOptions) show(out io.Writer, call broker.Request) error {
	if err := showCall(out, call); err != nil || len(o.input) == 0 {
		return err
	}
	var b strings.Builder
	block(&b, "runs instead", strings.TrimSuffix(callview.Difference(call.ToolInput, o.input), "\n"))
	_, err := io.WriteString(out, b.String())
	return err
}

// approveCall finds the call, has somebody consent to it, and allows it. Consent is asked
// for only with a token; without one the console refuses and shows its person that somebody
// tried.
//
// A call that ended while it was looked at may come back as granted: then nothing runs now,
// and the agent's next identical call passes once.
func approveCall(ctx context.Context, c *client.Client, o approveOptions, out io.Writer) error {
	call, err := findCall(ctx, c, o.call)
	if err != nil {
		return err
	}
	if c.Token != "" { // without one the console refuses, and its person hears of it
		if o, err = o.consent(call, out); err != nil {
			return err
		}
	}
	answer, err := allow(ctx, c, call.ID, o)
	switch {
	case err != nil:
		return err
	case o.json.On():
		return o.json.Print(out, answer)
	case answer.Granted:
		return show.Line(out, safe.Line(fmt.Sprintf("allowed late: when the agent asks again for exactly this, it passes once: %s: %s", call.ToolName, show.Call(call))))
	}
	// What is said to be allowed is what will run, not what was asked first.
	if len(o.input) > 0 {
		call.ToolInput = o.input
	}
	return show.Line(out, safe.Line(fmt.Sprintf("allowed %s: %s", call.ToolName, show.Call(call))))
}

// findCall picks the waiting call whose id is ref or begins with it, or the call of that id
// that is over but may still be granted. A call that is over must be named by its whole id:
// there are thousands of them, and a short beginning would fit some other one.
func findCall(ctx context.Context, c *client.Client, ref string) (broker.Request, error) {
	// Waiting calls go first: an id may be cut short only among those.
	call, found, err := c.Waiting(ctx, ref)
	if err != nil || found {
		return call, err
	}
	if err = c.Get(ctx, "/approval-requests/"+url.PathEscape(ref), nil, &call); err == nil {
		return call, nil
	}
	return broker.Request{}, notWaiting(ref, err)
}

// consent makes sure that somebody has looked at the call: by asking at the terminal, or by
// its digest. The digest that it returns is that of the call that was looked at, so a call
// that changes between the look and the answer is refused by the broker.
//
// The terminal must be one on both sides, for reading and for showing. A program with a
// pseudo-terminal can still answer; what keeps agents out is the token and the broker's
// look at the asking process, not this question.
func (o approveOptions) consent(call broker.Request, out io.Writer) (approveOptions, error) {
	if o.digest != "" {
		return o, nil // the broker compares it
	}
	// With --json the call is shown on stderr; then standard output may be a pipe, but not
	// a terminal on which data and question would run into each other.
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) || o.json.On() && term.IsTerminal(os.Stdout.Fd()) {
		return o, usage.Error{
			Text: "nobody can look at the call here, and it is not named by its digest",
			Hint: `run this at a terminal, or give --digest with at least 8 digits from "aoctl pending --json"`,
		}
	}
	if o.json.On() { // what a program reads stays clean
		out = os.Stderr
	}
	if err := o.show(out, call); err != nil {
		return o, err
	}
	yes, err := o.ask(call, out)
	if err == nil && !yes {
		err = exit.Error{Code: exit.Failed, Text: "not allowed: the call still waits", Hint: "refuse it with: aoctl deny " + call.ID}
	}
	o.digest, o.dangerous = call.Digest, o.dangerous || isDangerous(call) // all of it was on the screen, and the danger if there was one
	return o, err
}

// ask takes a y, or for a dangerous call two digits, from the terminal. The digits are
// drawn anew for each question, so that neither a habit nor a paste answers it. What was
// typed before the question stood on the screen is thrown away.
//
// An end of input is a no. Only an error of the terminal itself is returned as one.
func (o approveOptions) ask(call broker.Request, out io.Writer) (bool, error) {
	want, question := "y", "Allow this call? [y/N] "
	if o.dangerous || isDangerous(call) {
		// Two digits, 10 to 99, none of them led by a zero that a person might leave out.
		code, err := rand.Int(rand.Reader, big.NewInt(90))
		if err != nil {
			return false, fmt.Errorf("make a code: %w", err)
		}
		want = fmt.Sprint(10 + code.Int64())
		question = fmt.Sprintf("Dangerous. Type %s to allow it, anything else leaves it waiting: ", want)
	}
	// A y that was typed for an earlier prompt must not answer this one.
	if err := terminal.ForgetTyped(os.Stdin); err != nil {
		return false, fmt.Errorf("forget what was typed before the question: %w", err)
	}
	if _, err := fmt.Fprint(out, question); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return false, show.Line(out, "")
	}
	// A dangerous call takes its digits and nothing else; "yes" is an answer to the plain
	// question only.
	typed := strings.ToLower(strings.TrimSpace(line))
	return typed == want || want == "y" && typed == "yes", nil
}

// allow lets call id run, once. The first answer wins: when somebody else's came before,
// the error says what it was. A member goes into the body only when it says something. With
// a digest the console refuses a call that is not the one that was looked at.
func allow(ctx context.Context, c *client.Client, id string, o approveOptions) (outcome, error) {
	body := map[string]any{"decision": broker.Allow}
	if o.reason != "" {
		body["reason"] = o.reason
	}
	if o.digest != "" {
		body["digest"] = o.digest
	}
	if o.dangerous {
		body["dangerous"] = true
	}
	if len(o.input) > 0 {
		body["updated_input"] = json.RawMessage(o.input)
	}
	answer := outcome{ID: id}
	err := c.Post(ctx, "/approval-requests/"+url.PathEscape(id)+"/decide", body, &answer)
	return answer, err
}
