package agents

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// params are the parameters that a tool is known to take, in the common words, with the
// kind of value that each takes. One with a "!" must not go, and must not be blank.
//
// Source: the tools of Claude Code 2.1.329 as it describes them to its model.
var params = map[string]map[string]string{
	"Bash":         {"command": "a string!", "description": "a string", "timeout": "a number", "run_in_background": "a boolean", "dangerouslyDisableSandbox": "a boolean"},
	"PowerShell":   {"command": "a string!", "description": "a string", "timeout": "a number", "run_in_background": "a boolean"},
	"Monitor":      {"command": "a string!"},
	"apply_patch":  {"command": "a string!", "input": "a string!", "patch": "a string!"},
	"Read":         {"file_path": "a string!", "offset": "a number", "limit": "a number", "pages": "a string"},
	"Write":        {"file_path": "a string!", "content": "a string"},
	"Edit":         {"file_path": "a string!", "old_string": "a string", "new_string": "a string", "replace_all": "a boolean"},
	"MultiEdit":    {"file_path": "a string!", "edits": "an array"},
	"NotebookEdit": {"notebook_path": "a string!", "cell_id": "a string", "new_source": "a string", "cell_type": "a string", "edit_mode": "a string"},
	"Glob":         {"pattern": "a string!", "path": "a string"},
	"WebFetch":     {"url": "a string!", "prompt": "a string"},
	"WebSearch":    {"query": "a string!", "allowed_domains": "an array", "blocked_domains": "an array"},
}

// aString is the word of kindOf for one.
const aString = "a string"

// forms are tools that a person fills in: an answer adds what was not asked.
var forms = map[string]bool{"AskUserQuestion": true, "ExitPlanMode": true}

// SameShape reports why agent's tool would not take input in place of the one that it
// was asked with: it is not one strict JSON object, a parameter is missing, is blank, has
// a value of another kind, or is none that the tool is known to take. What is not known
// of a tool passes.
//
// It is for the operator's edits. Its texts are shown beside the edited input, so they name
// parameters as the agent does.
func SameShape(agent, name string, asked, input json.RawMessage) error {
	fresh, err := wire.Fields(input)
	if err != nil {
		return fmt.Errorf("it is not one plain JSON object: %w", err)
	}
	old, err := wire.Fields(asked)
	if err != nil {
		return fmt.Errorf("the call was not asked with a plain JSON object: %w", err)
	}
	commonName, was, _ := Common(agent, name, asked)
	// What a form is given in answer is checked by package forms.
	if forms[commonName] {
		return nil
	}
	now, is, _ := Common(agent, name, input)
	if now != commonName {
		return fmt.Errorf("with this input it is no call of %s any more", shortName(name))
	}
	oldCommon, _ := wire.Fields(was)
	freshCommon, _ := wire.Fields(is)
	if len(oldCommon) != len(old) || len(freshCommon) != len(fresh) {
		oldCommon, freshCommon = old, fresh
	}
	return sameShape(params[commonName], old, oldCommon, fresh, freshCommon)
}

// sameShape compares two inputs, each with its fields as the agent names them and, in
// the same order, in the common words. A parameter that was there with an odd kind may keep that
// kind: the agent sent it so.
func sameShape(known map[string]string, old, oldCommon, fresh, freshCommon []wire.Field) error {
	kinds := make(map[string]string, len(old)) // by the agent's name
	for i, f := range old {
		kinds[f.Key] = kindOf(f.Value)
		if strings.HasSuffix(known[oldCommon[i].Key], "!") && !hasField(fresh, f.Key) {
			return fmt.Errorf("%s is missing", shortName(f.Key))
		}
	}
	for i, f := range fresh {
		want, must := strings.CutSuffix(known[freshCommon[i].Key], "!")
		was := kinds[f.Key]
		if want == "" {
			want = was
		}
		switch got := kindOf(f.Value); {
		case known != nil && want == "":
			return fmt.Errorf("%s is no parameter that the tool is known to take", shortName(f.Key))
		case want != "" && got != want && got != was:
			return fmt.Errorf("%s must be %s, not %s", shortName(f.Key), want, got)
		case must && got == aString && blank(f.Value):
			return fmt.Errorf("%s is empty", shortName(f.Key))
		}
	}
	return nil
}

// hasField reports whether list has a field of exactly this key.
func hasField(list []wire.Field, key string) bool {
	for _, f := range list {
		if f.Key == key {
			return true
		}
	}
	return false
}

// blank reports whether a string has nothing that could be read. What is no string is not blank.
func blank(raw json.RawMessage) bool {
	var s string
	return json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) == ""
}

// shortName is an agent's word in a message.
func shortName(s string) string { return fmt.Sprintf("%q", cut(s, 80)) }
