package callview

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// Doc is one call laid out for a width: the call itself first, with every field of
// its input and with what its agent says about it, then its danger, then what it runs
// and what the rules say of that, last where it comes from.
type Doc struct {
	draw.Paper
	Title   string // safe to draw
	Note    string // beside the title
	CallEnd int    // rows of the call: allowing takes that the last of them was seen
	At      int    // first row of what has a form's cursor
	AtEnd   int    // and the row behind its last one
	Size    string // of the input, when it is large

	labelInTitle bool   // the title names the session
	pathInTitle  bool   // the title names the only file of the call
	folder       string // that paths are named from; empty where they are drawn whole

	undrawn  []undrawn
	Anchors  []anchor // where the lines of comparisons are drawn
	sections int      // the comparison that is being drawn
	several  bool     // it is one of several
}

// Around is what a doc tells beyond the request.
type Around struct {
	Session *broker.Session // nil when unknown
	Label   string          // of the session
	Ask     *Answering      // the form of a question that can be answered here
	InForm  bool            // and keys are for it
	Loc     *time.Location  // of the clock on the screen
	Story   story.Story     // what led to it; empty while that is not known

	Sections []change.Section // of a call that changes files; compared without them when nil
	Rest     []wire.Field     // what they do not show
	View     DiffView
	PlanFile change.File // that holds a plan which the call does not

	Framed bool   // the card's title is drawn too, and a key unfolds what is left out at first: see DiffView
	Home   string // the user's folder, which paths are shortened by; empty for none
	Code   string // that allows a dangerous call on this screen, empty for none
	Retry  bool   // it lets the next try of a late call pass
	Off    string // of a call that waits: which rule is switched off and would allow it, safe to draw; empty for none
}

// folded reports whether a card leaves out what is known of its call beside the call itself.
func (a Around) folded() bool { return a.Framed && !a.View.Unfolded() }

// LayOut draws r for a width.
func LayOut(st *draw.Styles, r broker.Request, a Around, width int) *Doc {
	return LayOutLater(st, r, a, width).LookAtAll()
}

// LayOutLater is LayOut with rows that are drawn when they are looked at; see look.
func LayOutLater(st *draw.Styles, r broker.Request, a Around, width int) *Doc {
	d := &Doc{Paper: *st.Paper(width)}
	d.name(r, a)
	tool, input := r.Call()
	c := change.ReadInput(input)
	command, _ := c.Text("command")
	text := cmp.Or(command, string(input))
	about := dangers{Doc: d, a: r.Assessment, command: command}
	above := dangerous(r) && d.fills(text)
	if above {
		about.danger()
		about.allowedBy(r, a)
		d.Blank()
	}
	d.Call(r, tool, c, a)
	d.remarks(r, c)
	d.environment(a.Session)
	d.saidBriefly(r, c, a)
	below := dangerous(r) && !above
	if below && !d.small() {
		d.Blank()
	}
	if below {
		about.danger()
	}
	d.CallEnd = len(d.Rows)
	if below {
		about.allowedBy(r, a)
	}
	if n := len(r.ToolInput); n >= 1000 {
		d.Size = figures.Size(n)
	}
	d.Blank()
	about.asks = asksUser(tool)
	about.judged(r.CWD, a.Off, dangerous(r) && a.tellsRules(r))
	d.background(a)
	source{d, r, a}.origin()
	return d
}

// Call draws the input for its tool. A shape we do not know is drawn field by field.
func (d *Doc) Call(r broker.Request, tool string, c change.Input, a Around) {
	if c.Broken != "" {
		d.Say(draw.Danger, "! this input is not a plain JSON object: "+c.Broken)
		d.Write(draw.Gutter{}, draw.Text, string(r.ToolInput))
		return
	}
	if len(a.Sections) > 0 {
		d.changes(r, a.Sections, a.Rest, a)
		return
	}
	if cs, ok := change.ReadChanges(tool, c); ok {
		d.changes(r, cs.Compare(nil, r.CWD, diff.WhileDrawing), cs.Rest, a)
		return
	}
	switch tool {
	case "Bash":
		if command, ok := c.Text("command"); ok {
			d.bash(command, r.Legible)
			d.fields(a.telling(tool, c.Without("command", said(r, c))))
			return
		}
	case agents.AskUserQuestion:
		d.question(r, c, a)
		return
	case agents.ExitPlanMode:
		d.plan(r, c, a)
		return
	}
	switch {
	case len(c.Fields) == 0 && tool == planMode:
		d.Say(draw.Muted, "allow: the agent looks around and writes a plan; it asks before it starts")
	case len(c.Fields) == 0:
		d.Say(draw.Muted, "no input")
	}
	d.fields(a.telling(tool, c.Fields))
}

