package api

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// The refusal names the key that does what was wanted.
func TestRefusedResumeNamesItsKey(t *testing.T) {
	for err, key := range map[error]string{broker.ErrResume: "press R ", broker.ErrLift: "(m)", broker.ErrForbidden: "(r opens the rules)"} {
		if r := errorReply(err); r.status != 403 || !strings.Contains(string(r.body), key) {
			t.Errorf("%v: %d %s", err, r.status, r.body)
		}
	}
}

// A message begins with what is wrong, and not with the chain of calls that found it.
func TestMessagesSayWhatIsWrong(t *testing.T) {
	r := errorReply(broker.While(broker.ErrAlreadyDecided, "decide %s", "0197aaaa-5c1b-7e40-ba7e-d8da748a3c62"))
	if !strings.Contains(string(r.body), `"message":"already decided"`) {
		t.Errorf("%s", r.body)
	}
}
