package api

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// taken is a response whose connection can be taken, as with the HTTP server.
type taken struct {
	*httptest.ResponseRecorder
	hijack func() net.Conn
}

func (w taken) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c := w.hijack()
	return c, bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c)), nil
}

// The HTTP server forgets a connection the moment that it is taken. From then on the end must wait
// for it in another way, or a call that is just being parked is answered out of a closed store.
func TestParkedBeforeTaken(t *testing.T) {
	var wt waiting
	ours, theirs := net.Pipe()
	defer func() { _ = theirs.Close() }()
	over := make(chan struct{})
	wt.park(taken{httptest.NewRecorder(), func() net.Conn {
		if wt.parked.TryLock() {
			t.Error("the end waits for nobody while a connection is being taken")
			wt.parked.Unlock()
		}
		return ours
	}}, func(*Parked) { close(over) })
	<-over
	wt.parked.Lock()

	w := httptest.NewRecorder()
	wt.park(taken{w, func() net.Conn { t.Error("parked after the end"); return ours }}, func(*Parked) { t.Error("waits after the end") })
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "shutting_down") {
		t.Errorf("after the end: %d %s", w.Code, w.Body)
	}
}
