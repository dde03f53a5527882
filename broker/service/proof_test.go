package service_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/service"
)

func hexSum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// mac writes the code anew, from what broker/wire says.
func mac(token string, lines ...string) string {
	h := hmac.New(sha256.New, []byte(hexSum(token)))
	h.Write([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(h.Sum(nil))
}

func asks(token, nonce, line, body string) string {
	method, path, _ := strings.Cut(line, " ")
	return fmt.Sprintf(`Authorization: Aoctl nonce="%s", body="%s", mac="%s"`, nonce, hexSum(body), mac(token, "ask", nonce, method, path, hexSum(body)))
}

// A hook client shows over TCP that it knows a token, without telling it, and the console
// shows the same in each answer: at once or after a wait, yes or no.
func TestProofOverTCP(t *testing.T) {
	b := serveTCP(t, service.Options{}, (*service.Broker).AnswerWrongTokensAtOnce)
	host := "Host: localhost" + b.addr[strings.LastIndexByte(b.addr, ':'):]
	const create, jsonType = "POST /create-approval-request", "Content-Type: application/json"
	n := 0
	nonce := func() string { n++; return fmt.Sprintf("%032x", n) }
	// proves reports whether the answer's proof fits the question.
	proves := func(t *testing.T, answer, token, nonce, line string, status int) bool {
		t.Helper()
		head, body, _ := strings.Cut(answer, "\r\n\r\n")
		value := func(name string) string {
			_, rest, _ := strings.Cut(head+"\r\n", "\r\n"+name+": ")
			v, _, _ := strings.Cut(rest, "\r\n")
			return v
		}
		method, path, _ := strings.Cut(line, " ")
		want := mac(token, "answer", nonce, method, path, fmt.Sprint(status), value("Aoctl-Protocol"), value("Aoctl-Correlation"),
			value("Aoctl-Request-Id"), value("Content-Type"), hexSum(body))
		if got := value("Aoctl-Proof"); got != "" && got != want {
			t.Errorf("the proof does not fit: %s", answer)
		}
		return value("Aoctl-Proof") == want
	}
	other := b.ask[:len(b.ask)-1] + "1" // no token has one
	one := nonce()
	for _, tc := range []struct {
		name   string
		status int
		line   string
		body   string // what is sent
		head   []string
		nonce  string
		proven bool
	}{
		{name: "right", status: 200, line: create, body: makeCall, head: []string{jsonType, asks(b.ask, one, create, makeCall)}, nonce: one, proven: true},
		{name: "again", status: 401, line: create, body: makeCall, head: []string{jsonType, asks(b.ask, one, create, makeCall)}, nonce: one},
		{name: "again with another body", status: 401, line: create, body: "{}", head: []string{jsonType, asks(b.ask, one, create, "{}")}, nonce: one},
		{name: "a wrong token", status: 401, line: create, body: makeCall, head: []string{jsonType, asks(other, nonce(), create, makeCall)}},
		{name: "the hash as token", status: 401, line: create, body: makeCall, head: []string{jsonType, asks(hexSum(b.ask), nonce(), create, makeCall)}},
		{name: "an operator's token", status: 401, line: create, body: makeCall, head: []string{jsonType, asks(b.operator, nonce(), create, makeCall)}},
		{name: "another path", status: 401, line: "POST /request-approval", body: makeCall, head: []string{jsonType, asks(b.ask, nonce(), create, makeCall)}},
		{name: "another method", status: 401, line: "PUT /create-approval-request", body: makeCall, head: []string{jsonType, asks(b.ask, nonce(), create, makeCall)}},
		{name: "another body", status: 400, line: create, body: strings.Replace(makeCall, "make", "rm -rf /", 1), head: []string{jsonType, "NONCE"}, proven: true},
		{name: "a body where none was", status: 401, line: create, body: "", head: []string{asks(b.ask, nonce(), create, "x")}},
		{name: "a short nonce", status: 401, line: create, body: makeCall, head: []string{jsonType, asks(b.ask, "00", create, makeCall)}},
		{name: "a bearer", status: 200, line: "GET /check-stop/s", head: []string{"Authorization: Bearer " + b.ask}},
		{name: "what it may not", status: 403, line: "GET /sessions", head: []string{"NONCE"}, proven: true},
		{name: "no type", status: 415, line: create, body: makeCall, head: []string{"NONCE"}, proven: true},
		{name: "another host", status: 403, line: create, body: makeCall, head: []string{"NONCE", "Host: localhost:1", jsonType}, proven: true},
		{name: "no such call", status: 404, line: "GET /approval-requests/none/decision", head: []string{"NONCE"}, proven: true},
	} {
		head := append([]string{"Aoctl-Correlation: c-1"}, tc.head...)
		if !strings.Contains(strings.Join(head, "\n"), "Host: ") {
			head = append(head, host)
		}
		for i, h := range head {
			if h == "NONCE" {
				meant := tc.body
				if tc.name == "another body" {
					meant = makeCall
				}
				tc.nonce = nonce()
				head[i] = asks(b.ask, tc.nonce, tc.line, meant)
			}
		}
		status, answer := b.raw(t, message(tc.line, tc.body, head...))
		if status != tc.status {
			t.Errorf("%s: status %d, want %d: %s", tc.name, status, tc.status, answer)
		}
		if got := proves(t, answer, b.ask, tc.nonce, tc.line, status); got != tc.proven {
			t.Errorf("%s: proven %v, want %v: %s", tc.name, got, tc.proven, answer)
		}
	}

	if list := b.Pending(""); len(list) != 1 {
		t.Fatalf("%d calls came in, want the right one", len(list))
	}
	// The answer to one that waits.
	line, wait := "POST /request-approval", nonce()
	second := strings.Replace(makeCall, "r-1", "r-2", 1)
	done := make(chan string)
	go func() {
		_, answer := b.raw(t, message(line, second, host, jsonType, "Aoctl-Correlation: c-2", asks(b.ask, wait, line, second)))
		done <- answer
	}()
	pending(t, b.Broker, 2)
	if _, err := b.Decide(t.Context(), "r-2", broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
		t.Fatal(err)
	}
	if answer := <-done; !proves(t, answer, b.ask, wait, line, http.StatusOK) {
		t.Errorf("after a wait: %s", answer)
	}
	line, wait = "GET /check-stop/s", nonce()
	for _, token := range b.Tokens(t.Context()) {
		if token.Kind == broker.AskingToken {
			must(t, b.RevokeToken(t.Context(), token.ID, operator))
		}
	}
	if status, answer := b.raw(t, message(line, "", host, asks(b.ask, wait, line, ""))); status != 401 || strings.Contains(answer, "Aoctl-Proof") {
		t.Errorf("with a token that was revoked: %s", answer)
	}
}
