package output

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// search prints what --jq makes of doc, a result a line: strings as text, all else as JSON.
// What was printed before an error stays printed.
func (f *Format) search(w io.Writer, doc any) error {
	v, err := values(doc)
	if err != nil {
		return err
	}
	results := f.query.Run(v)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			// "halt" ends the filter without an error, as in jq.
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return nil
			}
			return usage.Error{Text: "--jq: " + err.Error(), Hint: jqHint(v)}
		}
		if err := printResult(w, result); err != nil {
			return err
		}
	}
}

// printResult prints one result of --jq. Text is made safe and JSON escaped: both may hold
// what an agent wrote.
func printResult(w io.Writer, result any) error {
	if text, ok := result.(string); ok {
		return show.Line(w, drawable(text))
	}
	raw, err := gojq.Marshal(result)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return show.Line(w, string(show.Escape(raw)))
}

// lay prints doc through --template, and below its text the table that tablerow has filled.
// Nothing is printed when the template fails.
func (f *Format) lay(w io.Writer, doc any) error {
	v, err := values(doc)
	if err != nil {
		return err
	}
	// The clone gets a table of its own, so that a Format may print several times.
	layout, err := f.layout.Clone()
	if err != nil {
		return err
	}
	table := &show.Table{}
	// The text is gathered first: a mistake in the middle of a template prints nothing at
	// all.
	var b strings.Builder
	if err := layout.Funcs(helpers(table)).Execute(&b, v); err != nil {
		return usage.Error{Text: "--template: " + templateWords(err), Hint: templateHint(err)}
	}
	if _, err := io.WriteString(w, drawable(b.String())); err != nil {
		return err
	}
	return table.Print(w)
}

// What Go's template package says of a mistake, taken apart to leave its place and its Go
// types out.
var (
	templatePlace = regexp.MustCompile(`^template: template:\d+(:\d+)?: (executing "template" at <(?P<at>[^>]*)>: )?`)
	noListField   = regexp.MustCompile(`can't evaluate field (\S+) in type \[\]interface \{\}`)
	noField       = regexp.MustCompile(`can't evaluate field (\S+) in type \S+`)
)

// templateWords is what is wrong with a template, without the words that Go has for its own
// types. Where in the template it is stays, in the template's own spelling.
func templateWords(err error) string {
	text, at := err.Error(), ""
	if m := templatePlace.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		at = m[templatePlace.SubexpIndex("at")]
	}
	text = noListField.ReplaceAllString(text, "a list has no field $1")
	text = noField.ReplaceAllString(text, "there is no field $1 in it, since it is no object")
	if at != "" {
		text = "{{" + at + "}}: " + text
	}
	return text
}

// templateHint helps where a list was taken for one thing, the mistake that is made most.
func templateHint(err error) string {
	if noListField.MatchString(err.Error()) {
		return "go through it: {{range .}}…{{end}}"
	}
	return ""
}

// jqHint helps where a list was taken for one thing, which v, the whole document, tells.
func jqHint(v any) string {
	if _, list := v.([]any); list {
		return "what is filtered is an array: begin with .[]"
	}
	return ""
}

// drawable makes text safe and keeps its lines, tabs and blanks as they are: the user's
// template laid them out. It is for text of which any part may come from an agent.
func drawable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		// RuneError with a size of 1 is a byte that is no UTF-8; written out as U+FFFD it
		// is a letter like any other.
		case r == '\n', r == '\t', unicode.IsPrint(r) && (r != utf8.RuneError || size > 1):
			b.WriteString(text[:size])
		default:
			b.WriteString(safe.Line(text[:size]))
		}
		text = text[size:]
	}
	return b.String()
}

// helpers are the functions of a template, named as gh names its own. Rows of tablerow go
// to table; nil is fine as long as the template is only parsed.
func helpers(table *show.Table) map[string]any {
	return map[string]any{
		"join":     func(sep string, list []any) string { return strings.Join(words(list), sep) },
		"truncate": truncate,
		"timeago":  timeAgo,
		"pluck":    pluck,
		"tablerow": func(cells ...any) string {
			table.Add(words(cells)...)
			return ""
		},
	}
}

// words is each value as text, and nothing for null.
func words(list []any) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		if v != nil {
			texts[i] = fmt.Sprint(v)
		}
	}
	return texts
}

// truncate is v in at most so many cells, at least one. It is made safe before it is cut,
// since a cut sign could be half of an escape.
func truncate(cells int, v any) string {
	if v == nil {
		return ""
	}
	return safe.Cut(safe.Line(fmt.Sprint(v)), max(cells, 1))
}

// timeAgo is how long ago a time was that is written as RFC 3339. null is "", and any other
// value ends the template with an error.
func timeAgo(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v))
	if err != nil {
		return "", err
	}
	return figures.Ago(time.Since(at)) + " ago", nil
}

// pluck is one field of each object in a list, nil for what is no object or lacks the
// field.
func pluck(name string, list []any) []any {
	found := make([]any, len(list))
	for i, v := range list {
		if object, ok := v.(map[string]any); ok {
			found[i] = object[name]
		}
	}
	return found
}
