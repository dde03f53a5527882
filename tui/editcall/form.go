package editcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
)

// editForm is how a call's input is edited: the text of one parameter as it is, or all
// of it as JSON. It never changes; what is typed lives in edit.
type editForm struct {
	input  json.RawMessage
	fields []wire.Field // in the agent's own words
	bare   int          // which of them is edited as it is; -1 for JSON
	file   string       // what the editor's file is called
	added  string       // the line break that the bare text lacks at its end, and gets: editors add it anyway
}

// newEditForm takes r's input apart for an editor. It fails on an input that is no
// plain JSON object. Where the agent's own words differ from the common ones in
// number, JSON is edited, as the parts could not be matched.
func newEditForm(r broker.Request) (editForm, error) {
	fields, err := wire.Fields(r.ToolInput)
	if err != nil {
		return editForm{}, fmt.Errorf("this input is no plain JSON object: %w", err)
	}
	f := editForm{input: r.ToolInput, fields: fields, bare: -1, file: "input.json"}
	tool, common := r.Call()
	c := change.ReadInput(common)
	// A call that deletes a cell has a text that does nothing; editing it would
	// mislead.
	if len(c.Fields) != len(fields) || writesNothing(tool, c) {
		return f, nil
	}
	for i, field := range c.Fields { // in the same order as fields
		text, ok := change.StringValue(fields[i].Value)
		if ok && slices.Contains(bareParams[tool], field.Key) {
			// The first parameter that fits is the one: a tool's list has them in the
			// order of their weight.
			f.bare, f.file, f.added = i, fileFor(tool, c), missingBreak(text, isWhole(tool, c))
			break
		}
	}
	return f, nil
}

// missingBreak is the line break that text lacks at its end, in the kind that its
// other lines end with. A text that is empty lacks one, unless what is typed in its
// place is whole lines.
func missingBreak(text string, whole bool) string {
	breaks := strings.Count(text, "\n")
	switch {
	case strings.HasSuffix(text, "\n"), text == "" && whole:
		return ""
	// Only when every line ends so: a mixed text gets the plain kind.
	case breaks > 0 && strings.Count(text, "\r\n") == breaks:
		return "\r\n"
	}
	return "\n"
}

// withoutBreak takes the break back that the editor was given, in either kind: an
// editor may change it.
func withoutBreak(text, added string) string {
	if added == "" {
		return text
	}
	if bare, ok := strings.CutSuffix(text, added); ok {
		return bare
	}
	return strings.TrimSuffix(text, "\n")
}

// text is what the editor is given.
func (f editForm) text() string {
	if f.bare >= 0 {
		text, _ := change.StringValue(f.fields[f.bare].Value)
		return text + f.added
	}
	var b bytes.Buffer
	// Indenting moves blanks only; strings and numbers stay as the agent wrote them.
	if json.Indent(&b, f.input, "", "  ") != nil { // cannot be: it was read strictly
		return string(f.input)
	}
	return b.String() + "\n"
}

// read makes an input of what came back. All but an edited bare parameter keeps its
// very bytes. same reports that it is the input that was asked.
func (f editForm) read(text string) (input json.RawMessage, same bool, err error) {
	// An editor may save in another encoding, and then the text is not what was seen.
	if !utf8.ValidString(text) {
		return nil, false, errors.New("it is no valid UTF-8")
	}
	if f.bare >= 0 {
		input, err = f.withText(text)
	} else {
		input, err = compact(strings.TrimPrefix(text, "\ufeff"))
	}
	if err != nil {
		return nil, false, err
	}
	// Both are compared without blanks, so that laying it out anew is no change.
	asked, err := compact(string(f.input))
	return input, err == nil && bytes.Equal(asked, input), err
}

// withText is the input with text in place of the bare parameter. A text that was not
// changed keeps the very bytes that the agent wrote for it, with its own escapes.
func (f editForm) withText(text string) (json.RawMessage, error) {
	was, _ := change.StringValue(f.fields[f.bare].Value)
	text = withoutBreak(text, f.added)
	if !strings.HasPrefix(was, "\ufeff") {
		text = strings.TrimPrefix(text, "\ufeff") // some editors put it there
	}
	value := f.fields[f.bare].Value
	if text != was {
		value = jsonString(text)
	}
	var b bytes.Buffer
	for i, field := range f.fields {
		// The parts are put together as they were, so the agent's order of members
		// stays.
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.Write(jsonString(field.Key))
		b.WriteByte(':')
		if i == f.bare {
			b.Write(value)
		} else {
			b.Write(field.Value)
		}
	}
	b.WriteByte('}')
	return compact(b.String())
}

// jsonString is s in JSON, with no more escapes than there must be.
func jsonString(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) //nolint:errchkjson // strings never fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// compact reads one strict JSON object and leaves out the blanks between its parts.
// The error names the line, as a person has it in the editor.
func compact(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("it is empty")
	}
	if _, err := wire.Fields([]byte(text)); err != nil {
		if syntax, ok := errors.AsType[*wire.SyntaxError](err); ok {
			at := min(max(syntax.Offset, 0), len(text))
			return nil, fmt.Errorf("line %d: %w", strings.Count(text[:at], "\n")+1, err)
		}
		return nil, err //nolint:wrapcheck // says it all
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return nil, err //nolint:wrapcheck // says it all
	}
	return b.Bytes(), nil
}
