package doctor

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// examination is what aoctl doctor found; --json prints it. The zero value is an
// examination in which nothing was looked at yet. It is filled by one goroutine.
type examination struct {
	Version version.Info `json:"aoctl"`
	Project string       `json:"project"`
	OK      int          `json:"ok"`
	Warned  int          `json:"warnings"`
	Failed  int          `json:"failures"`
	Skipped int          `json:"skipped"`
	Fixed   []string     `json:"fixed"` // what --fix did, a sentence each
	Checks  []check      `json:"checks"`

	at      string // the section that checks are added to
	verbose bool   // all that was seen is printed
}

// check is one thing that was looked at. The names of its members are a promise to
// scripts. Seen says what is, Cure what to do about it; both are one line.
type check struct {
	ID      string            `json:"id"`      // section and name, with a number from the second of that name on
	Section string            `json:"section"` // console, database, an agent's name, drill, rules
	Name    string            `json:"name"`
	Status  agentcheck.Status `json:"status"` // ok, warn, fail, skipped
	Seen    string            `json:"seen"`   // one line
	Cure    string            `json:"cure,omitempty"`
	Drill   *drillResult      `json:"drill,omitempty"` // section drill only

	repair *agentcheck.Repair
}

// section begins a section; every check that is added from here on belongs to it.
func (e *examination) section(name string) { e.at = name }

// add notes a check that is done. The pointer is good until the next add: the caller
// hangs a repair or a drill's result on it at once. format is ours, and args may hold
// what a file or an agent says; it is made safe when printed.
func (e *examination) add(s agentcheck.Status, name, cure, format string, args ...any) *check {
	e.Checks = append(e.Checks, check{Section: e.at, Name: name, Status: s, Seen: fmt.Sprintf(format, args...), Cure: cure})
	switch s {
	case agentcheck.OK:
		e.OK++
	case agentcheck.Warn:
		e.Warned++
	case agentcheck.Fail:
		e.Failed++
	case agentcheck.Skipped:
		e.Skipped++
	}
	return &e.Checks[len(e.Checks)-1]
}

// join adds the checks of a part behind those of e.
func (e *examination) join(part *examination) {
	e.Checks = append(e.Checks, part.Checks...)
	e.OK += part.OK
	e.Warned += part.Warned
	e.Failed += part.Failed
	e.Skipped += part.Skipped
}

// addFinding adds what the check of an agent's settings has found, with its repair.
func (e *examination) addFinding(f agentcheck.Finding) {
	e.add(f.Status, f.Name, f.Cure, "%s", f.Seen).repair = f.Repair
}

// absent reports whether all that there is to say of an agent is that it was not
// found. Such agents are told in one line together.
func (e *examination) absent(section string) bool {
	n, skipped := 0, 0
	for _, c := range e.Checks {
		if c.Section == section {
			n++
			if c.Status == agentcheck.Skipped && c.Name == "program" {
				skipped++
			}
		}
	}
	return n == 1 && skipped == 1
}

// mendable reports whether --fix would try something.
func (e *examination) mendable() bool {
	for _, c := range e.Checks {
		if c.repair != nil && (c.Status == agentcheck.Warn || c.Status == agentcheck.Fail) {
			return true
		}
	}
	return false
}

// sectionTitle is a heading of the report: the agent's full name for a section of an
// agent.
func sectionTitle(section string) string {
	switch section {
	case "console", "database", "drill", "rules":
		return strings.ToUpper(section[:1]) + section[1:]
	}
	return install.Title(section)
}

// statusWord: the words are as long as each other, so that the columns stand. style is
// the number of a terminal's colour. The word says it all where there are none.
func statusWord(s agentcheck.Status) (word, style string) {
	switch s {
	case agentcheck.OK:
		return "ok  ", "32"
	case agentcheck.Warn:
		return "warn", "33"
	case agentcheck.Fail:
		return "FAIL", "1;31"
	case agentcheck.Skipped:
	}
	return "-   ", "2"
}

// print writes e for a person, or as JSON. What was mended comes first, then the
// sections, then the sum. Agents that were not found stand behind those that were.
// Width is measured once, so that all columns stand.
func (e *examination) print(w io.Writer, as *output.Format) error {
	if as.On() {
		e.number()
		return as.Print(w, e)
	}
	width, styled := show.Terminal(w)
	out := bufio.NewWriter(w)
	p := painter{out: out, width: width, styled: styled, verbose: e.verbose}
	for _, c := range e.Checks {
		p.names = max(p.names, safe.Width(safe.Line(c.Name)))
	}
	for _, text := range e.Fixed {
		p.wrapped("  ", "fixed: "+safe.Line(text), "  ")
	}
	if len(e.Fixed) > 0 {
		p.line("")
	}
	section := ""
	var absent []string
	for _, c := range e.Checks {
		if e.absent(c.Section) {
			absent = append(absent, sectionTitle(c.Section))
			continue
		}
		if len(absent) > 0 && (c.Section == "drill" || c.Section == "rules") {
			p.line("")
			p.line(p.paint("Not found here", "1"))
			p.wrapped("  ", strings.Join(absent, ", "), "  ")
			absent = nil
		}
		if c.Section != section {
			if section != "" {
				p.line("")
			}
			section = c.Section
			p.line(p.paint(sectionTitle(section), "1"))
		}
		p.check(c)
	}
	p.line("")
	p.line(fmt.Sprintf("%d ok, %s, %s, %d skipped", e.OK, figures.Plural(e.Warned, "warning"), figures.Plural(e.Failed, "failure"), e.Skipped))
	if p.cut {
		p.wrapped("", "What is well has one line; all that was seen: aoctl doctor --verbose", "")
	}
	return out.Flush()
}

