package queue

import (
	"context"
	"encoding/json"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
)

const (
	promptsRead = 20          // prompts that are looked through for one of the user's own
	askedAgain  = time.Second // how often the log is asked at most, while a session tells much
)

// asked is what the user of the selected session asked of it last. The log has it: it is looked up
// for the one session whose row has room for it, and again when something was heard of that.
type asked struct {
	*desk.Desk
	broker interface {
		Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
	}
	session string
	text    string // first line, safe to draw; "" when that is not known
	stale   bool   // the log may say something else by now
	asking  bool
	at      time.Time // when the log was asked
}

// askedMsg is the answer of the log.
type askedMsg struct{ session, text string }

// want looks up what was asked of a session, unless that is known; "" for none.
func (a *asked) want(session string) tea.Cmd {
	if session != a.session {
		a.session, a.text, a.stale, a.at = session, "", true, time.Time{}
	}
	if session == "" || !a.stale || a.asking || a.At.Sub(a.at) < askedAgain {
		return nil
	}
	a.stale, a.asking, a.at = false, true, a.At
	ctx, b := a.Ctx, a.broker
	return func() tea.Msg {
		list, err := b.Timeline(ctx, broker.EventFilter{SessionID: session, Types: []string{broker.EventUser}, Limit: promptsRead})
		if err != nil {
			return askedMsg{session: session} // the row does without
		}
		return askedMsg{session, lastAsked(list)}
	}
}

// lastAsked is the first line of what the user said last; the newest moment comes first.
func lastAsked(list []story.Moment) string {
	for _, m := range list {
		var d story.UserData
		if json.Unmarshal(m.Event.Data, &d) == nil && !d.FromAgent {
			if text := callview.FirstLine(d.Words()); text != "" {
				return text
			}
		}
	}
	return ""
}

// came takes the answer in.
func (a *asked) came(msg askedMsg) {
	a.asking = false
	if msg.session == a.session {
		a.text = msg.text
	}
}

// news notes that something was heard of the session.
func (a *asked) news(list []broker.Update) {
	for _, u := range list {
		a.stale = a.stale || u.Session != nil && u.Session.ID == a.session
	}
}
