package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/tui/safe"
)

// isDangerous reports whether a call takes more than a y. One that nobody has judged does,
// which is what a call from an earlier console is until it is judged anew.
func isDangerous(r broker.Request) bool {
	return r.Assessment == nil || r.Assessment.Class >= risk.Dangerous
}

// showCall prints all of a call: nothing of it is cut or left out, and nothing of it
// reaches the terminal raw. It prints no colours, so that it reads the same on every
// terminal and in a log of one.
func showCall(out io.Writer, r broker.Request) error {
	var b strings.Builder
	// A label without a text is left out; an empty label continues the one above it.
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", label, safe.Line(text))
		}
	}
	line("tool", r.ToolName)
	for _, f := range inputFields(r) {
		block(&b, f.name, f.text)
	}
	line("in", r.CWD)
	line("session", r.SessionID)
	line("agent", strings.TrimSpace(r.Agent+" "+r.SubagentType+" "+r.SubagentID))
	line("mode", r.Mode)
	switch a := r.Assessment; {
	// The words for a risk that is not known stand where the risk would: silence would read
	// as safe.
	case a == nil:
		line("risk", "not known any more")
	case a.Why != "":
		line("risk", a.Class.String()+": "+a.Why)
	default:
		line("risk", a.Class.String())
	}
	if a := r.Assessment; a != nil {
		for _, f := range a.Findings {
			line("", strings.TrimSpace(f.Words()+"  "+f.Text))
		}
		line("asked", a.Reason)
		switch {
		case a.AllowedBy != "":
			line("two", a.AllowedBy+" allowed it; a second operator is needed")
		case a.NeedsTwo:
			line("two", "two operators must allow it")
		}
	}
	if r.Description != "" {
		// Quotes and the remark keep the agent's words apart from what aoctl found out.
		line("it says", fmt.Sprintf("%q (the agent's own words)", r.Description))
	}
	// Allowing such a call leaves a grant; the reader must not think that it runs at once.
	if r.State.Terminal() {
		line("status", string(r.State)+": only the agent's next identical call would pass")
	}
	line("digest", r.Digest)
	_, err := io.WriteString(out, b.String())
	return err
}

// block writes a field of the input, each of its lines behind a bar. The bar keeps a text
// with newlines from forging the labels of this list. What a reader may overlook in it,
// such as a sign that cannot be seen, is noted below.
func block(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "%s\n", safe.Line(name))
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(b, "  │ %s\n", safe.Line(line))
	}
	for _, note := range safe.Notes(text) {
		fmt.Fprintf(b, "  ! %s\n", safe.Line(note))
	}
}

// inputField is one member of the input. text is the string itself, or any other value as
// JSON.
type inputField struct{ name, text string }

// inputFields are the members of a call's input in their order, the telling one first. An
// input that is no object is shown as it is, and so is one that cannot be read to its end:
// to show half of it would hide the rest.
//
// Members are read one by one, because a map would lose their order.
func inputFields(r broker.Request) []inputField {
	dec := json.NewDecoder(bytes.NewReader(r.ToolInput))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return []inputField{{"input", string(r.ToolInput)}}
	}
	var fields []inputField
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return []inputField{{"input", string(r.ToolInput)}}
		}
		text := string(value)
		var s string
		// Unmarshal of null into a string succeeds too, hence the look at the first byte.
		if json.Unmarshal(value, &s) == nil && value[0] == '"' {
			text = s
		}
		fields = append(fields, inputField{fmt.Sprint(name), text})
	}
	telling := show.TellingField[r.ToolName]
	// Only the telling member moves; the others keep the order that the agent gave them.
	slices.SortStableFunc(fields, func(x, y inputField) int {
		switch {
		case x.name == telling && y.name != telling:
			return -1
		case y.name == telling && x.name != telling:
			return 1
		}
		return 0
	})
	return fields
}
