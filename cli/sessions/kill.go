package sessions

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/proctree"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// killTimeout is how long a kill may take to be answered: eight seconds for the
// processes, and the records before and after.
const killTimeout = 30 * time.Second

// streams are where a command reads and writes. err gets the question and what is
// listed before it.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// killed is a session after its processes were to end. Over is false when a process
// lives on, and also when nobody can say that none does. The first word of each fact
// is for programs; the sentence for people is made by print. Processes is in the order
// in which the console found them.
type killed struct {
	label string // what the screen calls it

	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	Over       bool              `json:"over"`     // nothing that was to end is known to live on
	Recorded   bool              `json:"recorded"` // all of it is in the log
	Processes  []proctree.Found  `json:"processes"`
	Unfinished string            `json:"unfinished,omitempty"`
	Shared     []proctree.Sharer `json:"shared,omitempty"` // other sessions that a process of it served, and that ended with it
}

// killSession shows what is going to end, asks unless o.yes, and ends it. Ended
// sessions are found too: an agent that is gone may have left processes. The list of
// what ended is printed before the error that says what did not. The console waits for
// the processes itself and answers once, so the command waits for longer than for
// anything else.
//
// Errors: those of finding the session, exit.Survivors when something lives on or may,
// and exit.Failed when not all of it could be recorded.
func killSession(ctx context.Context, c *client.Client, o stopOptions, std streams) error {
	s, err := c.Session(ctx, o.session, client.Recorded...)
	if err != nil {
		return err
	}
	c.WaitFor(killTimeout)
	if !o.yes {
		if ok, err := askToKill(ctx, c, s, std); err != nil || !ok {
			return err
		}
	}
	var answer struct {
		broker.Session

		Killed   broker.Killed `json:"killed"`
		Over     bool          `json:"over"`
		Recorded bool          `json:"recorded"`
	}
	if err := c.Post(ctx, "/sessions/"+url.PathEscape(s.ID)+"/stop", map[string]bool{"kill": true}, &answer); err != nil {
		return err
	}
	done := killed{
		ID: s.ID, label: s.Label, Name: show.SessionName(s.Session), Status: string(answer.State), Over: answer.Over, Recorded: answer.Recorded,
		Processes: answer.Killed.Processes, Unfinished: answer.Killed.Unfinished, Shared: answer.Killed.Shared,
	}
	if o.json.On() {
		err = o.json.Print(std.out, []killed{done})
	} else {
		err = done.print(std.out)
	}
	if err != nil {
		return err
	}
	return done.failure()
}

// askToKill lists the processes and takes a y for yes. Without a terminal nobody can
// be asked, and only --yes goes on then. The list and the question go to standard
// error, so that standard output has the result alone. What the processes start
// meanwhile ends as well.
//
// The question counts the processes that run now. More may start before the answer,
// and they end too: the console looks for them again when it stops the session.
func askToKill(ctx context.Context, c *client.Client, s client.Named, std streams) (bool, error) {
	in, ok := std.in.(*os.File)
	if !ok || !term.IsTerminal(in.Fd()) {
		return false, usage.Error{Text: "--kill asks first, and there is no terminal to ask on", Hint: "add --yes to end the processes without being asked"}
	}
	var found broker.Killed
	if err := c.Get(ctx, "/sessions/"+url.PathEscape(s.ID)+"/processes", nil, &found); err != nil {
		return false, err
	}
	if err := printProcesses(std.err, found.Processes); err != nil {
		return false, err
	}
	if found.Unfinished != "" {
		fmt.Fprintln(std.err, "There may be more: "+safe.Line(found.Unfinished)+".")
	}
	if len(found.Shared) > 0 {
		fmt.Fprintf(std.err, "Its process serves other sessions, which end with it: %s\n", safe.Line(sharers(found.Shared)))
	}
	fmt.Fprintf(std.err, "Stop %s and end %s, with what they start meanwhile? [y/N] ",
		safe.Line(s.Label), figures.Plural(found.Count(proctree.Running), "process"))
	line, _ := bufio.NewReader(in).ReadString('\n') // no answer is no
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	fmt.Fprintln(std.err, "Nothing was done.")
	return false, nil
}

// sharers names other sessions, each with its id, which is what other commands take.
func sharers(list []proctree.Sharer) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name + " (" + s.SessionID + ")"
	}
	return strings.Join(names, ", ")
}

// printProcesses lists processes, with why each of them counts as the session's.
// Command lines are the agents' and are made safe by the table. An empty list prints
// nothing. The order is the console's.
func printProcesses(out io.Writer, list []proctree.Found) error {
	if len(list) == 0 {
		return nil
	}
	t := show.Table{Head: []string{"PID", "STATE", "WHY IT COUNTS", "COMMAND"}}
	for _, p := range list {
		command := p.Command
		if p.Note != "" {
			command += "  (" + p.Note + ")"
		}
		t.Add(strconv.Itoa(p.PID), string(p.Fate), p.Why, command)
	}
	return t.Print(out)
}

// print says what ended, and what was left alone because it may belong to somebody
// else. What survived is not in it: that is an error with its own exit code.
func (k killed) print(out io.Writer) error {
	if err := printProcesses(out, k.Processes); err != nil {
		return err
	}
	text := fmt.Sprintf("%s: %s, %s ended", k.label, k.Status, figures.Plural(k.count(proctree.Ended), "process"))
	if n := k.count(proctree.Unsure); n > 0 {
		text += fmt.Sprintf("; %s may belong to it and were left alone", figures.Plural(n, "process"))
	}
	if len(k.Shared) > 0 {
		text += "; its process also served " + sharers(k.Shared)
	}
	return show.Line(out, safe.Line(text))
}

// count is how many processes met this fate.
func (k killed) count(f proctree.Fate) int { return broker.Killed{Processes: k.Processes}.Count(f) }

// failure is what is not as it was to be: something lives on, or is not on record. The
// session is stopped in any case, so its calls are refused even where its processes
// run on. A kill that was recorded only in part has done its work, and is an error all
// the same: the log is what people go by later.
func (k killed) failure() error {
	left := k.count(proctree.Survived) + k.count(proctree.Spared)
	switch {
	case left > 0:
		return exit.Error{
			Code: exit.Survivors, Text: fmt.Sprintf("%s of %s still run", figures.Plural(left, "process"), k.label),
			Hint: "the list says why; the session's calls are refused all the same",
		}
	case !k.Over:
		return exit.Error{
			Code: exit.Survivors, Text: fmt.Sprintf("processes of %s may still run: %s", k.label, k.Unfinished),
			Hint: "look with: ps -ef; the session's calls are refused all the same",
		}
	case !k.Recorded:
		return exit.Error{Code: exit.Failed, Text: "the processes ended, but not all of it could be recorded", Hint: "check the disk, and aoctl.log"}
	}
	return nil
}
