// Package trial is what the screens share that let a rule hold with one key: the form of a project and
// the list of suggestions. It has the broker try the screen's rule on the past and the waiting calls,
// and saves it once a person has seen what it does.
//
// A screen says with Changed that its rule is another one now, and calls Settle whenever it is drawn,
// which asks the broker when that is due. Nothing is saved before the answer about this very rule was
// on the screen to the end. Calls come and go meanwhile: the rule is then tried again, once a second,
// and when more calls would go on than the screen said, keys are deaf for a moment and the text counts
// as unseen. A call that comes later still is named when the rule has been saved.
package trial

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// Broker is what a trial needs of it. Both are called in commands and may take their time.
type Broker interface {
	Preview(ctx context.Context, r rules.Rule) (broker.Preview, error)
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
}

// Trial tries the rule of one screen, and saves it. At most one question is under way at a time, because
// judging many past calls costs the broker time.
type Trial struct {
	*desk.Desk
	broker  Broker
	rule    func() (rules.Rule, bool)
	version int // of the rule; grows with every change of it, and is never used twice
	of      int // the version that result is about
	result
	asking bool
	stale  bool // calls came or went since it was asked
	at     time.Time
	seen   bool // what it would do was on the screen to the end
	saving int  // the version that is being saved; 0: none
}

// result is what the rule would have done, or why nobody knows.
type result struct {
	Preview broker.Preview
	Err     error
}

// triedMsg brings the result for one version of a trial's rule.
type triedMsg struct {
	of      *Trial
	version int
	result
}

// New makes it. rule is what the screen would save as it stands; false when that is nothing.
func New(d *desk.Desk, b Broker, rule func() (rules.Rule, bool)) *Trial {
	return &Trial{Desk: d, broker: b, rule: rule}
}

// Begin forgets what was shown and saved before: the screen opens.
func (t *Trial) Begin() {
	t.Changed()
	t.saving = 0
}

// Changed says that the screen's rule is another one.
func (t *Trial) Changed() { t.version, t.seen = t.version+1, false }

// Known reports whether the result is about the rule as it is.
func (t *Trial) Known() bool { return t.version > 0 && t.of == t.version }

// Saving reports whether the rule is on its way to the broker.
func (t *Trial) Saving() bool { return t.saving != 0 }

// Settle takes in whether what the rule does is on the screen to the end, and has the rule tried when that
// was not done, or when calls came or went since: then at most once a second, since a flood of calls is no
// flood of questions.
func (t *Trial) Settle(whole bool) tea.Cmd {
	t.seen = t.seen || whole && t.Known() && !t.Small
	r, ok := t.rule()
	if !ok || t.asking || t.Saving() || t.Known() && (!t.stale || t.At.Sub(t.at) < time.Second) {
		return nil
	}
	t.asking, t.stale, t.at = true, false, t.At
	ctx, b, version := t.Ctx, t.broker, t.version
	return func() tea.Msg {
		got, err := b.Preview(ctx, r)
		return triedMsg{t, version, result{got, err}}
	}
}

// Update takes the broker's results, and notes that calls came or went.
func (t *Trial) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case triedMsg:
		if msg.of == t {
			t.tried(msg)
		}
	case desk.News:
		for _, u := range msg.List {
			t.stale = t.stale || u.Request != nil
		}
	}
}

// tried takes a result, unless the rule is another one by now. When it says more than the screen did, nobody
// has read that yet.
func (t *Trial) tried(msg triedMsg) {
	t.asking = false
	if msg.version != t.version {
		return
	}
	if t.Known() && t.more(msg.result) {
		t.seen = false
		t.Guard.Doubt(t.At)
	}
	t.of, t.result = msg.version, msg.result
}

// more reports whether a new result lets calls go on that the known one does not speak of, or counts more
// that somebody denied.
func (t *Trial) more(got result) bool {
	return (got.Err == nil) != (t.Err == nil) || got.Preview.Denied > t.Preview.Denied || slices.ContainsFunc(got.Preview.Waiting, t.unlisted)
}

// unlisted reports whether a call is not among those that the screen said would go on.
func (t *Trial) unlisted(r broker.Request) bool {
	return !slices.ContainsFunc(t.Preview.Waiting, func(w broker.Request) bool { return w.ID == r.ID })
}

// Enter saves the rule in a moment. It loosens what holds, so the guard judges it as it judges a decision,
// and nothing is saved that was not on the screen. unready is why the screen has nothing that could be
// saved, and unseen what to do when the end was not on the screen.
func (t *Trial) Enter(unready func() string, unseen string) tea.Cmd {
	wait, refusal := t.Press("enter")
	if refusal == "" {
		refusal = t.refused(unready, unseen)
	}
	if refusal != "" {
		return t.Say(draw.Warn, "… "+refusal)
	}
	version := t.version
	return t.InAMoment(wait, func() tea.Cmd {
		refusal := t.refused(unready, unseen)
		if version != t.version {
			refusal = "it just changed: look first, then press enter again"
		}
		if refusal != "" {
			return t.Say(draw.Warn, "… "+refusal)
		}
		return t.save()
	})
}

// refused says why nothing can be saved now; "" when something can.
func (t *Trial) refused(unready func() string, unseen string) string {
	why := ""
	switch {
	case t.Small:
		return t.TooSmallText()
	case t.Saving():
		return "it is being saved"
	default:
		why = unready()
	}
	switch {
	case why != "":
		return why
	case !t.Known():
		return "the past calls are being looked at: look, then press enter again"
	case t.Err != nil:
		return "it could not be tried, so it is not saved here"
	case !t.seen:
		return unseen
	}
	return ""
}

// save hands the rule to the broker.
func (t *Trial) save() tea.Cmd {
	r, ok := t.rule()
	if !ok {
		return nil
	}
	t.saving = t.version
	ctx, b, by, from := t.Ctx, t.broker, t.Operator, saver{t, t.version}
	return func() tea.Msg {
		saved, err := b.SaveRule(ctx, r, by)
		return desk.RuleSaved{From: from, Saved: saved, Err: err}
	}
}

// saver tells one rule that was saved from all others.
type saver struct {
	trial   *Trial
	version int
}

// Saved takes what became of the rule: ok when it holds now. Else cmd says why it does not. A message about a
// rule of somebody else's says nothing.
func (t *Trial) Saved(msg desk.RuleSaved) (ok bool, cmd tea.Cmd) {
	if !t.Saving() || msg.From != any(saver{t, t.saving}) {
		return false, nil
	}
	t.saving = 0
	if msg.Err == nil {
		t.Guard.Doubt(t.At)
		return true, nil
	}
	if why := words.NotSaved(msg.Err); why != "" {
		return false, t.Say(draw.Danger, why)
	}
	return false, nil
}

// WentOn says in the rest of a sentence which waiting calls the saved rule let go on, and with which ink: those
// that came too late for the screen are named.
func (t *Trial) WentOn(decided []broker.Request) (string, draw.Ink) {
	var late []string
	for _, r := range decided {
		if t.unlisted(r) {
			late = append(late, callview.SummaryOf(r).Text)
		}
	}
	switch {
	case len(decided) == 0:
		return "", draw.OK
	case len(late) == 0:
		return "; " + figures.Plural(len(decided), "waiting call") + " went on", draw.OK
	}
	text := "; " + figures.Plural(len(decided), "waiting call") + " went on, " + figures.Count(len(late)) + " not listed before: " + late[0]
	if len(late) > 1 {
		text += " …"
	}
	return text, draw.Warn
}
