package broker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// RefusalKind says why somebody was turned away.
type RefusalKind string

// The kinds of refusal.
const (
	NoOperator     RefusalKind = "no_operator"      // what only the operator may do, without a token
	BadToken       RefusalKind = "bad_token"        // a token that is not, or no longer, one
	UnderAgent     RefusalKind = "under_agent"      // an operator's token, from a process that is an agent's or cannot be told from one
	AskToken       RefusalKind = "ask_token"        // an asking token, for something else than asking
	OperatorAsks   RefusalKind = "operator_token"   // an operator's token in a hook: the agent could answer itself with it
	NotOpened      RefusalKind = "not_opened"       // a person's own terminal, before the key in the console that the order takes: no attack
	OtherUser      RefusalKind = "other_user"       // a process of another user
	FromBrowser    RefusalKind = "browser"          // a request that a web page makes, or may make
	NoToken        RefusalKind = "no_token"         // TCP without a token
	Replayed       RefusalKind = "replayed"         // an allowed call asked again, although its answer holds no longer
	ForeignPrompt  RefusalKind = "foreign_prompt"   // a prompt that would lift a stop, from elsewhere than the agent's hook runner
	NoPairing      RefusalKind = "no_pairing"       // a console that did not prove that it knows the code
	FleetOrder     RefusalKind = "fleet_order"      // an order from another machine that could not be taken
	NotProgramming RefusalKind = "bad_content_type" // TCP with a body that is not said to be JSON
)

// RefusedData is the data of an EventDecisionRefused and an EventAccessRefused.
type RefusedData struct {
	Wanted string      `json:"wanted"` // "allow", "rule", "observe", "unfreeze", or a method and route
	Kind   RefusalKind `json:"kind"`
	Detail string      `json:"detail,omitempty"`
	By     Actor       `json:"by"`
	Rule   *rules.Rule `json:"rule,omitempty"`
	More   int         `json:"more,omitempty"` // as many others like it were only counted
}

// EventType is that of the event which records d. The two are separate events since an operator
// looks for one of them: somebody who tried to allow.
func (d RefusedData) EventType() string {
	if slices.Contains([]string{string(Allow), "rule", "observe", WantsUnfreeze}, d.Wanted) {
		return EventDecisionRefused
	}
	return EventAccessRefused
}

// Refused is an attempt that was turned down, as a console tells of it.
type Refused struct {
	At        time.Time
	SessionID string // of the call it was about; may be empty
	RequestID string
	RefusedData
}

// Sentence says who tried what and why it was refused. It holds text from outside. It is made
// from the record alone, so the log reads the same as the console did.
func (d RefusedData) Sentence() string {
	who := "somebody"
	switch {
	case d.By.PID > 0 && d.By.Exe != "":
		who = fmt.Sprintf("process %d (%s)", d.By.PID, d.By.Exe)
	case d.By.PID > 0:
		who = fmt.Sprintf("process %d", d.By.PID)
	case d.By.Exe != "":
		who = d.By.Exe
	}
	what := "to call " + d.Wanted
	switch d.Wanted {
	case string(Allow):
		what = "to allow a call"
	case "rule":
		what = "to change a rule"
	case "observe":
		what = "to have calls not held"
	case WantsUnfreeze:
		what = "to lift a freeze"
	case WantsLift:
		what = "to lift a stop with a prompt"
	case WantsResume:
		what = "to resume a session"
	case WantsOrder:
		what = "to give an order over the fleet"
	case WantsAgain:
		what = "to use the answer to a call again"
	}
	more := ""
	if d.More > 0 {
		more = fmt.Sprintf(" (and %d more like it)", d.More)
	}
	return who + " tried " + what + ": " + cmp.Or(d.Detail, string(d.Kind), "refused") + more
}

// Some values of RefusedData.Wanted.
const (
	WantsUnfreeze = "unfreeze" // to lift a freeze
	WantsLift     = "lift"     // to lift a stop with a prompt
	WantsAgain    = "again"    // the answer to a call once more
	WantsResume   = "resume"   // to go on with a session
	WantsOrder    = "order"    // to give an order over a fleet
)
