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
