package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/hookclient/runner"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// printer prints what an agent says and does, and nothing of that can draw on the terminal.
// The agent's words go to out, what aoctl has to say to notes, so that a pipe gets the
// agent's alone. The runner calls it from its own goroutine, hence the lock.
type printer struct {
	out, notes io.Writer
	json       bool
	keep       bool // the session stays when its turn is over

	mu sync.Mutex
}

// Widths of what is printed of a call, in cells. A call is named here and not shown: the
// console shows all of it.
const (
	callWidth = 100
	endWidth  = 80
)

// begin says which session it is, for who wants to send it something: by the console's name
// for it, "" when that is not known, and by its id, which stays when names change.
func (p *printer) begin(name, id string) {
	session := "session " + id
	if name != "" {
		session = "session " + safe.Line(name) + " (" + id + ")"
	}
	p.note(session + "; ctrl+c ends the turn, twice the session")
}

// note prints a line of aoctl's own on notes; text is safe. A closed stderr ends nothing.
func (p *printer) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = fmt.Fprintln(p.notes, "aoctl: "+text)
}

// waits says that a call waits. It is named here; the console shows all of it.
func (p *printer) waits(tool, call string) {
	p.note("a call waits for you in the console: " + safe.Line(tool) + " " + safe.Head(call, callWidth))
}

// show prints one thing that was seen. Its error is that of writing to out, which ends the
// session: nobody would see what the agent does.
func (p *printer) show(s runner.Seen) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Notes are aoctl's own words, such as that the console is away. They go to stderr with
	// --json too.
	if s.Kind == runner.SeenNote {
		_, _ = fmt.Fprintln(p.notes, "aoctl: "+safe.Line(s.Text)) // a closed stderr ends nothing
		return nil
	}
	if p.json {
		return p.line(s)
	}
	text := p.text(s)
	if text == "" {
		return nil
	}
	_, err := io.WriteString(p.out, text+"\n")
	return err
}

// line prints the agent's own JSON, on one line that a terminal only shows. Everything else
// that was seen is made from such a line, and is not printed again.
func (p *printer) line(s runner.Seen) error {
	var compact bytes.Buffer
	if s.Kind != runner.SeenLine {
		return nil
	}
	err := json.Compact(&compact, s.Raw)
	if err != nil {
		return fmt.Errorf("print a message: %w", err)
	}
	_, err = p.out.Write(append(show.Escape(compact.Bytes()), '\n'))
	return err
}

// text is what the person sees of one thing the agent did; "" for what is not shown. What a
// sub-agent does is indented. The result is safe for a terminal.
func (p *printer) text(s runner.Seen) string {
	indent := ""
	if s.Sub {
		indent = "    "
	}
	switch s.Kind {
	case runner.SeenText:
		return indent + strings.ReplaceAll(safe.Text(strings.TrimSpace(s.Text)), "\n", "\n"+indent)
	case runner.SeenCall:
		return indent + "  " + safe.Line(s.Tool) + "  " + safe.Head(callWords(s.Input), callWidth)
	case runner.SeenEnd:
		return indent + "  " + endWords(s)
	case runner.SeenResult:
		// Without --keep the session ends with its turn, and end tells how.
		if p.keep {
			return "— " + safe.Line(s.Text) + "; the session waits for a message (aoctl send)"
		}
	case runner.SeenLine, runner.SeenNote:
	}
	return ""
}

// callWords is the part of a call's input that says most, else all of it. It may hold
// anything; the caller makes it safe.
func callWords(input json.RawMessage) string {
	var in map[string]json.RawMessage
	_ = json.Unmarshal(input, &in) // nil for what is no object
	for _, key := range []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description"} {
		var s string
		if json.Unmarshal(in[key], &s) == nil && s != "" {
			return s
		}
	}
	return string(input)
}

// endWords is how a call ended. A refusal and a failure look the same to the runner, so it
// says both.
func endWords(s runner.Seen) string {
	name := safe.Line(cmp.Or(s.Tool, "call"))
	if !s.Error {
		return "└ " + name + " done"
	}
	return "└ " + name + " failed or refused: " + safe.Head(strings.TrimSpace(s.Text), endWidth)
}

// end prints how the run went. A session without a turn has nothing to tell; why it ended
// was said.
func (p *printer) end(r runner.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Turns == 0 {
		return
	}
	line := safe.Line(r.Word) + " after " + figures.Plural(r.Turns, "turn")
	if spent := figures.Spent(r.Cost, r.Usage.Input+r.Usage.CacheRead+r.Usage.CacheWrite, r.Usage.Output); spent != "" {
		line += " · " + spent
	}
	_, _ = fmt.Fprintln(p.notes, "aoctl: "+line)
}
