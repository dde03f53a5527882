package callview

import (
	"path/filepath"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// plan draws what an agent wants to do, as Markdown. Where the call names a file in
// place of the plan, it is that file as it could be read.
func (d *Doc) plan(r broker.Request, c change.Input, a Around) {
	f := a.PlanFile
	text, given := c.Text("plan")
	switch {
	case given:
		d.Note = figures.Plural(draw.CountLines(text), "line")
		d.planText(text)
	case f.Wanted && !f.Done:
		d.Say(draw.Muted, "reading the plan's file …")
	case f.Done && f.Problem == "" && !f.Missing:
		d.Note = figures.Plural(draw.CountLines(f.Text), "line")
		d.Say(draw.Warn, "! the call does not hold the plan: this is its file as it was at "+f.At.Format("15:04:05"))
		d.planText(f.Text)
	case f.Done && f.Missing:
		d.Say(draw.Warn, "! the call does not hold the plan, and its file does not exist")
	case f.Done:
		d.Say(draw.Warn, "! the call does not hold the plan, and its file cannot be shown: "+draw.SafeLine(f.Problem))
	default:
		d.Say(draw.Warn, "! the call does not hold the plan: look at the agent's own terminal before you approve")
	}
	if rest := c.Fields; len(rest) > 0 {
		if given {
			rest = c.Without("plan")
		}
		d.Blank()
		if path, ok := c.Text("planFilePath"); ok && path != "" && a.folded() {
			d.Write(draw.Fixed(draw.Label, "file", len("file")+2), draw.Text, shortFolder(path, a.Home))
			rest = slices.DeleteFunc(slices.Clone(rest), func(f wire.Field) bool { return f.Key == "planFilePath" })
		}
		d.fields(rest)
	}
	if r.State != broker.Pending {
		return
	}
	d.Blank()
	if agents.TraitsOf(r.Agent).Answers {
		d.Say(draw.Muted, "approve: the agent leaves plan mode and starts; its calls are asked about as before")
	} else {
		d.Say(draw.Muted, "approve: the agent shows the plan in its own terminal and asks there")
	}
	d.Say(draw.Muted, "send back: it goes on planning, with your words")
}

func (d *Doc) planText(text string) {
	if !d.Markdown(text) && len(text) > maxMarkdown {
		d.Say(draw.Muted, "too long to be drawn as Markdown")
	}
}

// PlanFile is the file that a plan's call names in place of the plan.
func PlanFile(c change.Input, cwd string) (string, bool) {
	if _, given := c.Text("plan"); given {
		return "", false
	}
	path, ok := c.Text("planFilePath")
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return path, filepath.IsAbs(path)
}
