package rules

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
)

// Question is a call as it is asked about. Tool, Input and the ids come from the agent and are
// not trusted; Place and the three functions come from the broker, which looks at the disk with
// them. Prepare calls the functions, and so does the built-in rule while the call is judged, in
// whichever goroutine judges.
type Question struct {
	Tool      string
	Input     json.RawMessage // one JSON object
	Agent     string
	SessionID string
	Place     risk.Place
	Trusted   bool // the tool's name means what it says, so the built-in rule may speak

	// Exists reports whether there is a file at a real path. The built-in rule does not
	// speak for files that are not there: they may be links by the time they are read.
	// nil: every file exists.
	Exists func(path string) bool

	// Matches are the files that a pattern of a shell, an absolute path, may stand for; all:
	// there are no others. nil: nobody looks, and what it may match in the project is taken
	// for files of the project.
	Matches func(pattern string) (files []string, all bool)

	// Special reports whether there is something else than a plain file or a folder at a
	// real path: a pipe, a device, a socket. The built-in rule does not speak for these:
	// reading takes from another program, or never ends. nil: nothing is special.
	Special func(path string) bool
}

// BuiltinReadOnly is the id of the built-in rule: tools that only read, inside the project, run
// without a question. Every other rule comes before it. No rule of a user can have this id, as
// theirs are UUIDs.
const BuiltinReadOnly = "builtin:read-only"

// Assessment is what the rules say about a call, and why. Its JSON is what the API and the
// command line show; Raw tells the screen that nobody could look at the parts alone. Elements
// are in the order of the line. Texts in it are the agent's, and must be made safe before they
// are drawn.
type Assessment struct {
	Verdict   Verdict  `json:"verdict"`
	Rule      string   `json:"rule,omitempty"` // id of the rule that decides; empty: none speaks
	Reason    string   `json:"reason"`         // one sentence: what decides, or why a person is asked
	risk.Risk          // its class is the field risk
	Elements  []Judged `json:"elements"`             // of a command line; one for any other call
	Rules     []string `json:"rules,omitempty"`      // ids of all rules that an allow or deny rests on, each once
	Raw       bool     `json:"-" cbor:"raw"`         // a deny rule was found in the raw text only
	Unread    string   `json:"unread,omitempty"`     // not empty: nothing of the call was parsed, because of this
	Off       string   `json:"off,omitempty"`        // of a call that asks: id of a rule that is switched off and would allow it; see Set.SwitchedOff
	NeedsTwo  bool     `json:"needs_two,omitempty"`  // two operators must allow it
	AllowedBy string   `json:"allowed_by,omitempty"` // the first of them, "" while nobody has
}

// Judged is one element of a call with what the rules say about it. Verdict is that of the
// element alone; the worst of all is the call's. Real is "" when nobody knows where Path leads.
type Judged struct {
	Kind    string      `json:"kind"` // as shell.Kind, or "tool"
	Text    string      `json:"text"` // raw: the element as the line has it
	Argv    []string    `json:"argv,omitempty"`
	Via     []string    `json:"via,omitempty"`
	Path    string      `json:"path,omitempty"`    // absolute, as given
	Real    string      `json:"real,omitempty"`    // where Path leads
	Deletes bool        `json:"deletes,omitempty"` // of a write: its command deletes the file, or all below it
	Effects effects.Set `json:"effects,omitempty"` // what it may do, with its operands
	Granted effects.Set `json:"granted,omitempty"` // those of them that rules about effects allow
	Verdict Verdict     `json:"verdict"`
	Neutral bool        `json:"neutral,omitempty"` // has no say
	Rule    string      `json:"rule,omitempty"`    // the one that speaks for the element
	Why     string      `json:"why"`
	Matches []string    `json:"matches,omitempty"` // ids of all rules that match, best first
	Idle    []string    `json:"idle,omitempty"`    // ids of the allow rules that match and may not speak here: Why says more
}
