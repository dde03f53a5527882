package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

// twoReadings are texts in the place of a tool's input, or behind it, that two readers of
// JSON could take for two calls. IN marks where the input stands in the body.
var twoReadings = map[string]struct{ input, body string }{
	"a key twice":                     {`{"command":"ls","command":"rm -rf x"}`, "IN"},
	"a key twice, once escaped":       {`{"command":"ls","\u0063ommand":"rm -rf x"}`, "IN"},
	"a key in two cases":              {`{"command":"ls","Command":"rm -rf x"}`, "IN"},
	"a key with a long s":             {`{"sandbox":true,"` + "\u017f" + `andbox":false}`, "IN"},
	"a key twice, deep inside":        {`{"a":[{"b":{"c":1,"c":2}}]}`, "IN"},
	"half a surrogate pair":           {`{"command":"\ud800"}`, "IN"},
	"half a surrogate pair in a key":  {`{"\udc00":1}`, "IN"},
	"invalid UTF-8":                   {"{\"command\":\"\xff\"}", "IN"},
	"an overlong slash":               {"{\"command\":\"\xc0\xaf\"}", "IN"},
	"a NUL":                           {`{"command":"ls\u0000rm"}`, "IN"},
	"a raw control character":         {"{\"command\":\"ls\nrm\"}", "IN"},
	"nested too deep":                 {`{"a":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`, "IN"},
	"nested beyond every stack":       {`{"a":` + strings.Repeat("[", 200_000) + `}`, "IN"},
	"a comma too many":                {`{"command":"ls",}`, "IN"},
	"a comment":                       {`{"command":"ls"/*,"command":"rm"*/}`, "IN"},
	"quotes of another kind":          {`{'command':'ls'}`, "IN"},
	"not a number":                    {`{"a":NaN}`, "IN"},
	"a number with a plus":            {`{"a":+1}`, "IN"},
	"a number with a leading nought":  {`{"a":01}`, "IN"},
	"no object":                       {`["ls"]`, "IN"},
	"null":                            {`null`, "IN"},
	"trailing data":                   {`{"command":"ls"}`, `IN{"x":1}`},
	"a trailing bracket":              {`{"command":"ls"}`, `IN}`},
	"a byte order mark":               {`{"command":"ls"}`, "\xef\xbb\xbfIN"},
	"cut off":                         {`{"command":"ls`, "IN"},
	"the whole input twice":           {`{"command":"ls"},"tool_input":{"command":"rm -rf x"}`, "IN"},
	"the whole input in another case": {`{"command":"ls"},"Tool_Input":{"command":"rm -rf x"}`, "IN"},
	"the tool twice":                  {`{"command":"ls"},"tool_n\u0061me":"Read"`, "IN"},
}

// TestTwoReadings: what could be read in two ways is refused on every route that asks,
// makes no card, and the broker goes on.
func TestTwoReadings(t *testing.T) {
	c := serve(t, service.Options{})
	for name, tt := range twoReadings {
		t.Run(name, func(t *testing.T) {
			for path, body := range map[string]string{
				"/hooks/claude":            `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_use_id":"t","tool_name":"Bash","tool_input":%s}`,
				"/create-approval-request": `{"session_id":"s","tool_name":"Bash","tool_input":%s}`,
				"/request-approval":        `{"session_id":"s","tool_name":"Bash","tool_input":%s}`,
				"/rules/explain":           `{"tool_name":"Bash","tool_input":%s}`,
			} {
				whole := strings.Replace(tt.body, "IN", fmt.Sprintf(body, tt.input), 1)
				if code, answer := c.do("POST", path, whole); code < 400 || code > 499 {
					t.Errorf("%s: %d %v, want a refusal", path, code, answer)
				}
			}
		})
	}
	if waiting := c.b.Pending(""); len(waiting) > 0 {
		t.Errorf("%d calls wait", len(waiting))
	}
	if code, _ := c.do("GET", "/sessions", ""); code != http.StatusOK {
		t.Errorf("the broker answers %d", code)
	}
}

// TestOddNumbers: numbers that some readers cannot hold are kept as they were sent.
func TestOddNumbers(t *testing.T) {
	b := startOver(t, brokertest.NewMemory())
	const input = `{"a":1e999,"b":-0,"c":123456789012345678901234567890,"d":0.1000000000000000055511151231257827}`
	r, err := b.Submit(t.Context(), broker.Question{Request: broker.Request{SessionID: "s", Agent: "claude", ToolName: "mcp__x__y", ToolInput: []byte(input)}})
	if err != nil || string(r.ToolInput) != input || r.Digest != broker.Digest("mcp__x__y", []byte(input), "") || r.State != broker.Pending {
		t.Errorf("got %s %s, %v", r.State, r.ToolInput, err)
	}
}

// FuzzOneReading: of an input that the strict reading takes, the rules, the screen and a
// reader that ignores case see the same command.
func FuzzOneReading(f *testing.F) {
	for _, tt := range twoReadings {
		f.Add([]byte(tt.input))
	}
	f.Add([]byte(`{"Command":"rm -rf x"}`))
	f.Add([]byte(`{"\u0063ommand":"rm \u0026 x","timeout":1e3}`))
	set, err := rules.Compile([]rules.Rule{{ID: "all", Version: 1, Enabled: true, Tool: "*", Decision: rules.Allow}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		fields, err := wire.Fields(input)
		call := rules.Prepare(rules.Question{Tool: "Bash", Input: input})
		verdict, _ := set.Verdict(call, time.Time{})
		if err != nil {
			if verdict == rules.Allow {
				t.Fatalf("a rule allows %q, which is refused: %v", input, err)
			}
			return
		}
		shown, there := "", false
		for _, field := range fields {
			if field.Key == "command" {
				there = json.Unmarshal(field.Value, &shown) == nil && field.Value[0] == '"'
			}
		}
		var folded struct {
			Command any `json:"command"`
		}
		if err := json.Unmarshal(input, &folded); err != nil {
			return // a number that is beyond it
		}
		if there && folded.Command != shown {
			t.Fatalf("%q: the screen shows %q, another reader sees %v", input, shown, folded.Command)
		}
		if l := call.Line(); there && (l == nil || l.Raw != shown) {
			t.Fatalf("%q: the screen shows %q, the rules see %+v", input, shown, l)
		}
		if !there && verdict == rules.Allow {
			t.Fatalf("%q: a rule allows what the screen does not show as a command", input)
		}
	})
}
