package store_test

import (
	"strings"
	"testing"
)

// Of a database that nobody touched there is nothing to say, and looking makes no file.
func TestHealth(t *testing.T) {
	path := filled(t)
	before := names(t, path)
	r := openReader(t, path)
	h, err := r.Health(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Checked || len(h.Damage) > 0 || h.Schema != h.Newest || h.Events != 16 || h.Bytes == 0 {
		t.Errorf("got %+v of a database with 16 events", h)
	}
	if h, err = r.Health(t.Context(), 1); err != nil || h.Checked {
		t.Errorf("a file above the limit was read: %+v, %v", h, err)
	}
	if after := names(t, path); strings.Join(before, " ") != strings.Join(after, " ") {
		t.Errorf("files %v became %v", before, after)
	}
}

// The tail of the log shows what was done to it, and nothing of what lies before.
func TestVerifyTail(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		n            int64
		want         string
	}{
		{"nothing", ``, 3, ""},
		{"nothing, more than there is", ``, 100, ""},
		{"the last event changed", `UPDATE events SET data = '{}' WHERE seq = 16`, 3, "event 16: it was changed"},
		{"an event deleted", `DELETE FROM events WHERE seq = 15`, 3, "event 16: events 15 to 15 before it are gone"},
		{"the first of the tail", `UPDATE events SET data = '{}' WHERE seq = 14`, 3, "event 14: it was changed"},
		{"before the tail", `UPDATE events SET data = '{}' WHERE seq = 2`, 3, ""},
		{"the end cut off", `DELETE FROM events WHERE seq > 12`, 3, "event 12: the log ends here, but its end was event 16"},
		{"all of it gone", `DELETE FROM events`, 3, "the log ends here, but its end was event 16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filled(t)
			if tt.script != "" {
				foreign(t, path, tt.script)
			}
			r, err := openReader(t, path).VerifyTail(t.Context(), tt.n)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if !r.Clean() {
				got = r.Problems[0].String()
			}
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Facts before the tail are counted, so that those in it have the right numbers.
func TestVerifyTailCountsFacts(t *testing.T) {
	path := ruled(t)
	for n := int64(1); n <= 10; n++ {
		r, err := openReader(t, path).VerifyTail(t.Context(), n)
		if err != nil || !r.Clean() {
			t.Errorf("the newest %d events: %v, %v", n, r.Problems, err)
		}
	}
}
