package transcript

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	resultFolded = 6 // rows of what a tool gave back that are shown while it is folded
	resultTail   = 2 // of them at its end
)

// gaveBack draws what a tool gave back: its beginning and its end, or all that is
// kept. refused says that the call was not allowed: then it is what the agent was told
// instead.
func gaveBack(d *callview.Doc, it *item, refused bool) {
	r := it.Ran
	if word, i := resultWords(r, refused); word != "" {
		d.Add(d.Styles.Row(d.Width).Put(draw.Text, draw.Spaces(callview.SayIndent)).Fit(i, word, d.Width-callview.SayIndent))
	}
	switch {
	case r.Output == "":
	case it.open:
		wholeResult(d, r)
	default:
		foldedResult(d, r.Output)
	}
}

// resultWords says how a call ended: "→ no output, 6.3s"; "" when the output alone
// says all.
func resultWords(r *broker.RanData, refused bool) (string, draw.Ink) {
	lead, i, parts := "→ ", draw.Muted, []string{}
	took := r.Took()
	switch {
	case refused:
		parts = append(parts, "the agent was told")
	case r.Failed && took > 0:
		lead, i, parts = "✗ ", draw.Danger, append(parts, "failed after "+figures.Brief(took))
	case r.Failed:
		lead, i, parts = "✗ ", draw.Danger, append(parts, "failed")
	}
	if size := resultSize(r); size != "" {
		parts = append(parts, size)
	}
	if took > 0 && !r.Failed {
		parts = append(parts, figures.Brief(took))
	}
	if len(parts) == 0 {
		return "", i
	}
	return lead + strings.Join(parts, ", "), i
}

// resultSize says how much a tool gave back, where that is not seen: nothing, more
// than is kept, or more than is shown.
func resultSize(r *broker.RanData) string {
	lines := draw.CountLines(r.Output)
	switch {
	case r.OutputBytes == 0 && r.Failed:
	case r.OutputBytes == 0:
		return "no output"
	case r.Output == "":
		return figures.Size(r.OutputBytes) + ", not kept"
	case r.Missing() > 0:
		return figures.Size(r.OutputBytes) + ", of which " + figures.Size(len(r.Output)) + " are kept"
	case lines > resultFolded:
		return figures.Plural(lines, "line")
	}
	return ""
}

// wholeResult draws all that is kept, and where something is not. The beginning and
// the end of a long output were kept, and CutAt is where they meet.
func wholeResult(d *callview.Doc, r *broker.RanData) {
	bar := draw.Gutter{Width: 2 * callview.SayIndent, Next: "  ↪", First: func(int) (draw.Ink, string) { return draw.Faint, "  │" }}
	if r.Missing() == 0 {
		d.Write(bar, draw.Text, r.Output)
		return
	}
	at := max(0, min(r.CutAt, len(r.Output)))
	d.Write(bar, draw.Text, r.Output[:at])
	d.SayBehind(draw.Faint, "  ⋮", 2*callview.SayIndent, draw.Warn, figures.Plural(r.Missing(), "byte")+" were not kept")
	d.Write(bar, draw.Text, r.Output[at:])
}

// foldedResult draws the first rows and the last ones: an error most often stands at
// the end.
func foldedResult(d *callview.Doc, output string) {
	list := strings.Split(strings.TrimRight(output, "\n"), "\n")
	more := len(list) - resultFolded
	// Rows are counted and not bytes: what is folded must fit, however long the output
	// is.
	for n, line := range list {
		if more > 0 && n >= resultFolded-resultTail && n < len(list)-resultTail {
			if n == resultFolded-resultTail {
				d.Add(d.Styles.Row(d.Width).Put(draw.Faint, "  ⋮ ").Fit(draw.Muted, figures.Plural(more, "more line"), d.Width-4))
			}
			continue
		}
		d.Add(d.Styles.Row(d.Width).Put(draw.Faint, "  │ ").Fit(draw.Muted, draw.SafeLine(line), d.Width-4))
	}
}
