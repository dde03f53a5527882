package setup

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/safe"
)

// candidate is an agent on this machine, and what an installation for it would do.
// Nothing is written for it before somebody has agreed.
type candidate struct {
	install.Found
	report install.Report // of a dry run
	err    error
	only   bool // it is the only one that is asked about
}

// open reports whether there is something to ask about c.
func (c candidate) open() bool { return c.err == nil && c.report.Changed }

// state is what a person wants to know of c in a few words, with the file that would
// be changed. Its paths are not safe for a terminal yet. An installation that is up to
// date and does not hold is said first of all.
func (c candidate) state() string {
	switch {
	case c.err != nil:
		return c.err.Error()
	case !c.report.Changed && c.report.Ungated != "":
		return "installed, but its calls are not held: " + c.report.Ungated
	case !c.report.Changed:
		return "installed"
	case c.report.Created:
		return "found, no aoctl hook yet → " + c.report.File + " (new)"
	case c.Installed:
		return "installed, but out of date → " + filePath(c.report)
	}
	return "found, no aoctl hook yet → " + filePath(c.report)
}

// offer finds the agents on this machine. At a terminal it asks about each; otherwise
// it lists them, with what to type. Without a terminal nothing is written: nobody has
// agreed. --json lists them in both cases and asks nothing.
//
// Errors are those of writing, and of the installations that were chosen.
func (i *installer) offer(ctx context.Context) error {
	list := i.candidates(ctx)
	if i.json.On() {
		return i.json.Print(i.out, offered(list))
	}
	if len(list) == 0 {
		_, err := io.WriteString(i.out, show.Fit(i.out, "No agent that aoctl knows was found on this machine.\n"+knownAgents()))
		return err
	}
	var b strings.Builder
	b.WriteString("Agents on this machine, and the file that would be changed:\n")
	for _, c := range list {
		fmt.Fprintf(&b, "  %-12s %s\n", c.Title, safe.Line(c.state()))
	}
	if _, err := io.WriteString(i.out, show.Fit(i.out, b.String())); err != nil {
		return err
	}
	if i.canAsk() {
		return i.choose(ctx, list)
	}
	return i.whatToType(list)
}

// canAsk reports whether a person is there to answer. A program that reads JSON is asked
// nothing.
func (i *installer) canAsk() bool {
	in, ok := i.in.(*os.File)
	return !i.json.On() && ok && term.IsTerminal(in.Fd()) && term.IsTerminal(os.Stdout.Fd())
}

// candidates looks what an installation would do for each agent, and does nothing. An
// agent whose settings cannot be read is listed with its error. It makes a dry run of
// each, so the list cannot promise what an installation would refuse.
func (i *installer) candidates(ctx context.Context) []candidate {
	var list []candidate
	found := install.Find()
	names := make([]string, len(found))
	for n, f := range found {
		names[n] = f.Agent
	}
	i.ask(ctx, names...)
	dry := *i
	dry.o.DryRun = true
	for _, f := range found {
		c := candidate{Found: f}
		dry.o.Agent = f.Agent
		c.report, c.err = dry.install(ctx)
		list = append(list, c)
	}
	return list
}

// offeredFields are those that offered has beside an installOutcome's. --json checks
// names before anything is looked at. They must be those of offered.
var offeredFields = []string{"id", "agent", "title", "program", "file", "installed", "would_change", "error"}

// offered is the list as --json prints it; it is never nil.
func offered(list []candidate) []map[string]any {
	out := []map[string]any{}
	for _, c := range list {
		m := map[string]any{
			"id": c.Agent, "agent": c.Agent, "title": c.Title, "program": c.Program, "file": c.File,
			"installed": c.Installed, "would_change": c.err == nil && c.report.Changed,
		}
		if c.err != nil {
			m["error"] = c.err.Error()
		}
		out = append(out, m)
	}
	return out
}

// whatToType names the command for each agent that lacks something. An agent that
// cannot be installed for is not in it; its reason stands in the list above.
func (i *installer) whatToType(list []candidate) error {
	var b strings.Builder
	for _, c := range list {
		if c.open() {
			fmt.Fprintf(&b, "  aoctl install %s\n", c.Agent)
		}
	}
	text := "Nothing is left to install.\n"
	if b.Len() > 0 {
		text = "To install:\n" + b.String() + "  aoctl install all          # all of them\n"
	}
	_, err := io.WriteString(i.out, text)
	return err
}

// choose asks about each agent that lacks something. Nothing is written before the
// last answer. Quitting leaves out the agents that were not asked about yet; an end of
// input leaves out all of them, because then nobody may be there any more.
//
// Nothing is left half done by a person who walks away: the answers are gathered
// first, and an input that ends before the last one counts for none.
func (i *installer) choose(ctx context.Context, list []candidate) error {
	answers := bufio.NewReader(i.in)
	var names, left []string
	rest := "" // the answer for all that follow
	list = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return !c.open() })
	for _, c := range list {
		c.only = len(list) == 1
		answer := rest
		if answer == "" {
			answer = i.askFor(ctx, answers, c)
		}
		switch answer {
		case answerEnd:
			return i.chosen(ctx, nil, nil)
		case answerAll:
			rest = answerYes
			names = append(names, c.Agent)
		case answerYes:
			names = append(names, c.Agent)
		case answerQuit:
			rest = answerNo
			left = append(left, c.Title)
		default:
			left = append(left, c.Title)
		}
	}
	return i.chosen(ctx, names, left)
}

// chosen installs for the agents called names, and says which were left out. Those who
// were left out are named at the end, so that nobody takes them for done.
func (i *installer) chosen(ctx context.Context, names, left []string) error {
	if len(names) == 0 {
		_, err := io.WriteString(i.out, "Nothing was changed.\n")
		return err
	}
	err := i.all(ctx, names)
	if len(left) > 0 {
		_, _ = fmt.Fprintf(i.out, "\nLeft out: %s.\n", strings.Join(left, ", ")) // an error of the installation matters more
	}
	return err
}

// The answers of askFor. The empty answer is the end of the input, not a bare enter.
const (
	answerYes  = "y"
	answerNo   = "n"
	answerAll  = "a"
	answerQuit = "q"
	answerEnd  = "" // the input has ended
)

// question is what askFor asks about c. Answers about others are offered only where
// there are others.
func (i *installer) question(c candidate) string {
	do, answers := "Install", "[y]es, [n]o, [a]ll the rest, [d]iff, [q]uit"
	if i.remove {
		do = "Take them out"
	}
	if c.only {
		answers = "[y]es, [n]o, [d]iff"
	}
	return fmt.Sprintf("%s for %s? %s: ", do, c.Title, answers)
}

// askFor asks about one agent until there is an answer. A bare enter is a no, and the
// difference can be looked at as often as one likes: in short, or whole in the pager,
// which leaves the question where it was. An answer that is none of these asks again.
func (i *installer) askFor(ctx context.Context, answers *bufio.Reader, c candidate) string {
	for {
		_, _ = io.WriteString(i.out, i.question(c))
		line, err := answers.ReadString('\n')
		if err != nil {
			_, _ = io.WriteString(i.out, "\n")
			return answerEnd
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "d", "diff":
			_, _ = io.WriteString(i.out, show.Fit(i.out, i.summary(c.report)))
		case "f", "full":
			_ = terminal.Page(ctx, i.out, diffText(c.report.Diff)) // the question comes again
		case "y", "yes":
			return answerYes
		case "n", "no", "":
			return answerNo
		case "a", "all":
			return answerAll
		case "q", "quit":
			return answerQuit
		}
	}
}
