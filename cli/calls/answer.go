package calls

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// answerOptions are the argument and the flags of "aoctl call answer". declined tells
// --decline ” from no --decline: a reason may be empty.
type answerOptions struct {
	what      string   // a waiting question's id or how it begins, or a session as client.FindSession understands it
	answers   []string // QUESTION=ANSWER, or ANSWER where there is one question
	decline   string   // why nobody answers
	declined  bool
	tokenFile string // instead of the environment
	json      output.Format
}

// newAnswerCommand declares "answer". A missing token is no error here: showing the
// question and --decline work without one, and the console refuses an answer that needs it.
func newAnswerCommand() *cobra.Command {
	var o answerOptions
	cmd := &cobra.Command{
		Use:   "answer ID | SESSION",
		Short: "Answer an agent's question to its user, with an operator token",
		Long: `answer answers the question that waits in a session, or the one of that id, and needs
an operator token as "aoctl approve" does. A question goes by its text or its header; what
is one of its options picks it, and what is not is taken for your own words. Several
options are several flags. All questions of the form must be answered.

Without --answer it shows what is asked. --decline sends the agent on without an answer;
any program of yours may.`,
		Example: `  aoctl call answer api-server
  aoctl call answer api-server -a 'Which database?=SQLite'
  aoctl call answer 0197f3a2 -a Database=SQLite -a Parts=API -a Parts=UI
  aoctl call answer api-server --decline 'ask me tomorrow'`,
		Args:              usage.OneArg("the id of a waiting question, or a session"),
		ValidArgsFunction: completeAsked,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := client.NewOperator(cmd, o.tokenFile)
			if err != nil {
				return err
			}
			// A --decline without words is a decline too, so the flag counts and not its
			// value.
			o.what, o.declined = args[0], cmd.Flags().Changed("decline")
			if o.declined && len(o.answers) > 0 {
				return usage.Error{Text: "--answer and --decline go against each other", Hint: "give one of them"}
			}
			return answerQuestion(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringArrayVarP(&o.answers, "answer", "a", nil, "QUESTION=ANSWER, or just ANSWER where one thing is asked; again for more")
	cmd.Flags().StringVar(&o.decline, "decline", "", "answer nothing, and why; the agent reads it")
	client.TokenFileFlag(cmd, &o.tokenFile)
	output.Flags[outcome](cmd, &o.json, "print a JSON object with the question's outcome")
	return cmd
}

// answerQuestion answers an agent's question, or declines it. Without answers it shows what
// is asked and changes nothing.
//
// The answers are checked against the form here, before anything is sent, because the error
// can name the question then. The console checks them again: it answers for what the agent
// gets.
func answerQuestion(ctx context.Context, c *client.Client, o answerOptions, out io.Writer) error {
	call, err := findQuestion(ctx, c, o.what)
	if err != nil {
		return err
	}
	// The console is told the question's id: another question may have come since the form
	// was read.
	body := map[string]any{"request_id": call.ID}
	if o.declined {
		body["decline"] = o.decline
	} else {
		// Call has the input that is in force, which may differ from what first came.
		_, input := call.Call()
		form, err := forms.Read(input)
		switch {
		case err != nil:
			return exit.Error{Code: exit.Failed, Text: "this question cannot be answered from here: " + err.Error(), Hint: "answer it in the agent's own terminal, or decline", Cause: err}
		case len(o.answers) == 0:
			return showQuestions(out, call, form)
		}
		if body["answers"], err = o.said(form); err != nil {
			return usage.Error{Text: err.Error(), Hint: "see what is asked: aoctl answer " + call.ID}
		}
	}
	// The console's answer has no id of its own; the one that was asked for stands in.
	answer := outcome{ID: call.ID}
	if err := c.Post(ctx, "/sessions/"+url.PathEscape(call.SessionID)+"/answer", body, &answer); err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, answer)
	}
	word := "answered: "
	if o.declined {
		word = "declined: "
	}
	return show.Line(out, safe.Line(word+show.Call(call)))
}

// isQuestion reports whether a call is a question to the user. Agents name that tool
// differently; Call has aoctl's own name for it.
func isQuestion(r broker.Request) bool {
	tool, _ := r.Call()
	return tool == agents.AskUserQuestion
}