// planMode is the tool with which an agent asks to plan before it works.
const planMode = "EnterPlanMode"

// asksUser reports whether a tool does nothing by itself but ask: what its call would touch tells nothing
// of what comes of an answer.
func asksUser(tool string) bool {
	return tool == agents.AskUserQuestion || tool == agents.ExitPlanMode || tool == planMode
}

// bash draws a command line, with colours when it is legible: one that nobody has read
// without harm is not parsed here either.
func (d *Doc) bash(command string, legible bool) {
	var marks []draw.Mark
	if legible {
		marks = shellMarks(command)
	}
	lines := draw.CountLines(command)
	if lines <= 1 {
		d.Write(draw.Gutter{Words: true, Width: 2, Next: "↪", First: func(int) (draw.Ink, string) { return draw.Muted, "$" }}, draw.Text, command, marks...)
		return
	}
	d.Note = figures.Plural(lines, "line")
	digits := len(strconv.Itoa(lines))
	d.Write(draw.Gutter{Words: true, Width: digits + 3, Next: draw.Spaces(digits+1) + "↪", First: func(n int) (draw.Ink, string) {
		prompt := "  "
		if n == 1 {
			prompt = "$ "
		}
		return draw.Muted, prompt + fmt.Sprintf("%*d", digits, n)
	}}, draw.Text, command, marks...)
}

const (
	maxLabel  = 28 // cells of a field's name beside its value
	minBeside = 24 // cells that a value needs beside its name
)

// fields draws names and values, all of them, in the order they came in.
func (d *Doc) fields(list []wire.Field) {
	width, most := 0, min(maxLabel, d.Width/3)
	for _, f := range list {
		if n := draw.Cells(draw.SafeLine(f.Key)); n <= most {
			width = max(width, n+2)
		}
	}
	width = max(width, 6)
	for _, f := range list {
		d.field(f, width)
	}
}

func (d *Doc) field(f wire.Field, width int) {
	name, value := safe.Line(f.Key), change.ValueText(f.Value)
	base, nameInk := draw.Text, draw.Label
	if f.Key == "dangerouslyDisableSandbox" && change.IsTrue(f.Value) {
		d.Say(draw.Danger, "! runs outside the sandbox")
		base, nameInk = draw.Danger, draw.Danger
	}
	if s, ok := change.StringValue(f.Value); ok && s == "" {
		base, value = draw.Muted, `""`
	}
	if draw.Cells(name)+2 > width || d.Width-width < minBeside {
		d.Write(draw.Gutter{}, nameInk, f.Key)
		d.Write(valueGutter(draw.Muted, "", 2), base, value)
		return
	}
	d.Write(valueGutter(nameInk, name, width), base, value)
}

// valueGutter is a gutter with a name on the first row. A row that goes on is marked, so that it is
// taken for no line of the value.
func valueGutter(i draw.Ink, name string, width int) draw.Gutter {
	g := draw.Fixed(i, name, width)
	g.Next, g.Words = draw.Spaces(width-2)+"↪", true
	return g
}

// remarks warns of letters that may be taken for others, anywhere in the call.
func (d *Doc) remarks(r broker.Request, c change.Input) {
	parts := []string{r.ToolName}
	for _, f := range c.Fields {
		if plainJSON(f.Value) && plainJSON([]byte(f.Key)) {
			continue // no other letters than ASCII's: most calls, and quick for large ones
		}
		parts = append(parts, f.Key+"\n"+change.ValueText(f.Value))
	}
	for _, n := range safe.Notes(strings.Join(parts, "\n")) {
		d.SayBehind(draw.Warn, "!", 2, draw.Warn, n)
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

// environment says what the agent of a managed session has otherwise in its environment than
// when the session was started before: what a call reaches may hang on it. Only names are
// known here.
func (d *Doc) environment(s *broker.Session) {
	if s != nil && s.Run != nil && len(s.Run.EnvDiffers) > 0 {
		d.Say(draw.Warn, "! in another environment than before, by these variables: "+safe.Line(strings.Join(s.Run.EnvDiffers, ", ")))
	}
}
