package nonces

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// A request counts once for five minutes at least, and what is remembered has a bound
// that one token cannot use up for another.
func TestNoncesAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Memory
		if !n.Take("a", "1") || n.Take("a", "1") || !n.Take("b", "1") {
			t.Fatal("a nonce counts twice, or not at all")
		}
		time.Sleep(nonceTime) // of the bubble: nobody waits
		if !n.Take("a", "2") || n.Take("a", "1") {
			t.Error("forgotten too soon")
		}
		for i := range 5 * maxNonces {
			n.Take("a", "x"+strconv.Itoa(i))
		}
		if g := n.byToken["a"]; len(g.young)+len(g.old) > 2*maxNonces {
			t.Errorf("%d are remembered", len(g.young)+len(g.old))
		}
		if n.Take("b", "1") {
			t.Error("another token's were forgotten")
		}
	})
}