// completeAsked offers the sessions in which a question waits. Whatever goes wrong means no
// offers: a shell's tab key has nowhere to print an error.
func completeAsked(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	client.Briefly(cmd, func(ctx context.Context, c *client.Client) {
		waiting, err := c.Pending(ctx, "")
		if err != nil {
			return
		}
		all, err := c.Sessions(ctx)
		if err != nil {
			return
		}
		offers = client.OfferSessions(client.Plain(all), begun, func(s broker.Session) bool {
			return slices.ContainsFunc(waiting, func(r client.Request) bool { return r.SessionID == s.ID && isQuestion(r.Request) })
		})
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// findQuestion picks the waiting question that ref names. A question's id comes first, then
// a session. Several questions in one session are listed instead of one being guessed: an
// answer to the wrong one cannot be taken back.
func findQuestion(ctx context.Context, c *client.Client, ref string) (broker.Request, error) {
	waiting, err := c.Pending(ctx, "")
	if err != nil {
		return broker.Request{}, err
	}
	var asked []broker.Request
	for _, r := range waiting {
		if isQuestion(r.Request) {
			asked = append(asked, r.Request)
		}
	}
	// An id is looked for among the questions only, so that it cannot name a call that asks
	// nothing.
	call, found, err := client.FindRequest(asked, ref)
	if err != nil || found {
		return call, err
	}
	// Sessions with a question come before others of the same name, and living ones before
	// ended ones.
	waits := func(s broker.Session) bool {
		return slices.ContainsFunc(asked, func(r broker.Request) bool { return r.SessionID == s.ID })
	}
	s, err := c.Session(ctx, ref, waits, sessionnames.Alive, sessionnames.Any)
	if err != nil {
		return broker.Request{}, err
	}
	asked = slices.DeleteFunc(asked, func(r broker.Request) bool { return r.SessionID != s.ID })
	switch {
	case len(asked) == 1:
		return asked[0], nil
	case len(asked) > 1:
		lines := make([]string, len(asked))
		for i, r := range asked {
			lines[i] = fmt.Sprintf("%s  %s", r.ID, show.Call(r))
		}
		return broker.Request{}, usage.Ambiguous("waiting question", ref, lines)
	// The agent may show the question in its own terminal, where no hook is waiting for an
	// answer.
	case s.Asks != nil:
		return broker.Request{}, exit.Error{Code: exit.NotFound, Text: fmt.Sprintf("session %s asks in its agent's own terminal", s.Label), Hint: "answer it there"}
	}
	return broker.Request{}, exit.Error{
		Code: exit.NotFound, Text: fmt.Sprintf("no question waits in session %s", s.Label),
		Hint: "see what waits: aoctl pending",
	}
}

// said groups the answers by question, and makes sure that they fit. Several answers to one
// question are several options of it. Whether they may be several is for the form to say.
func (o answerOptions) said(form forms.Form) (map[string][]string, error) {
	said := map[string][]string{}
	for _, a := range o.answers {
		question, answer, ok := splitAnswer(form, a)
		if !ok {
			return nil, fmt.Errorf("%q does not begin with a question of the form and \"=\"", a)
		}
		said[question] = append(said[question], answer)
	}
	// Reply is what the console will make of the answers. Only its error is of use here.
	_, err := form.Reply(said)
	return said, err
}

// splitAnswer takes QUESTION=ANSWER apart: both may have a "=" of their own. The question
// is told by its text, else by its header, and never by where the first "=" stands.
//
// A form of one question takes any text for its answer, since there is nothing else that it
// could belong to.
func splitAnswer(form forms.Form, s string) (question, answer string, ok bool) {
	// All texts are tried before any header: a header is short, and may be how another's
	// text begins.
	for _, by := range []func(forms.Question) string{
		func(q forms.Question) string { return q.Text }, func(q forms.Question) string { return q.Header },
	} {
		for _, q := range form.Questions {
			if rest, found := strings.CutPrefix(s, by(q)+"="); found && by(q) != "" {
				return by(q), rest, true
			}
		}
	}
	if len(form.Questions) == 1 {
		return form.Questions[0].Text, s, true
	}
	return "", "", false
}

// showQuestions prints what is asked, and how to answer. Round brackets stand for one
// answer and square ones for several.
func showQuestions(out io.Writer, call broker.Request, form forms.Form) error {
	var b strings.Builder
	for _, q := range form.Questions {
		_, _ = fmt.Fprintln(&b, safe.Line(q.Text))
		mark := "( )"
		if q.Multi {
			mark = "[ ]"
		}
		for _, option := range q.Options {
			line := "  " + mark + " " + option.Label
			if option.Description != "" {
				line += ": " + option.Description
			}
			_, _ = fmt.Fprintln(&b, safe.Line(line))
		}
	}
	// The agent's words stay out of the line that a person may paste into a shell.
	_, _ = fmt.Fprintf(&b, "\nAnswer with: aoctl answer %s -a 'QUESTION=ANSWER' …\n", safe.Line(call.ID))
	_, err := io.WriteString(out, b.String())
	return err
}
