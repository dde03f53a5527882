package logs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/safe"
)

// transcriptOptions are the argument and the flags of "aoctl transcript".
type transcriptOptions struct {
	session string
	limit   int
	json    output.Format
	follow  bool
}

// newTranscriptCommand declares "transcript".
func newTranscriptCommand() *cobra.Command {
	var o transcriptOptions
	cmd := &cobra.Command{
		Use:   "transcript SESSION",
		Short: "Show what was said and done in a session",
		Long: `transcript shows the newest parts of a session, oldest first: what its agent wrote down
of it (Claude Code, Codex, Gemini CLI, Qwen Code), and of each call what was decided here
and what it gave back. Where that file cannot be read, it shows what the session's hooks
told. It reads file and database itself, so it works with and without a console.

SESSION is an id or its beginning, a name, or a folder. With --json each part is an
object on a line of its own, with all of its text; with --follow a part whose call has come to something else
since is shown again, under its old key.`,
		Example: "  aoctl transcript api-server\n  aoctl transcript api-server --follow\n  aoctl transcript 4a2f7b71 -n 1000 --json",
		Args:    usage.OneArg("a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The limit is checked before the database is opened, like every mistake on the
			// command line.
			if o.session = args[0]; o.limit < 1 || o.limit > maxLog {
				return usage.Error{Text: fmt.Sprintf("a limit of %d is out of range", o.limit), Hint: fmt.Sprintf("give --limit from 1 to %d", maxLog)}
			}
			return showTranscript(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
		ValidArgsFunction: state.CompleteSessions,
	}
	cmd.Flags().IntVarP(&o.limit, "limit", "n", logLimit, "at most so many of the newest parts")
	output.Flags[entryJSON](cmd, &o.json, "print a JSON object a line")
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what comes from now on")
	return cmd
}

// teller prints a transcript. tell gathers the parts that were read and keeps a bounded
// number of entries; printed grows with what was shown, since a later reading may change
// any of it.
type teller struct {
	reader  *store.Reader
	session broker.Session
	tell    story.Conversation
	out     io.Writer
	json    output.Format
	printed map[string]string // by key: how it was printed last
}

// showTranscript reads back from the end of the transcript until it has as many entries as
// were asked for. Entries before those count as printed, so that --follow does not bring
// them.
//
// The text goes to out. That an agent's file could not be read goes to stderr: then the
// same command shows what the hooks told, which is less.
func showTranscript(ctx context.Context, o transcriptOptions, out, stderr io.Writer) (err error) {
	r, err := state.OpenReader(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	sessions, err := r.Sessions(ctx, broker.SessionFilter{Limit: maxLog})
	if err != nil {
		return err
	}
	w := &teller{reader: r, out: out, json: o.json, printed: map[string]string{}}
	if w.session, err = client.FindSession(sessions, o.session, client.Recorded...); err != nil {
		return err
	}
	got, err := w.read(ctx, story.NewestPart)
	if err != nil {
		return err
	}
	if got.NoFile != "" {
		fmt.Fprintln(stderr, "aoctl: this is what its hooks told; "+safe.Line(got.NoFile))
	}
	for len(w.tell.Entries) < o.limit && !w.tell.AtStart() {
		before := len(w.tell.Entries)
		if _, err := w.read(ctx, story.EarlierPart); err != nil {
			return err
		}
		// A part may hold no entry at all, so a reading that brought none is no end by
		// itself. But the conversation keeps a bounded number, and past that a further
		// reading brings nothing either.
		if len(w.tell.Entries) <= before && !w.tell.AtEnd() { // no more are kept
			break
		}
	}
	list := w.tell.Entries
	// These lines are made although nobody reads them: a later reading is compared with
	// what they say.
	for _, e := range list[:max(0, len(list)-o.limit)] {
		if w.printed[e.Key], err = w.line(e); err != nil {
			return err
		}
	}
	if err := w.print(); err != nil || !o.follow {
		return err
	}
	return w.follow(ctx)
}

// read reads one more part and adds it to the conversation. The log's head is asked for
// first: it says up to which event the log is read beside the file.
func (w *teller) read(ctx context.Context, part story.TranscriptPart) (story.Transcript, error) {
	head, _, err := w.reader.Head(ctx)
	if err != nil {
		return story.Transcript{}, err
	}
	got, err := story.ReadTranscript(ctx, w.reader, head, w.session, part, w.tell.Span())
	if err == nil {
		w.tell.Add(got)
	}
	return got, err
}

// follow prints what comes until it is interrupted, which is how it is meant to end. An
// entry whose call was decided or ran in the meantime is printed again, whole, since what
// was printed on a terminal or into a pipe cannot be changed.
func (w *teller) follow(ctx context.Context) error {
	poll := time.NewTicker(followPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
		// A file that was replaced or cut short is read anew by itself; got says so and
		// holds its end.
		got, err := w.read(ctx, story.LaterPart)
		switch {
		case ctx.Err() != nil:
			return nil
		// A busy database is one that a console opens or closes; an unchanged file has
		// nothing new.
		case errors.Is(err, store.ErrBusy), err == nil && got.Same:
			continue
		case err == nil:
			err = w.print()
		}
		if err != nil {
			return err
		}
	}
}

// print prints the entries that are not printed yet, or otherwise. It compares the printed
// text and not the entry: only what a reader would see counts as a change.
func (w *teller) print() error {
	for _, e := range w.tell.Entries {
		text, err := w.line(e)
		if err != nil {
			return err
		}
		if w.printed[e.Key] == text {
			continue
		}
		w.printed[e.Key] = text
		if _, err := io.WriteString(w.out, text); err != nil {
			return err
		}
	}
	return nil
}

// line is an entry as it is printed: a text for people or, with --json, one object. Both
// end in a newline.
func (w *teller) line(e story.Entry) (string, error) {
	if !w.json.On() {
		return w.text(e) + "\n", nil
	}
	var b strings.Builder
	err := w.json.Print(&b, entryAsJSON(e))
	return b.String(), err
}

// text is an entry for people. An entry is one thing of four: a call, an event of the log,
// words, or a result whose call is not known. Indented lines that follow belong to it.
func (w *teller) text(e story.Entry) string {
	lead := map[agents.Speaker]string{agents.SaidUser: "you", agents.SaidAgent: "agent", agents.SaidThought: "thought", agents.SaidOther: "·"}[e.By]
	if e.Whose != "" {
		lead += " › " + safe.Line(e.Whose)
	}
	var b strings.Builder
	switch {
	case e.Call != nil:
		// Call, sub-agent and reason are the agent's text. Each goes through safe.Line by
		// itself, so that none of them can end the line or pretend to be the verdict behind
		// it.
		b.WriteString(strings.TrimSpace(lead+" ▸ "+safe.Line(e.Call.ToolName)) + " " + safe.Line(show.Call(*e.Call)) + "  [" + safe.Line(verdictWords(e)) + "]")
		// The agent's file disagrees with what was asked here. That may be an agent that
		// rewrites its calls, or a file that somebody changed; a person has to see both.
		if f := e.InFile; f != nil {
			b.WriteString("\n  ! the agent's file has another call here: " + safe.Line(f.ToolName) + " " + safe.Line(show.Call(*f)))
		}
		if e.Retold {
			b.WriteString("\n  ! the call was too large to be kept here; this is what the agent's file has")
		}
	case e.Moment != nil:
		b.WriteString("· " + strings.ReplaceAll(safe.Line(e.Moment.Event.Type), "_", " "))
		if text, _ := plainwords.Event(e.Moment.Event); text != "" {
			b.WriteString("  " + safe.Line(text))
		}
	// Thoughts and notices are long and rarely asked for: their first line stands for them.
	// --json has all.
	case e.By == agents.SaidThought || e.By == agents.SaidOther:
		first, more, _ := strings.Cut(strings.TrimSpace(plainwords.Said(e.Text)), "\n")
		if b.WriteString(lead + " " + safe.Line(first)); more != "" {
			b.WriteString(" …")
		}
	case e.Ran == nil:
		b.WriteString(lead + ": " + indented(plainwords.Said(e.Text)))
	}
	// What a tool gave back may be long. The agent's side of the log keeps a bounded part,
	// and how much is missing is said below it.
	if e.Ran != nil {
		b.WriteString("\n  ↳ " + ranText(e.Ran))
		if n := e.Ran.Missing(); n > 0 {
			fmt.Fprintf(&b, "\n    (%s were not kept)", figures.Plural(n, "byte"))
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// ranText is how a call ended, and what came of it.
func ranText(r *broker.RanData) string {
	switch {
	case r.Failed && r.Output == "":
		return "failed"
	case r.Failed:
		return "failed: " + indented(r.Output)
	case r.Output == "":
		return "no output"
	}
	return "output: " + indented(r.Output)
}

// indented is text behind its label: later lines are set in, so that none of them looks
// like an entry of its own, and nothing in it can move the cursor.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(safe.Text(text), "\n"), "\n", "\n    ")
}

// verdictWords is what became of a call. A call that only the agent's file has says so: it
// was never asked here, or another console's record has it.
func verdictWords(e story.Entry) string {
	r := e.Call
	switch {
	case !e.OnRecord:
		return "not asked here"
	case r.Outcome == nil:
		return "waits"
	}
	text := string(r.Outcome.State) + " by " + show.Actor(r.Outcome.By, nil)
	// The text that is printed is what the agent asked for; something else ran.
	if r.Outcome.UpdatedInput != nil {
		text += ", with another input"
	}
	if r.Outcome.Reason != "" && r.Outcome.By.ID != rules.BuiltinLook { // its name says it
		text += ": " + r.Outcome.Reason
	}
	return text
}

// entryJSON is an entry as programs read it. The names are a promise to scripts; a member
// that says nothing of this entry is left out. At is in UTC.
type entryJSON struct {
	ID       string          `json:"id"` // the same as Key, as every list has it
	Key      string          `json:"key"`
	By       agents.Speaker  `json:"by"`
	At       *time.Time      `json:"at,omitempty"`
	Subagent string          `json:"subagent,omitempty"`
	Text     string          `json:"text,omitempty"`
	Tool     string          `json:"tool_name,omitempty"`
	Input    json.RawMessage `json:"tool_input,omitempty"`
	CallID   string          `json:"tool_use_id,omitempty"`
	Request  string          `json:"request_id,omitempty"`
	Status   broker.State    `json:"status,omitempty"`
	Outcome  *broker.Outcome `json:"outcome,omitempty"`
	InFile   *callJSON       `json:"in_file,omitempty"` // the call as the agent's file has it, where that is another one
	Retold   bool            `json:"retold,omitempty"`  // the input is the file's
	Ran      *resultJSON     `json:"result,omitempty"`
	Event    string          `json:"event_type,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// callJSON is a call as the agent's file has it. Its input is the file's JSON, untouched.
type callJSON struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// resultJSON is what a tool gave back. Output may have been cut when it was recorded; Bytes
// is how long it was before.
type resultJSON struct {
	Failed     bool   `json:"failed"`
	Output     string `json:"output,omitempty"`
	Bytes      int    `json:"output_bytes"`
	DurationMS int64  `json:"duration_ms,omitempty"`
}

// entryAsJSON is an entry for programs. Only a call that is on record has a request's id and
// outcome: what the agent's file says of a call proves nothing.
func entryAsJSON(e story.Entry) entryJSON {
	t := entryJSON{ID: e.Key, Key: e.Key, By: e.By, Subagent: e.Whose, Text: e.Text}
	// Not every agent notes when something was said; there is no time in the object then.
	if e.AtMS > 0 {
		at := time.UnixMilli(e.AtMS).UTC()
		t.At = &at
	}
	if c := e.Call; c != nil {
		// The input is JSON already and goes out as it came, so numbers keep their digits.
		t.Tool, t.Input, t.CallID = c.ToolName, c.ToolInput, c.ToolUseID
		if e.OnRecord {
			t.Request, t.Status, t.Outcome = c.ID, c.State, c.Outcome
		}
		if f := e.InFile; f != nil {
			t.InFile = &callJSON{f.ToolName, f.ToolInput}
		}
		t.Retold = e.Retold
	}
	if e.Ran != nil {
		t.Ran = &resultJSON{Failed: e.Ran.Failed, Output: e.Ran.Output, Bytes: e.Ran.OutputBytes, DurationMS: e.Ran.DurationMS}
	}
	if e.Moment != nil {
		t.Event, t.Data = e.Moment.Event.Type, e.Moment.Event.Data
	}
	return t
}
