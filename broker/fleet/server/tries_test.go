package server

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"
)

// Who guesses at a server is not told of a right code; others are, and nobody's count grows without end.
func TestTries(t *testing.T) {
	var tr tries
	now := time.Now()
	for range triesMost {
		if tr.tooMany("a", now) {
			t.Fatal("too soon")
		}
		tr.note("a", now)
	}
	if !tr.tooMany("a", now) || tr.tooMany("b", now) {
		t.Error("the limit holds for another address than it should")
	}
	for i := range 2 * triesFrom {
		tr.note(fmt.Sprint(i), now)
	}
	if len(tr.from) > triesFrom+1 {
		t.Errorf("%d addresses are told apart", len(tr.from))
	}
	if !tr.tooMany("c", now) {
		t.Error("those beyond are not counted")
	}
	if now = now.Add(triesWindow); tr.tooMany("a", now) {
		t.Error("it is never over")
	}
	for text, want := range map[string]string{"10.0.0.1:5": "10.0.0.1", "[::ffff:10.0.0.1]:5": "10.0.0.1", "[2001:db8:1:2:3::4]:5": "2001:db8:1:2::"} {
		if got := host(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(text))); got != want {
			t.Errorf("%s counts as %s", text, got)
		}
	}
}
