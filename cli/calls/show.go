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

// isDangerous reports whether a call takes more than a y. One that nobody has judged does.
func isDangerous(r broker.Request) bool {
	return r.Assessment == nil || r.Assessment.Class >= risk.Dangerous
}

// showCall prints all of a call: nothing of it is cut or left out, and nothing of it
// reaches the terminal raw.
func showCall(out io.Writer, r broker.Request) error {
	var b strings.Builder
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
	}
	if r.Description != "" {
		line("it says", fmt.Sprintf("%q (the agent's own words)", r.Description))
	}
	if r.State.Terminal() {
		line("status", string(r.State)+": only the agent's next identical call would pass")
	}
	line("digest", r.Digest)
	_, err := io.WriteString(out, b.String())
	return err
}

// block writes a field of the input, each of its lines behind a bar.
func block(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "%s\n", safe.Line(name))
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(b, "  │ %s\n", safe.Line(line))
	}
	for _, note := range safe.Notes(text) {
		fmt.Fprintf(b, "  ! %s\n", safe.Line(note))
	}
}

type inputField struct{ name, text string }

// inputFields are the members of a call's input in their order, the telling one first.
// An input that is no object is shown as it is.
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
		if json.Unmarshal(value, &s) == nil && value[0] == '"' {
			text = s
		}
		fields = append(fields, inputField{fmt.Sprint(name), text})
	}
	telling := show.TellingField[r.ToolName]
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
