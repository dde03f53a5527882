package store_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
)

// A deadline that another program wrote into the log gives no time, and the row of a call
// that was given some still fits the log.
func TestForgedExtensionGivesNoTime(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		want   int // extensions that are honoured
	}{
		"as it was":                  {"", 1},
		"a later deadline":           {`UPDATE events SET data = replace(data, '2026', '2027') WHERE type = 'request_extended'`, 0},
		"another time":               {`UPDATE events SET at_ms = at_ms + 1 WHERE type = 'request_extended'`, 0},
		"an event made one":          {`UPDATE events SET type = 'request_extended', data = '{"expires_at":"2030-01-01T00:00:00Z"}', request_id = 'r' WHERE type = 'message'`, 0},
		"of another request":         {`UPDATE events SET request_id = 'other' WHERE type = 'request_extended'`, 0},
		"in the row, as nobody does": {`UPDATE requests SET expires_at_ms = expires_at_ms + 600000 WHERE id = 'r'`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoctl.db")
			s := openAt(t, path)
			r := brokertest.PendingRequest("r", "s1")
			x := broker.Extension{RequestID: "r", At: brokertest.Epoch.Add(time.Minute)}
			x.From, x.ExpiresAt, x.By = r.ExpiresAt, brokertest.Epoch.Add(11*time.Minute), broker.Actor{Kind: broker.ByOperator}
			message := &broker.Event{At: x.At, Type: broker.EventMessage, SessionID: "s1"}
			commit(t, s, brokertest.Asked(r), brokertest.MoreTime(r, x),
				&broker.Change{Events: []*broker.Event{message}}, &broker.Change{Events: []*broker.Event{{At: x.At, Type: broker.EventUser, SessionID: "s1"}}})
			closeStore(t, s)
			checkClean(t, openReader(t, path))
			if tc.script != "" {
				foreign(t, path, tc.script)
				if report, err := openReader(t, path).Verify(t.Context()); err != nil || report.Clean() {
					t.Errorf("verify: %v, %+v", err, report)
				}
			}
			s = openAt(t, path)
			saved, err := s.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(saved.Extensions) != tc.want {
				t.Errorf("%d extensions are honoured, want %d: %+v", len(saved.Extensions), tc.want, saved.Extensions)
			}
			told := slices.ContainsFunc(s.Tampered(), func(line string) bool { return strings.Contains(line, "request/r: ") })
			if moved := name == "of another request"; told == (tc.script == "") && !moved { // nothing is left that speaks of the call
				t.Errorf("it tells of %q", s.Tampered())
			}
		})
	}
}
