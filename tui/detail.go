package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/safe"
)

// doc is one call laid out for a width: the call itself first, with every field of
// its input, then what it runs and what the rules say of that, then where it comes
// from, last what the agent says about it.
type doc struct {
	paper
	title   string // safe to draw
	alarm   string // beside the title, of a dangerous call; safe to draw
	note    string // beside the title
	callEnd int    // rows of the call: allowing takes that the last of them was seen
	at      int    // first row of what has a form's cursor
	atEnd   int    // and the row behind its last one
	size    string // of the input, when it is large

	undrawn  []undrawn
	anchors  []anchor // where the lines of comparisons are drawn
	sections int      // the comparison that is being drawn
}

// around is what a doc tells beyond the request.
type around struct {
	session *broker.Session // nil when unknown
	label   string          // of the session
	ask     *answering      // the form of a question that can be answered here
	inForm  bool            // and keys are for it
	loc     *time.Location  // of the clock on the screen
	story   story.Story     // what led to it; empty while that is not known

	sections []section    // of a call that changes files; compared without them when nil
	rest     []wire.Field // what they do not show
	view     diffView
	planFile fileState // that holds a plan which the call does not
}

func layOut(st *Styles, r broker.Request, a around, width int) *doc {
	return layOutLater(st, r, a, width).lookAtAll()
}

// layOutLater is layOut with rows that are drawn when they are looked at; see look.
func layOutLater(st *Styles, r broker.Request, a around, width int) *doc {
	d := &doc{paper: *st.paper(width), title: safeLine(r.ToolName), alarm: (&card{req: r}).alarm()}
	tool, input := r.Call()
	c := readCall(input)
	d.call(r, tool, c, a)
	d.remarks(r, c)
	d.environment(a.session)
	d.callEnd = len(d.rows)
	if n := len(r.ToolInput); n >= 1000 {
		d.size = size(n)
	}
	d.blank()
	d.judged(r.Assessment, c)
	d.background(a)
	d.origin(r, a)
	d.words(r, c)
	return d
}

// call draws the input for its tool. A shape we do not know is drawn field by field.
func (d *doc) call(r broker.Request, tool string, c call, a around) {
	if c.broken != "" {
		d.say(inkDanger, "! this input is not a plain JSON object: "+c.broken)
		d.write(gutter{}, inkText, string(r.ToolInput))
		return
	}
	if len(a.sections) > 0 {
		d.changes(a.sections, a.view)
		d.fields(a.rest)
		return
	}
	if cs, ok := readChanges(tool, c); ok {
		d.changes(cs.compare(nil, r.CWD, compareDrawing), a.view)
		d.fields(cs.rest)
		return
	}
	switch tool {
	case "Bash":
		if command, ok := c.text("command"); ok {
			d.bash(command, r.Legible)
			d.fields(c.without("command", said(r, c)))
			return
		}
	case agents.AskUserQuestion:
		d.question(r, c, a)
		return
	case agents.ExitPlanMode:
		d.plan(r, c, a.planFile)
		return
	}
	if len(c.fields) == 0 {
		d.say(inkMuted, "no input")
	}
	d.fields(c.fields)
}

// said names the field that holds the agent's own words, when words() draws them.
func said(r broker.Request, c call) string {
	if text, ok := c.text("description"); ok && (r.Description == "" || r.Description == text) {
		return "description"
	}
	return ""
}

// bash draws a command line, with colours when it is legible: one that nobody has read
// without harm is not parsed here either.
func (d *doc) bash(command string, legible bool) {
	var marks []mark
	if legible {
		marks = shellMarks(command)
	}
	lines := countLines(command)
	if lines <= 1 {
		d.write(fixed(inkMuted, "$", 2), inkText, command, marks...)
		return
	}
	d.note = plural(lines, "line")
	digits := len(strconv.Itoa(lines))
	d.write(gutter{width: digits + 3, next: spaces(digits+1) + "↪", first: func(n int) (ink, string) {
		prompt := "  "
		if n == 1 {
			prompt = "$ "
		}
		return inkMuted, prompt + fmt.Sprintf("%*d", digits, n)
	}}, inkText, command, marks...)
}

const (
	maxLabel  = 28 // cells of a field's name beside its value
	minBeside = 24 // cells that a value needs beside its name
)

// fields draws names and values, all of them, in the order they came in.
func (d *doc) fields(list []wire.Field) {
	width, most := 0, min(maxLabel, d.width/3)
	for _, f := range list {
		if n := cells(safeLine(f.Key)); n <= most {
			width = max(width, n+2)
		}
	}
	width = max(width, 6)
	for _, f := range list {
		d.field(f, width)
	}
}

func (d *doc) field(f wire.Field, width int) {
	name, value := safe.Line(f.Key), valueText(f.Value)
	base, nameInk := inkText, inkLabel
	if f.Key == "dangerouslyDisableSandbox" && isTrue(f.Value) {
		d.say(inkDanger, "! runs outside the sandbox")
		base, nameInk = inkDanger, inkDanger
	}
	if s, ok := stringValue(f.Value); ok && s == "" {
		base, value = inkMuted, `""`
	}
	if cells(name)+2 > width || d.width-width < minBeside {
		d.write(gutter{}, nameInk, f.Key)
		d.write(fixed(inkMuted, "", 2), base, value)
		return
	}
	d.write(fixed(nameInk, name, width), base, value)
}

// remarks warns of letters that may be taken for others, anywhere in the call.
func (d *doc) remarks(r broker.Request, c call) {
	parts := []string{r.ToolName}
	for _, f := range c.fields {
		if plainJSON(f.Value) && plainJSON([]byte(f.Key)) {
			continue // no other letters than ASCII's: most calls, and quick for large ones
		}
		parts = append(parts, f.Key+"\n"+valueText(f.Value))
	}
	for _, n := range safe.Notes(strings.Join(parts, "\n")) {
		d.sayBehind(inkWarn, "!", 2, inkWarn, n)
	}
}

// plainJSON reports whether a JSON text holds only ASCII, also after its escapes.
func plainJSON(raw []byte) bool {
	for i, b := range raw {
		if b >= 0x80 || b == 'u' && i > 0 && raw[i-1] == '\\' {
			return false
		}
	}
	return true
}

// origin draws where the call comes from.
func (d *doc) origin(r broker.Request, a around) {
	const width = 11
	line := func(label, text string) {
		if text != "" {
			d.write(fixed(inkLabel, label, width), inkText, text)
		}
	}
	d.checkpoint(r, a, width)
	line("in", r.CWD)
	session := []string{a.label, safeLine(r.Agent)}
	if a.session != nil && a.session.Pane != "" {
		session = append(session, "pane "+safeLine(a.session.Pane))
	}
	d.sayBehind(inkLabel, "session", width, inkText, strings.Join(session, " · "))
	if r.SubagentID != "" || r.SubagentType != "" {
		line("sub-agent", strings.TrimSpace(r.SubagentType+"  "+r.SubagentID))
	}
	if a.session != nil && a.session.ProjectDir != r.CWD {
		line("project", a.session.ProjectDir)
	}
	line("mode", r.Mode)
	line("asked", r.CreatedAt.In(a.loc).Format("15:04:05"))
	line("id", r.ID)
}

// words draws what the agent says about its call: labelled, dimmed, and last.
func (d *doc) words(r broker.Request, c call) {
	text := r.Description
	if said(r, c) != "" {
		text, _ = c.text("description")
	}
	if text == "" {
		return
	}
	d.write(gutter{width: 2, next: "┊", first: func(int) (ink, string) { return inkFaint, "┊" }},
		inkAgent, `agent says: "`+text+`"`)
}
