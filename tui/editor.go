package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// editor is the rule editor. It lies over the drawn call or over the list of rules,
// and while it is open every key is for it. Nothing of it holds before it is saved.
type editor struct {
	gen  int         // tells answers for this editor from those for one before
	old  rules.Rule  // the rule that is changed; without an ID it becomes a new one
	card guard.Drawn // the call that A was pressed on; zero when there was none
	call broker.Request
	gone string // how that call ended meanwhile; safe to draw

	loading bool         // the offered rules are not here yet
	drafts  []rules.Rule // what the broker offers for the call, narrowest first
	draft   int
	noAllow string // why no rule may allow the call; safe to draw

	focus      field
	decision   choice
	state      choice // on or off, of a rule that is there already
	tool       text.Line
	where      []whereLine
	more       text.Line // one more parameter, typed as name=pattern
	dangerous  bool      // the rule may speak about dangerous calls
	scopes     []scopeOption
	scope      int
	agent      choice
	agentKinds []string // raw, as in agent; "" is any
	life       lifeKind
	lifeSet    bool // the operator chose it; else it follows decision and scope
	reason     text.Line
	priority   text.Line
	typed      text.Line // the code
	code       string    // what must be typed to allow something dangerous; empty: nothing

	top   int  // first row on the screen
	free  bool // scrolled away from the focus
	hint  string
	wrong *wrong // what the broker, or the form itself, has against the rule

	preview preview
	confirm *confirm
	saving  bool
	wordAt  time.Time       // when a letter was last typed where there are choices
	listed  map[string]bool // ids of the waiting calls that the rule was to decide
}

// whereLine is one parameter with its pattern.
type whereLine struct {
	name    string
	pattern text.Line
	follows bool // the name is the tool's main parameter and changes with the tool
}

// wrong is a problem with one field.
type wrong struct {
	field   field
	problem string // safe to draw
}

// fieldKind is what a field of the form is about.
type fieldKind int

// The fields, in the order in which they are drawn.
const (
	fieldDecision fieldKind = iota
	fieldState
	fieldTool
	fieldWhere
	fieldMore
	fieldScope
	fieldAgent
	fieldLife
	fieldReason
	fieldPriority
	fieldCode
)

// field is one field; n counts those of a kind.
type field struct {
	kind fieldKind
	n    int
}

// choice is one of several words, all safe to draw.
type choice struct {
	names []string
	at    int
}

func (c *choice) chosen() string {
	if c.at < len(c.names) {
		return c.names[c.at]
	}
	return ""
}

func (c *choice) turn(by int) { c.at = turned(c.at, by, len(c.names)) }

func (c *choice) choose(name string) {
	if i := slices.Index(c.names, name); i >= 0 {
		c.at = i
	}
}

// turned is place at of n after a step, around both ends.
func turned(at, by, n int) int {
	if n == 0 {
		return 0
	}
	return ((at+by)%n + n) % n
}

// openEditor opens the editor on the drawn call key and asks the broker for rules that
// would cover it.
func (m *model) openEditor(key guard.Drawn) tea.Cmd {
	c := m.Board.Still(key)
	if c == nil {
		return m.Say(draw.Warn, "this call is no longer waiting: no rule was made")
	}
	e := m.startEditor(rules.Rule{Enabled: true, Priority: rules.DefaultPriority, CreatedFrom: key.ID})
	e.card, e.call, e.loading = key, c.Req, true
	if c.Dangerous() {
		e.code = c.Code
	}
	ctx, console, gen := m.Ctx, m.console, e.gen
	return func() tea.Msg {
		drafts, err := console.Offer(ctx, key.ID)
		return offerMsg{gen: gen, drafts: drafts, err: err}
	}
}

// startEditor puts an empty editor on the screen.
func (m *model) startEditor(old rules.Rule) *editor {
	m.editorGen++
	e := &editor{gen: m.editorGen, old: old, decision: choice{names: verdictNames}}
	e.reason.Most, e.priority.Most, e.typed.Most = rules.MaxReason/4, 7, 8
	m.editor = e
	m.note = note{}
	return e
}

var verdictNames = []string{string(rules.Allow), string(rules.Deny), string(rules.Ask), string(rules.Defer)}

// refusals are the verdicts that remain for a call that no rule may allow.
var refusals = verdictNames[1:]

// offerCame fills the form with what the broker offers.
func (m *model) offerCame(msg offerMsg) tea.Cmd {
	e := m.editor
	if e == nil || e.gen != msg.gen || !e.loading {
		return nil
	}
	e.loading, e.drafts = false, msg.drafts
	first := rules.Rule{}
	switch {
	case msg.err != nil:
		e.noAllow = "no rule can be offered: " + draw.SafeLine(msg.err.Error())
	case len(msg.drafts) == 0:
		e.noAllow = "no rule may allow this call"
		if a := e.call.Assessment; a != nil && a.Reason != "" {
			e.noAllow = draw.SafeLine(a.Reason)
		}
	default:
		first = msg.drafts[0]
	}
	if e.noAllow != "" {
		e.decision.names = refusals
		first = exactRule(e.call)
	}
	e.fill(first)
	m.offerScopes(first.Scope)
	return m.editorChanged()
}

