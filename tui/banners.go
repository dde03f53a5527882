package tui

import (
	"path/filepath"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// banners are sentences that must not be missed, one row each.
func (h header) banners() []string {
	var list []string
	is := h.Board.Health
	list = append(list, h.alarmBanners()...)
	list = append(list, h.settingsBanners()...)
	if is.Observing {
		list = append(list, observingTold)
	}
	if is.LogBroken != "" {
		list = append(list, "the log was changed by another program: "+draw.SafeLine(is.LogBroken)+"; rules allow nothing")
	}
	if is.LogUnread != "" {
		list = append(list, "the log could not be checked yet: "+draw.SafeLine(is.LogUnread)+"; rules allow nothing until it is")
	}
	if is.StoreErr != "" {
		list = append(list, "not recording, calls are refused · "+draw.SafeLine(is.StoreErr))
	}
	if is.Servers != "" && is.Servers != broker.ServersUp {
		list = append(list, "no server of the fleet answers: this is old, and no answer gets through · "+draw.SafeLine(is.Servers))
	}
	if told := h.Board.Fleet.Problem(); told != "" {
		list = append(list, told)
	}
	if told := h.floodTold(); told != "" {
		list = append(list, told)
	}
	if is.SocketErr != "" {
		list = append(list, "hooks cannot reach this console · "+draw.SafeLine(is.SocketErr))
	}
	list = append(list, h.configBanners()...)
	if h.feed.lost() {
		list = append(list, "no word from the broker: do not trust this screen")
	}
	return list
}

// floodTold says whose calls are refused because there are too many, "" when nobody's are.
func (h header) floodTold() string {
	floods := h.Board.Health.Floods
	if len(floods) == 0 {
		return ""
	}
	worst := floods[0]
	who := "calls of new sessions"
	if worst.SessionID != "" {
		who = h.Board.Label(worst.SessionID)
	}
	text := figures.Plural(worst.Refused, "call") + " refused: " + who + " " + draw.SafeLine(worst.Why)
	if more := len(floods) - 1 + h.Board.Health.MoreFloods; more > 0 {
		text += " · and " + figures.Count(more) + " more"
	}
	return text
}

// frozen is the line across the top while everything is frozen, else "".
func (h header) frozen() string {
	is := h.Board.Health
	if !is.Frozen {
		return ""
	}
	n := h.Board.HeldCalls()
	calls := figures.Plural(n, "call")
	by := callview.Actor(is.FrozenBy)
	if is.FrozenBy.Kind == broker.ByBroker {
		by = "aoctl, because the log was changed"
	}
	lift := h.Called("f")
	if out := h.Board.Fleet.Out(); out > 0 { // nobody knows of their agents
		far := figures.Plural(out, "machine") + " out of reach"
		return h.across(
			"FROZEN by "+by+": agents wait at their next call, "+calls+" frozen; not known of "+far+" · "+lift+" lets them go on",
			"FROZEN: "+calls+" frozen; not known of "+far+" · "+lift+" lifts it",
			"FROZEN, "+far,
			"FROZEN",
		)
	}
	return h.across(
		"FROZEN by "+by+": every agent waits at its next call, "+calls+" frozen, none can be allowed · "+lift+" lets them go on",
		"FROZEN: every agent waits at its next call, "+calls+" frozen · "+lift+" lets them go on",
		"FROZEN: every agent waits, "+calls+" frozen · "+lift+" lifts it",
		"FROZEN: "+calls+" waiting · "+lift+" lifts it",
		"FROZEN",
	)
}

// across draws the first of texts that has room over the whole width, as nobody must overlook it.
func (h header) across(texts ...string) string {
	return h.Styles.Row(h.line.width).Put(draw.Ice, " "+h.line.Fitting(texts...)).Line(draw.Ice, " ", h.line.width).String()
}

// alarmBanners tell of calls that ran otherwise than they were allowed.
func (h header) alarmBanners() []string {
	var rows []string
	list := h.Board.Alarmed()
	for i, s := range list {
		if i == alarmsShown {
			return append(rows, figures.Plural(len(list)-i, "more session")+" with such an alarm")
		}
		rows = append(rows, safe.Head(s.Alarm.ToolName, foreignMost)+" in "+h.Board.Label(s.ID)+": "+s.Alarm.Words()+"; no rule allows anything there · "+h.Called("!")+" acknowledges")
	}
	return rows
}

// alarmsShown is how many sessions' alarms have a row of their own.
const alarmsShown = 2

const (
	observingWords = "OBSERVING: nothing is held"
	observingTold  = "nothing is held: calls run unless their own agent asks; aoctl only records"
)

// settingsBanners tell of settings files that would switch a gate off, one row each.
func (h header) settingsBanners() []string {
	var rows []string
	list := h.Board.Health.Settings
	for i, s := range list {
		file := foreign(s.File)
		if i == alarmsShown {
			return append(rows, figures.Plural(len(list)-i, "more settings file")+" of that kind")
		}
		told := "settings that can switch hooks off are in " + file + " (" + foreign(s.Why) + "); look at them before an agent starts there"
		if s.Kept {
			told = "settings that can switch hooks off came into " + file + " (" + foreign(s.Why) + "); kept out; look at them"
		}
		rows = append(rows, told)
	}
	return rows
}

// foreignMost is how much of a foreign text a sentence of ours in one row cites, cells.
const foreignMost = 40

// foreign is a text from outside within a sentence of ours: marked, and so short that
// the sentence stays ours.
func foreign(text string) string { return "«" + safe.Head(text, foreignMost) + "»" }

// leastReason is how much of a reason is worth a place in a banner, cells.
const leastReason = 24

// configBanners tell that the settings file was not taken: why and what to do, as far as
// there is room for it in one row.
func (h header) configBanners() []string {
	c := h.opts.Config
	if c.Problem == "" {
		return nil
	}
	place, problem, cure := draw.SafeLine(c.at(filepath.Base(c.File))), draw.SafeLine(c.Problem), draw.SafeLine(c.Cure)
	const more, held = " · see aoctl config", " · defaults hold"
	room := h.line.width - 4
	for _, t := range []string{held + " · " + cure, " · " + cure, held + more} {
		if text := place + ": " + problem + t; draw.Cells(text) <= room {
			return []string{text}
		}
	}
	if n := room - draw.Cells(place+": "+more); n >= leastReason {
		return []string{place + ": " + safe.Cut(problem, n) + more}
	}
	return []string{place + " wrong: aoctl config"}
}
