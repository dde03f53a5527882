package board

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// TestLateOnceRecorded: a call that ended without an answer may be allowed late once that is on
// record, and not before.
func TestLateOnceRecorded(t *testing.T) {
	b := NewBoard()
	r := tuitest.ToolCall("Bash", map[string]string{"command": "make"})
	b.Request(r, tuitest.Noon)
	r.State, r.Outcome, r.Unrecorded = broker.Expired, &broker.Outcome{State: broker.Expired, At: tuitest.Noon}, true
	if b.Request(r, tuitest.Noon); b.Rows() != 0 {
		t.Error("it is listed while its end is not on record")
	}
	r.Unrecorded = false
	if b.Request(r, tuitest.Noon); b.Rows() != 1 || !b.Row(0).Late() {
		t.Errorf("%d rows once its end is on record", b.Rows())
	}
}

// TestStill: a key that was pressed for a card acts on that card, and on no other that has come
// in its place.
func TestStill(t *testing.T) {
	b := NewBoard()
	first := tuitest.ToolCall("Bash", map[string]string{"command": "make"})
	b.Request(first, tuitest.Noon)
	drawn := b.Cards[first.ID].Key()
	if c := b.Still(drawn); c == nil || c != b.Cards[first.ID] {
		t.Fatal("the card that was drawn is not the one that is there")
	}
	late := first
	late.State, late.Outcome = broker.Expired, &broker.Outcome{State: broker.Expired, At: tuitest.Noon}
	other := first
	other.Digest = "of another call"
	for name, r := range map[string]broker.Request{"it is late": late, "its call is another one": other} {
		b.Request(r, tuitest.Noon)
		if b.Cards[r.ID] == nil || b.Still(drawn) != nil {
			t.Errorf("%s, and a key for the old one acts on it", name)
		}
		b.Request(first, tuitest.Noon)
	}
	b.Drop(b.Cards[first.ID])
	if b.Still(drawn) != nil {
		t.Error("a key acts on a card that is gone")
	}
}