// number gives every check an id, for scripts that compare two reports. Only JSON has
// it.
func (e *examination) number() {
	seen := map[string]int{}
	for i := range e.Checks {
		c := &e.Checks[i]
		c.ID = c.Section + "/" + c.Name
		seen[c.ID]++
		if n := seen[c.ID]; n > 1 {
			c.ID += fmt.Sprintf("/%d", n)
		}
	}
}

// painter writes lines that fit the terminal; into a pipe none is broken. Errors of
// writing stay with out, and its Flush reports them. It is made for one report.
type painter struct {
	out    *bufio.Writer
	width  int // 0: any
	styled bool
	names  int // width of the column of names

	verbose bool // what is well has all its lines
	cut     bool // some of it was left out
}

func (p *painter) line(s string) { _, _ = p.out.WriteString(s + "\n") } // Flush reports it

// paint is s in a style of the terminal (SGR numbers), or as it is where no style is
// welcome.
func (p *painter) paint(s, style string) string {
	if !p.styled {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// stacked is the width below which what was seen stands below the name of a check, in
// cells.
const stacked = 60

// check writes one check: its word, its name, what was seen, and below it the cure
// where there is something to cure. What was seen may hold names of others, and is
// made safe here.
func (p *painter) check(c check) {
	word, style := statusWord(c.Status)
	name := safe.Line(c.Name)
	name += strings.Repeat(" ", max(p.names-safe.Width(name), 0))
	indent := strings.Repeat(" ", 2+4+2+p.names+2)
	lead := "  " + p.paint(word, style) + "  " + name + "  "
	if p.width > 0 && p.width < stacked {
		p.line(strings.TrimRight(lead, " "))
		indent = strings.Repeat(" ", 2+4+2)
		lead = indent
	}
	seen := safe.Line(c.Seen)
	if c.Status == agentcheck.OK && !p.verbose {
		seen = p.inOneLine(seen, indent)
	}
	p.wrapped(lead, seen, indent)
	if c.Cure != "" && c.Status != agentcheck.OK {
		p.cure(indent+p.paint("→ ", "2"), safe.Line(c.Cure), indent+"  ")
	}
}

// inOneLine is as much of text as one line has room for behind indent: whole words, and a sign that
// there is more.
func (p *painter) inOneLine(text, indent string) string {
	room := p.width - safe.Width(indent)
	if p.width == 0 || room < 10 || safe.Width(text) <= room {
		return text
	}
	p.cut = true
	head := ansi.Truncate(text, room-2, "")
	if at := strings.LastIndex(head, " "); at > 0 && !strings.HasPrefix(text[len(head):], " ") {
		head = head[:at]
	}
	return strings.TrimRight(head, " ,;:") + " …"
}

// commandIn finds the command in a cure: at its beginning or behind a colon, up to a
// comma. Cures are the doctor's own texts, written with this in mind. A cure may have
// several commands; the first is the one that is not broken.
var commandIn = regexp.MustCompile(`(?:^|: )(aoctl [^,;]+)`)

// cure writes what to do. A command that does not fit beside the other words gets a
// line of its own, and is never broken: it is there to be copied. In a very narrow
// window it stands further left.
func (p *painter) cure(first, text, rest string) {
	at := commandIn.FindStringSubmatchIndex(text)
	if p.width == 0 || at == nil || safe.Width(rest+text) <= p.width {
		p.wrapped(first, text, rest)
		return
	}
	before, command, after := text[:at[2]], text[at[2]:at[3]], strings.TrimLeft(text[at[3]:], ",; ")
	if before != "" {
		p.wrapped(first, strings.TrimSpace(before), rest)
		first = rest
	}
	if safe.Width(rest+command) > p.width {
		if before == "" {
			p.line(strings.TrimRight(first, " "))
		}
		first = "    "
	}
	p.line(first + command)
	if after != "" {
		p.wrapped(rest, after, rest)
	}
}

// wrapped writes text behind first, and what does not fit on lines behind rest. A word
// that is too long for a line stays whole: it is a path, there to be copied. first and
// rest are as wide as each other.
func (p *painter) wrapped(first, text, rest string) {
	if p.width == 0 || p.width-safe.Width(rest) < 10 {
		p.line(first + text)
		return
	}
	// first may have colours, which show.Fold would count.
	for i, row := range show.Fold(rest, text, rest, p.width) {
		if i == 0 {
			row = first + strings.TrimPrefix(row, rest)
		}
		p.line(strings.TrimRight(row, " "))
	}
}
