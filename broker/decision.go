package broker

import (
	"encoding/json"
	"fmt"
	"time"
)

// Validate says what is wrong with d. Errors: ErrInvalid. An allow by anybody but an operator or
// a rule is refused here once more, after every caller has looked: this is the last place before
// the engine.
func (d Decision) Validate() error {
	switch d.Verdict {
	case Deny:
		return nil
	case Allow:
		if d.By.Kind != ByOperator && d.By.Kind != ByRule {
			return fmt.Errorf("%w: %s cannot allow", ErrInvalid, d.By.Kind)
		}
		return nil
	case Ask:
		if d.By.Kind != ByOperator {
			return fmt.Errorf("%w: %s cannot leave a call to its agent's prompt", ErrInvalid, d.By.Kind)
		}
		return nil
	case Defer: // no decision of a person's: see engine.PutOff
	}
	return fmt.Errorf("%w: verdict %q", ErrInvalid, d.Verdict)
}

// Outcome is the end that d gives to a request, without its time. The time is the loop's: that at
// which the decision is recorded, not that of the key.
func (d Decision) Outcome() Outcome {
	o := Outcome{State: Denied, By: d.By, Reason: d.Reason}
	switch d.Verdict {
	case Allow:
		o.State, o.UpdatedInput = Allowed, d.UpdatedInput
	case Ask:
		o.State = Answered
	case Deny, Defer:
	}
	return o
}

// MaxDifference is how much of a difference is recorded, bytes; both inputs are, whole.
const MaxDifference = 64 << 10

// NewEvent makes an event about r. Its data is of our own types, which marshal;
// if one ever does not, the event says so instead of vanishing.
func NewEvent(at time.Time, typ string, r Request, data any) *Event {
	raw, err := json.Marshal(data)
	if err != nil {
		raw, _ = json.Marshal(map[string]string{"unreadable": err.Error()})
	}
	return &Event{At: Instant(at), Type: typ, SessionID: r.SessionID, RequestID: r.ID, Data: raw}
}

// GrantRevoked stands in Grant.UsedBy when a grant was taken back. Otherwise the id of the
// request that used it stands there.
const GrantRevoked = "revoked"
