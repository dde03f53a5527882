package callview

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
)

// shortID is how much of an id the quiet line has: commands take an id's beginning, and less of it
// would be the same for all calls of one minute.
const shortID = 13

// moreHint stands at the end of the quiet line where a key unfolds the rest.
const moreHint = "+ more"

// source draws where a call comes from.
type source struct {
	*Doc
	r broker.Request
	a Around
}

// origin draws a quiet line, and the rest where it is unfolded.
func (d source) origin() {
	r, a := d.r, d.a
	d.checkpoint(LabelWidth)
	if r.OnceToken {
		d.SayBehind(draw.Label, "elsewhere", LabelWidth, draw.Text, elsewhere(r))
	}
	folder, parts := d.quietParts()
	if !a.folded() {
		if folder != "" {
			parts = append([]string{folder}, parts...)
		}
		d.Say(draw.Muted, strings.Join(parts, quietGap))
		d.details()
		return
	}
	room := d.Width - draw.Cells(moreHint) - 2
	switch {
	case folder == "":
	case draw.Cells(folder+quietGap+parts[0]) > room:
		d.Write(draw.Gutter{}, draw.Muted, shortFolder(r.CWD, a.Home)) // all of it: what runs hangs on it
	default:
		parts = append([]string{folder}, parts...)
	}
	for len(parts) > 1 && draw.Cells(strings.Join(parts, quietGap)) > room {
		parts = parts[:len(parts)-1]
	}
	d.Add(d.Styles.Row(d.Width).Fit(draw.Muted, strings.Join(parts, quietGap), room).Right(draw.Muted, moreHint, d.Width))
}

// elsewhere says that a call can be answered from elsewhere too, and how far.
func elsewhere(r broker.Request) string {
	if r.Perilous() {
		return "--on-wait has a token for this call; it can only deny now"
	}
	return "--on-wait has a token for this call"
}

// quietGap stands between two parts of the quiet line.
const quietGap = " · "

// quietParts are the folder and the other parts of the quiet line, those that are left out last
// first; safe to draw.
func (d source) quietParts() (folder string, parts []string) {
	r, a := d.r, d.a
	agent := draw.SafeLine(r.Agent)
	if r.Mode != "" {
		agent += ", " + draw.SafeLine(r.Mode) + " mode"
	}
	whose := ""
	if !d.labelInTitle && filepath.Base(r.CWD) != a.Label { // neither names it yet
		whose = a.Label
	}
	if sub := subagent(r); sub != "" {
		whose = strings.TrimSpace(whose + " › " + sub)
	}
	for _, p := range []string{whose, agent, "asked " + r.CreatedAt.In(a.Loc).Format("15:04:05"), draw.SafeLine(r.ID[:min(len(r.ID), shortID)])} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return draw.SafeLine(shortFolder(r.CWD, a.Home)), parts
}

// subagent names the sub-agent that asks, "" for none; safe to draw.
func subagent(r broker.Request) string {
	if r.SubagentType != "" {
		return draw.SafeLine(r.SubagentType)
	}
	return draw.SafeLine(draw.LastOf(r.SubagentID, 8))
}

// shortFolder is a path with ~ for the user's home; raw.
func shortFolder(path, home string) string {
	if home == "" || home == "/" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// details are what the quiet line leaves out or shortens.
func (d source) details() {
	r, a := d.r, d.a
	line := func(label, text string) {
		if text != "" {
			d.Write(draw.Fixed(draw.Label, label, LabelWidth), draw.Text, text)
		}
	}
	if shortFolder(r.CWD, a.Home) != r.CWD {
		line("in", r.CWD)
	}
	if a.Session != nil && a.Session.ProjectDir != r.CWD {
		line("project", a.Session.ProjectDir)
	}
	d.SayBehind(draw.Label, "session", LabelWidth, draw.Text, strings.Join(sessionParts(r, a), quietGap))
	if r.SubagentID != "" || r.SubagentType != "" {
		line("sub-agent", strings.TrimSpace(r.SubagentType+"  "+r.SubagentID))
	}
	line("asked", r.CreatedAt.In(a.Loc).Format("2006-01-02 15:04:05"))
	line("id", r.ID)
}

// sessionParts name a session in full; safe to draw.
func sessionParts(r broker.Request, a Around) []string {
	var parts []string
	for _, p := range []string{a.Label, draw.SafeLine(r.Agent), draw.SafeLine(r.SessionID)} {
		if p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	if a.Session != nil && a.Session.Pane != "" {
		parts = append(parts, "pane "+draw.SafeLine(a.Session.Pane))
	}
	return parts
}
