package tui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// ruleOf is the rule that decided a past call; why says, safe to draw, why it cannot be
// changed.
func (m *model) ruleOf(r broker.Request) (rule rules.Rule, why string) {
	o := r.Outcome
	switch {
	case o == nil || o.By.Kind != broker.ByRule:
		return rule, "no rule decided this call"
	case o.By.ID == rules.BuiltinReadOnly:
		return rule, "the built-in rule for tools that only read decided this; it cannot be changed"
	}
	rule, ok := m.Book.Rule(o.By.ID)
	if !ok {
		return rule, "the rule " + draw.SafeLine(draw.LastOf(o.By.ID, 8)) + " that decided this was removed"
	}
	return rule, words.Fixed(rule)
}

// openRuleOf opens the rule that decided a past call.
func (m *model) openRuleOf(r broker.Request) tea.Cmd {
	rule, why := m.ruleOf(r)
	if why != "" {
		return m.Say(draw.Muted, why)
	}
	return m.editRule(rule)
}

// revokeRuleOf switches off the rule that allowed a past call, at once: it only makes
// more calls ask.
func (m *model) revokeRuleOf(r broker.Request) tea.Cmd {
	rule, why := m.ruleOf(r)
	switch {
	case why != "":
		return m.Say(draw.Muted, why)
	case rule.Decision != rules.Allow:
		return m.Say(draw.Warn, "this rule allows nothing; enter on the call opens it")
	case !rule.Enabled:
		return m.Say(draw.Muted, "rule "+words.RuleTitle(rule)+" is off already")
	}
	rule.Enabled = false
	return m.putRule(0, rule, "rule "+words.RuleTitle(rule)+" is off; calls like this ask again")
}

// statsSeen are the numbers of the history screen.
type statsSeen struct {
	got     broker.Stats
	known   bool
	err     error
	session string // whose; "" for all
	newest  string // id of the newest decided call when they were asked for
	asking  bool
	at      time.Time
}

// wantStats asks for the numbers that the history screen lacks: when it is opened, when
// another session is looked at, and when calls have ended since.
func (m *model) wantStats() tea.Cmd {
	if m.screen != screenHistory {
		return nil
	}
	s := &m.stats
	newest := ""
	if len(m.Board.Recent) > 0 {
		newest = m.Board.Recent[0].ID
	}
	session := m.Board.Filter.SessionID
	same := s.known && s.session == session && s.newest == newest
	if s.asking || same || s.known && s.session == session && m.At.Sub(s.at) < time.Second {
		return nil
	}
	s.asking, s.at = true, m.At
	ctx, console := m.Ctx, m.console
	return func() tea.Msg {
		got, err := console.Stats(ctx, session, time.Time{})
		return statsMsg{session: session, newest: newest, stats: got, err: err}
	}
}

func (m *model) statsCame(msg statsMsg) {
	s := &m.stats
	*s = statsSeen{got: msg.stats, err: msg.err, known: true, session: msg.session, newest: msg.newest, at: s.at}
}

// statsMost is how many rows the numbers may take; what does not fit is left out.
const statsMost = 2

// statsRow are the numbers above the history; nothing before they are known.
func (m *model) statsRow(width int) []string {
	s := m.stats
	if !s.known || width < draw.LeastPaper || s.session != m.Board.Filter.SessionID {
		return nil
	}
	rows := []*draw.Row{m.Styles.Row(width).Put(draw.Text, " ")}
	if s.err != nil {
		return []string{rows[0].Fit(draw.Warn, "no statistics: "+draw.SafeLine(s.err.Error()), width-2).To(width).String()}
	}
	r := rows[0]
	if s.session != "" {
		r.Fit(draw.Muted, m.Board.Label(s.session)+": ", width/2)
	}
	for i, p := range statsParts(s.got) {
		if i > 0 && r.Width+draw.Cells(" · "+p) >= width {
			if len(rows) == statsMost {
				break
			}
			r = m.Styles.Row(width).Put(draw.Text, " ")
			rows = append(rows, r)
		} else if i > 0 {
			r.Put(draw.Muted, " · ")
		}
		r.Put(draw.Muted, p)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.To(width).String()
	}
	return out
}

func statsParts(s broker.Stats) []string {
	parts := []string{
		figures.Plural(s.Calls, "call"),
		figures.Plural(s.Saved, "prompt") + " saved",
		figures.Count(s.ByRule) + " by rule",
		figures.Count(s.ByHand) + " by hand",
		figures.Count(s.Denied+s.RuleDeny) + " denied",
	}
	if s.RuleDeny > 0 {
		parts[4] += fmt.Sprintf(" (%s by rule)", figures.Count(s.RuleDeny))
	}
	parts = append(parts, figures.Count(s.Expired)+" expired")
	if s.Median > 0 {
		parts = append(parts, "median "+figures.Brief(s.Median))
	}
	if s.Observed > 0 {
		parts = append(parts, figures.Count(s.Observed)+" observed")
	}
	return parts
}