// editRule opens the editor on a rule that holds.
func (m *model) editRule(r rules.Rule) tea.Cmd {
	if r.Source != "" {
		return m.Say(draw.Warn, "this rule stands in "+draw.SafeLine(r.Source)+": it can only be changed there")
	}
	e := m.startEditor(r)
	if r.Dangerous {
		e.code = guard.NewCode()
	}
	e.decision.choose(string(r.Decision))
	e.state = choice{names: []string{"on", "off"}}
	if !r.Enabled {
		e.state.at = 1
	}
	e.reason = text.NewLine(r.Reason)
	if r.Priority != rules.DefaultPriority {
		e.priority = text.NewLine(strconv.Itoa(r.Priority))
	}
	e.fill(r)
	e.life = lifeKept
	e.lifeSet = true
	m.ruleScopes(r.Scope)
	return m.editorChanged()
}

// openRule opens the editor on the rule with this id; "" is a new one.
func (m *model) openRule(id string) tea.Cmd {
	if id == "" {
		return m.newRule()
	}
	r, ok := m.Book.Rule(id)
	if !ok {
		return m.Say(draw.Warn, "the rule was removed meanwhile")
	}
	return m.editRule(r)
}

// updateEditor takes what came from commands of the rule editor.
func (m *model) updateEditor(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case offerMsg:
		return m.offerCame(msg)
	case previewDueMsg:
		return m.previewDue(msg)
	case previewMsg:
		return m.previewCame(msg)
	case ruleSavedMsg:
		return m.ruleSaved(msg)
	}
	return nil
}

// newRule opens the editor on nothing.
func (m *model) newRule() tea.Cmd {
	e := m.startEditor(rules.Rule{Enabled: true, Priority: rules.DefaultPriority})
	e.fill(rules.Rule{Tool: "Bash"})
	e.focus = field{kind: fieldWhere}
	m.ruleScopes(rules.Scope{})
	return m.editorChanged()
}

// fill puts tool and patterns of r into the form.
func (e *editor) fill(r rules.Rule) {
	e.tool, e.more, e.dangerous = text.NewLine(r.Tool), text.NewLine(""), r.Dangerous
	e.where = nil
	for _, name := range words.Where(r) {
		e.where = append(e.where, whereLine{name: name, pattern: newPattern(r.Where[name])})
	}
	if name := mainParameter(r.Tool); len(e.where) == 0 && name != "" && r.ID == "" {
		e.where = []whereLine{{name: name, pattern: newPattern(""), follows: true}}
	}
	if e.focus.kind == fieldWhere && e.focus.n >= len(e.where) {
		e.focus = field{}
	}
}

func newPattern(s string) text.Line {
	l := text.NewLine(s)
	l.Most = patterns.MaxPattern
	return l
}

// mainParameter is the parameter that rules about a tool are mostly about.
func mainParameter(tool string) string {
	switch tool {
	case "Bash", "PowerShell":
		return "command"
	case "Read", "Edit", "Write", "MultiEdit":
		return "file_path"
	case "NotebookEdit":
		return "notebook_path"
	case "Glob", "Grep", "LS":
		return "path"
	case "WebFetch":
		return "url"
	case "WebSearch":
		return "query"
	}
	return ""
}

// exactRule names one call and no other: what a refusing rule begins with when nothing
// better is offered.
func exactRule(r broker.Request) rules.Rule {
	tool, input := r.Call()
	rule := rules.Rule{Tool: exactPattern("tool", tool), Decision: rules.Deny}
	c := change.ReadInput(input)
	for _, name := range callview.MainFields {
		if v, ok := c.Text(name); ok && v != "" {
			p := exactPattern(name, v)
			if len(p) > patterns.MaxPattern || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsPrint(r) }) {
				p = "" // no pattern may hold it: the operator has to find one
			}
			rule.Where = map[string]string{name: p}
			return rule
		}
	}
	return rule
}

// exactPattern is the pattern that fits the value v of a parameter and nothing else.
func exactPattern(name, v string) string {
	special := `\*|`
	switch {
	case name == "command":
		return "line:" + v
	case strings.HasSuffix(name, "path"):
		special = `\*?[]{},|`
	}
	var b strings.Builder
	if strings.HasPrefix(v, "re:") {
		b.WriteByte('\\')
	}
	for i := range len(v) {
		if strings.IndexByte(special, v[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(v[i])
	}
	return b.String()
}
