package agents

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestResultText(t *testing.T) {
	for name, tc := range map[string]struct{ raw, want string }{
		"none":                 {``, ""},
		"null":                 {`null`, ""},
		"a string":             {`"ok\u001b[2J\n"`, "ok\x1b[2J\n"},
		"a command":            {`{"stdout":"a\n","stderr":"","interrupted":false}`, "a\n"},
		"a command that moans": {`{"stdout":"a","stderr":"b"}`, "a\nstderr:\nb"},
		"a silent command":     {`{"stdout":"","stderr":""}`, ""},
		"a file":               {`{"type":"text","file":{"filePath":"/a","content":"module shop\n"}}`, "module shop\n"},
		"an edit":              {`{"filePath":"/a","oldString":"x","structuredPatch":[{"oldStart":1,"lines":[" a","-b","+c"]},{"lines":["+d"]}]}`, " a\n-b\n+c\n⋯\n+d"},
		"MCP blocks":           {`[{"type":"text","text":"one"},{"type":"image","data":"aGk="},{"type":"text","text":""}]`, "one\n[image]\n"},
		"Gemini":               {`{"llmContent":"Output: hi","returnDisplay":"hi"}`, "Output: hi"},
		"Gemini, failed":       {`{"llmContent":"x","error":{"message":"no such file","type":"t"}}`, "no such file"},
		"content of blocks":    {`{"content":[{"type":"text","text":"two"}]}`, "two"},
		"no known shape":       {`{"count":3}`, `{"count":3}`},
		"a number":             {`3`, `3`},
		"a list of numbers":    {`[1,2]`, `[1,2]`},
		"twice the same key":   {`{"stdout":"a","stdout":"b"}`, "b"},
		"a broken list":        {`["a"`, `["a"`},
		"a member of null":     {`{"content":null,"output":"a"}`, "a"},
		"broken":               {`{"stdout":`, `{"stdout":`},
	} {
		if got := ResultText(json.RawMessage(tc.raw)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestClaudeTellsHowACallEnded(t *testing.T) {
	d := claudeDialect(t)
	const head = `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},`
	for name, tc := range map[string]struct {
		rest   string
		result string
		took   time.Duration
	}{
		"with both":             {`"tool_response":{"stdout":"x"},"duration_ms":1200}`, "x", 1200 * time.Millisecond},
		"half a millisecond":    {`"tool_response":"y","duration_ms":0.5}`, "y", 500 * time.Microsecond},
		"neither":               {`"tool_use_id":"t"}`, "", 0},
		"a duration of words":   {`"duration_ms":"long"}`, "", 0},
		"a duration below zero": {`"duration_ms":-3}`, "", 0},
		"an endless duration":   {`"duration_ms":1e300}`, "", 0},
	} {
		h, err := d.Decode([]byte(head + tc.rest))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := ResultText(h.Result); got != tc.result || h.Duration != tc.took {
			t.Errorf("%s: %q after %v, want %q after %v", name, got, h.Duration, tc.result, tc.took)
		}
	}
}

// Whatever a tool gave back, reading it neither fails nor makes more of it.
func FuzzResultText(f *testing.F) {
	for _, s := range []string{``, `"a"`, `{"stdout":"a","stderr":"b"}`, `[{"type":"text","text":"x"}]`, `{"file":{"file":{"content":"deep"}}}`, `{"structuredPatch":[{"lines":["+a"]}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := ResultText(json.RawMessage(raw))
		if len(got) > 3*len(raw)+len("stderr:\n") { // an invalid byte becomes three
			t.Errorf("%d bytes of %d", len(got), len(raw))
		}
		if strings.TrimSpace(raw) == "" && got != "" {
			t.Errorf("%q out of nothing", got)
		}
	})
}
