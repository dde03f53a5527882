package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/bytes"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/editcall"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/history"
	"github.com/aoctl/aoctl/tui/launch"
	"github.com/aoctl/aoctl/tui/managed"
	"github.com/aoctl/aoctl/tui/message"
	"github.com/aoctl/aoctl/tui/orders"
	"github.com/aoctl/aoctl/tui/palette"
	"github.com/aoctl/aoctl/tui/queue"
	"github.com/aoctl/aoctl/tui/rulebook"
	"github.com/aoctl/aoctl/tui/ruleedit"
	"github.com/aoctl/aoctl/tui/stats"
	"github.com/aoctl/aoctl/tui/suggest"
	"github.com/aoctl/aoctl/tui/timeline"
	"github.com/aoctl/aoctl/tui/transcript"
	"github.com/aoctl/aoctl/tui/trust"
	"github.com/aoctl/aoctl/tui/watch"
)

// opener is a line of the table of screens.
type opener struct {
	name  string
	key   key.Binding // opens it from every screen, about what that is about; none when empty
	short string      // for the key line of screens that are about such a thing; "" keeps it out
	needs need
	make  func(d *desk.Desk, m *model) desk.Screen
}

// need is what a screen is about.
type need int

const (
	needsNothing need = iota
	needsSession
	needsCall
)

// transcriptKey is in the help, too.
var transcriptKey = desk.Bind("T", "what was said and done in it: its transcript", "T")

// table is the one place that knows all screens.
var table = []opener{
	{desk.Queue, key.Binding{}, "", needsNothing, makeQueue},
	{desk.Together, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return queue.NewTogether(d, m.queueScreen()) }},
	{desk.Help, desk.Bind("?", "all keys", "?"), "", needsNothing, func(_ *desk.Desk, m *model) desk.Screen { return &help{model: m} }},
	{"palette", desk.Bind(":", "find an action by words", ":"), "", needsNothing, func(d *desk.Desk, m *model) desk.Screen {
		return palette.New(d, func() []palette.Item { return m.shared.doable() })
	}},
	{desk.Bytes, desk.Bind("b", "the exact bytes of the call, and what in them is not plain text", "b"), "", needsCall, func(d *desk.Desk, _ *model) desk.Screen { return bytes.New(d) }},
	{desk.History, desk.Bind("h", "what was decided", "h"), "", needsNothing, func(d *desk.Desk, m *model) desk.Screen {
		return history.New(d, m.console, m.shared.sheets, m.shared.past, m.shared.rules.does())
	}},
	{desk.Decided, key.Binding{}, "", needsCall, func(d *desk.Desk, m *model) desk.Screen {
		return history.NewDecided(d, m.shared.sheets, m.shared.past, m.shared.rules.does())
	}},
	{desk.Launch, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen {
		return launch.New(d, m.console, func() string { return m.opts.Folder })
	}},
	{desk.EditCall, key.Binding{}, "", needsCall, func(d *desk.Desk, m *model) desk.Screen { return editcall.New(d, m.console, m.editSetup()) }},
	{desk.Managed, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return managed.New(d, m.console, m.shared.orders.Stop) }},
	{desk.Message, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return message.New(d, m.console, m.inEditor) }},
	{desk.Resume, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return orders.NewResumeScreen(d, m.shared.orders) }},
	{desk.RuleEdit, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return ruleedit.New(d, m.console, m.queueScreen().Send) }},
	{desk.Rules, desk.Bind("r", "the rules; on their screen:", "r"), "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewRules(d, m.console, m.openRule) }},
	{desk.Tokens, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewTokens(d, m.console) }},
	{desk.RulesFiles, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewFiles(d, m.console) }},
	{desk.RulesFile, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewFile(d, m.console) }},
	{desk.Timeline, desk.Bind("E", "all that happened in this session; enter unfolds", "E"), "events", needsSession, func(d *desk.Desk, m *model) desk.Screen { return timeline.New(d, m.console) }},
	{desk.Transcript, transcriptKey, "transcript", needsSession, func(d *desk.Desk, m *model) desk.Screen { return transcript.New(d, m.console) }},
	{desk.Trust, trust.Open, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return trust.New(d, m.console, m.shared.asks) }},
	{desk.Suggest, suggest.Open, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return suggest.New(d, m.console, m.shared.quiet) }},
	{"watch", desk.Bind("w", "the files that allowed edits touched in the last hour", "w"), "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return watch.New(d, m.console) }},
	{"stats", desk.Bind("C", "counts: how often you were asked, what rules decided; ← → choose the time", "C"), "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return stats.New(d, m.console) }},
}

// makeQueue makes the first screen.
func makeQueue(d *desk.Desk, m *model) desk.Screen {
	return queue.New(d, m.console, queue.Setup{
		Sheets: m.shared.sheets, Orders: m.shared.orders, Herald: m.shared.herald,
		NewCode:  func() string { return m.newCode() },
		ReadFile: func(path string) ([]byte, error) { return m.opts.ReadFile(path) },
		Stamp:    func(path string) string { return m.opts.Stamp(path) },
		Now:      func() time.Time { return m.opts.Now() },
		Hooked:   func() []string { return m.opts.Hooks.Ours() },
		Quiet:    m.shared.quiet,
	})
}

// queueScreen is the first screen, for those that act on its calls. The table makes it before them.
func (s *stack) queueScreen() *queue.Screen {
	q, _ := s.first().(*queue.Screen)
	return q
}

// editSetup is what an edited call takes beside the broker.
func (m *model) editSetup() editcall.Setup {
	return editcall.Setup{
		Editor:  m.shared.outside,
		NewCode: func() string { return m.newCode() },
		OtherHooks: func(agent, event, tool, project string) []string {
			if m.opts.Hooks.Others == nil {
				return nil
			}
			return m.opts.Hooks.Others(agent, event, tool, project)
		},
	}
}

// inEditor has a text changed in the operator's own editor.
func (m *model) inEditor(file, text string, back func(got string, err error) tea.Msg) tea.Cmd {
	return m.shared.outside.Open(m.Ctx, file, text, func(run *external.Run, err error) tea.Msg { return back(run.Got, err) })
}

// openRule opens a rule in the editor; a new one for "".
func (m *model) openRule(id string) tea.Cmd {
	return m.Open(desk.RuleEdit, desk.Subject{Rule: id})
}

// openerKey is the key that opens the screen of this name.
func openerKey(name string) key.Binding {
	for _, o := range table {
		if o.name == name {
			return o.key
		}
	}
	return key.Binding{}
}
