package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/service"
)

// onceFor is the header of a request with a new token for call id alone.
func onceFor(t *testing.T, b *service.Broker, id string) []string {
	t.Helper()
	token, err := b.MintOnce(id)
	must(t, err)
	return []string{"Authorization", "Bearer " + token}
}

// decideWith sends a decision and returns its status and the code of its error.
func (c *client) decideWith(token []string, id, body string) (int, string) {
	c.t.Helper()
	status, m := c.do("POST", "/approval-requests/"+id+"/decide", body, token...)
	return status, code(m)
}

// mustWait fails unless the call still waits.
func mustWait(t *testing.T, b *service.Broker, id string) {
	t.Helper()
	if r, err := b.Request(t.Context(), id); err != nil || r.State != broker.Pending {
		t.Fatalf("the call is %s, %v", r.State, err)
	}
}

const allowIt, denyIt = `{"decision":"allow"}`, `{"decision":"deny"}`

func TestOnceTokenAllowsItsCallOnce(t *testing.T) {
	c := serve(t, service.Options{})
	r, other := submit(t, c.b, bash("s", "1", "make")), submit(t, c.b, bash("s", "2", "make"))
	token := onceFor(t, c.b, r.ID)
	if now, _ := c.b.Request(t.Context(), r.ID); !now.OnceToken {
		t.Error("the call does not say that it has a token")
	}
	if status, code := c.decideWith(token, other.ID, allowIt); status != http.StatusUnauthorized || code != "bad_token" {
		t.Errorf("another call: %d %s", status, code)
	}
	mustWait(t, c.b, other.ID)
	if status, code := c.decideWith(token, r.ID, `{"decision":"allow","digest":"00000000"}`); status != http.StatusConflict || code != "stale" {
		t.Errorf("another digest: %d %s", status, code)
	}
	if status, code := c.decideWith(token, r.ID, allowIt); status != http.StatusOK {
		t.Fatalf("its call: %d %s", status, code)
	}
	done, err := c.b.Request(t.Context(), r.ID)
	must(t, err)
	if done.State != broker.Allowed || !done.Outcome.By.Once() || done.Outcome.By.PID != ownPID || done.OnceToken {
		t.Errorf("the call is %s by %+v, token %v", done.State, done.Outcome.By, done.OnceToken)
	}
	if a := service.AnswerTo(done); !strings.Contains(a.Reason, "single-use token") {
		t.Errorf("the agent is told %q", a.Reason)
	}
	for _, body := range []string{allowIt, denyIt} {
		if status, code := c.decideWith(token, r.ID, body); status != http.StatusUnauthorized || code != "bad_token" {
			t.Errorf("again %s: %d %s", body, status, code)
		}
	}
	// Who has it is on record before anybody can use it, and nobody reads it there.
	events, err := c.b.Events(t.Context())
	must(t, err)
	at := func(typ string) int {
		return slices.IndexFunc(events, func(e broker.Event) bool { return e.Type == typ && e.RequestID == r.ID })
	}
	if minted, decided := at(broker.EventOnceMinted), at(broker.EventRequestDecided); minted < 0 || decided < minted {
		t.Errorf("minted is event %d, decided event %d", minted, decided)
	}
	raw, err := json.Marshal(events)
	must(t, err)
	secret := strings.TrimPrefix(token[1], "Bearer ")
	if log := string(raw); strings.Contains(log, secret) || strings.Contains(log, broker.HashToken(secret)) || !strings.Contains(log, broker.EventAccessRefused) && !strings.Contains(log, broker.EventDecisionRefused) {
		t.Errorf("the log: %s", log)
	}
}

func TestOnceTokenDenies(t *testing.T) {
	c := serve(t, service.Options{})
	r := submit(t, c.b, bash("s", "1", "make"))
	if status, code := c.decideWith(onceFor(t, c.b, r.ID), r.ID, denyIt); status != http.StatusOK {
		t.Fatalf("%d %s", status, code)
	}
	if r, _ = c.b.Request(t.Context(), r.ID); r.State != broker.Denied || !r.Outcome.By.Once() {
		t.Errorf("the call is %s by %+v", r.State, r.Outcome.By)
	}
}

// A token for one call is for its answer, and for nothing else.
func TestOnceTokenDoesNothingElse(t *testing.T) {
	c := serve(t, service.Options{})
	r := submit(t, c.b, bash("s", "1", "make"))
	token := onceFor(t, c.b, r.ID)
	for _, body := range []string{`{"decision":"allow","updated_input":{"command":"make all"}}`, `{"decision":"ask"}`} {
		if status, code := c.decideWith(token, r.ID, body); status != http.StatusForbidden || code != "once_token" {
			t.Errorf("%s: %d %s", body, status, code)
		}
	}
	for route, body := range map[string]string{
		"POST /tool-decisions/" + r.ID + "/approve": `{}`, "POST /tool-decisions/" + r.ID + "/deny": `{}`,
		"POST /unfreeze": `{}`, "POST /observe": `{"session_id":"s","on":true}`,
		"POST /rules": `{"tool":"Bash","decision":"allow","enabled":true}`,
	} {
		method, path, _ := strings.Cut(route, " ")
		if status, m := c.do(method, path, body, token...); status != http.StatusUnauthorized || code(m) != "bad_token" {
			t.Errorf("%s: %d %v", route, status, m)
		}
	}
	mustWait(t, c.b, r.ID)
}

// A stop ends the call, and the token with it. A freeze keeps it from being allowed, as it keeps everybody.
func TestOnceTokenUnderFreezeAndStop(t *testing.T) {
	c := serve(t, service.Options{})
	r := submit(t, c.b, bash("s", "1", "make"))
	token := onceFor(t, c.b, r.ID)
	must(t, c.b.Freeze(t.Context(), "", true, operator))
	if status, code := c.decideWith(token, r.ID, allowIt); status != http.StatusConflict || code != "frozen" {
		t.Errorf("frozen: %d %s", status, code)
	}
	mustWait(t, c.b, r.ID)
	if _, err := c.b.Stop(t.Context(), "s", operator); err != nil {
		t.Fatal(err)
	}
	if status, code := c.decideWith(token, r.ID, allowIt); status != http.StatusUnauthorized || code != "bad_token" {
		t.Errorf("stopped: %d %s", status, code)
	}
	if r, _ = c.b.Request(t.Context(), r.ID); r.State != broker.Denied {
		t.Errorf("the call is %s", r.State)
	}
}

// However a call ends, also when nobody answers it, its token allows nothing any more: not even the
// next try of the same call, as an operator's would.
func TestOnceTokenEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute})
		r := submit(t, b, bash("s", "1", "make"))
		_, err := b.MintOnce(r.ID)
		must(t, err)
		time.Sleep(2 * time.Minute)
		if n := b.OnceTokens(); n != 0 {
			t.Errorf("%d tokens after the end", n)
		}
		by := broker.Actor{Kind: broker.ByOperator, ID: broker.TokenActorPrefix + broker.OnceTokenID}
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: by}); !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("allowed late: %v", err)
		}
		if _, err := b.MintOnce(r.ID); !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("a token after the end: %v", err)
		}
	})
}

// A call that is put off no longer waits, so its token ends; when its agent asks again, it may have another.
func TestOnceTokenEndsWhenItsCallIsPutOff(t *testing.T) {
	c := serve(t, service.Options{})
	r := submit(t, c.b, headless("toolu_1", "make", "talk 1"))
	token := onceFor(t, c.b, r.ID)
	if r = putOff(t, c.b, r.ID); r.OnceToken {
		t.Error("the call says that it has a token")
	}
	if status, code := c.decideWith(token, r.ID, allowIt); status != http.StatusUnauthorized || code != "bad_token" {
		t.Errorf("put off: %d %s", status, code)
	}
}

func TestOnceTokenEndsWithTheBroker(t *testing.T) {
	st := brokertest.NewMemory()
	first := serveOver(t, st, service.Options{})
	r := submit(t, first.b, bash("s", "1", "make"))
	token := onceFor(t, first.b, r.ID)
	killBroker(t, st, first.b)
	c := serveOver(t, st, service.Options{})
	if status, code := c.decideWith(token, r.ID, allowIt); status != http.StatusUnauthorized || code != "bad_token" {
		t.Errorf("after a restart: %d %s", status, code)
	}
	mustWait(t, c.b, r.ID)
	if r, _ = c.b.Request(t.Context(), r.ID); r.OnceToken {
		t.Error("the call says that it has a token")
	}
}

// Dangerous calls have no token, and one that becomes dangerous is not allowed with the one that it has.
func TestOnceTokenAllowsNothingDangerous(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	c := serve(t, service.Options{Guard: service.Guard{Paths: []string{own}}})
	for _, command := range []string{"rm -rf /", "touch " + own} {
		r := submit(t, c.b, bash("s", command, command))
		if _, err := c.b.MintOnce(r.ID); !errors.Is(err, broker.ErrDangerous) {
			t.Errorf("a token for %q: %v", command, err)
		}
		if now, _ := c.b.Request(t.Context(), r.ID); now.OnceToken || c.b.OnceTokens() != 0 {
			t.Errorf("%q says that it has a token; there are %d", command, c.b.OnceTokens())
		}
	}
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(filepath.Join(dir, "fine"), link))
	r := submit(t, c.b, bash("s", "link", "touch "+link))
	token := onceFor(t, c.b, r.ID)
	must(t, os.Remove(link))
	must(t, os.Symlink(own, link))
	for _, body := range []string{allowIt, fmt.Sprintf(`{"decision":"allow","digest":%q,"dangerous":true}`, r.Digest)} {
		if status, code := c.decideWith(token, r.ID, body); status != http.StatusConflict || code != "dangerous" {
			t.Errorf("%s: %d %s", body, status, code)
		}
	}
	// The engine looks at the card once more, after everybody else did.
	c.b.Refresh(r.ID)
	if now, _ := c.b.Request(t.Context(), r.ID); !now.Perilous() {
		t.Fatalf("the call is not dangerous: %+v", now.Assessment)
	}
	by := broker.Actor{Kind: broker.ByOperator, ID: broker.TokenActorPrefix + broker.OnceTokenID}
	if _, err := c.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: by}); !errors.Is(err, broker.ErrDangerous) {
		t.Errorf("the engine: %v", err)
	}
	mustWait(t, c.b, r.ID)
	if status, code := c.decideWith(token, r.ID, denyIt); status != http.StatusOK {
		t.Errorf("denied: %d %s", status, code)
	}
}

func TestOnceTokenAnswersItsQuestion(t *testing.T) {
	c := serve(t, service.Options{})
	first := askUser(t, c, "s", "claude", "AskUserQuestion", twoQuestions)
	second := askUser(t, c, "s", "claude", "AskUserQuestion", strings.ReplaceAll(twoQuestions, "database", "cache"))
	token := onceFor(t, c.b, second.ID)
	const answers = `{"answers":{"DB":"SQLite","Parts":"UI"}}`
	if status, m := c.do("POST", "/sessions/s/answer", `{"request_id":"`+first.ID+`",`+answers[1:], token...); status != http.StatusUnauthorized || code(m) != "bad_token" {
		t.Errorf("another question: %d %v", status, m)
	}
	mustWait(t, c.b, first.ID)
	// The token names the question, of two that wait.
	if status, m := c.do("POST", "/sessions/s/answer", answers, token...); status != http.StatusOK {
		t.Fatalf("%d %v", status, m)
	}
	got, err := c.b.Request(t.Context(), second.ID)
	must(t, err)
	if got.State != broker.Allowed || !got.Outcome.By.Once() || !strings.Contains(string(got.Outcome.UpdatedInput), `"answers":{"Which cache?":"SQLite","Which parts?":"UI"}`) {
		t.Errorf("%s by %+v with %s", got.State, got.Outcome.By, got.Outcome.UpdatedInput)
	}
	if status, m := c.do("POST", "/sessions/s/answer", answers, token...); status != http.StatusUnauthorized || code(m) != "bad_token" {
		t.Errorf("answered again: %d %v", status, m)
	}
	mustWait(t, c.b, first.ID)
}

// Attack: an agent finds the token in a pipe or a file, and shows it.
func TestOnceTokenInAnAgentsHands(t *testing.T) {
	c := serve(t, service.Options{})
	q := bash("s", "1", "make")
	q.Session.Process = peers.FindProcess(ownPID) // this test is the agent now
	r := submit(t, c.b, q)
	token := onceFor(t, c.b, r.ID)
	if status, code := c.decideWith(token, r.ID, allowIt); status != http.StatusForbidden || code != "operator_required" {
		t.Errorf("allowed by an agent: %d %s", status, code)
	}
	mustWait(t, c.b, r.ID)
	if status, code := c.decideWith(token, r.ID, denyIt); status != http.StatusOK { // as every process may
		t.Errorf("denied by an agent: %d %s", status, code)
	}
	if r, _ = c.b.Request(t.Context(), r.ID); r.Outcome.By.Once() || r.Outcome.By.Kind != broker.ByProcess {
		t.Errorf("denied by %+v", r.Outcome.By)
	}
}

// Over TCP the token opens the two routes of its call, from a process that is no agent's, and a wrong one waits.
func TestOnceTokenOverTCP(t *testing.T) {
	b := serveTCP(t, service.Options{})
	token := ""
	send := func(line, body string) (int, string) {
		head := []string{"Host: localhost" + b.addr[strings.LastIndexByte(b.addr, ':'):], "Authorization: Bearer " + token}
		if body != "" {
			head = append(head, "Content-Type: application/json")
		}
		return b.raw(t, message(line, body, head...))
	}
	mint := func(q broker.Question) string {
		r := submit(t, b.Broker, q)
		var err error
		token, err = b.MintOnce(r.ID)
		must(t, err)
		return r.ID
	}
	id := mint(bash("s", "1", "make"))
	for _, line := range []string{"GET /sessions", "GET /approval-requests", "GET /approval-requests/" + id, "GET /ws", "GET /events/stream", "POST /approval-requests/other/decide"} {
		body := ""
		if strings.HasPrefix(line, "POST") {
			body = allowIt
		}
		began := time.Now()
		if status, got := send(line, body); status != http.StatusUnauthorized || !strings.Contains(got, "bad_token") {
			t.Errorf("%s: %d %s", line, status, got)
		}
		if time.Since(began) < 200*time.Millisecond {
			t.Errorf("%s was answered at once", line)
		}
	}
	mustWait(t, b.Broker, id)
	if status, got := send("POST /approval-requests/"+id+"/decide", allowIt); status != http.StatusOK || !strings.Contains(got, `"id":"token:once"`) {
		t.Errorf("its call: %d %s", status, got)
	}
	if status, got := send("POST /approval-requests/"+id+"/decide", allowIt); status != http.StatusUnauthorized {
		t.Errorf("again: %d %s", status, got)
	}
	q := bash("s", "2", "make")
	q.Session.Process = peers.FindProcess(ownPID)
	id = mint(q)
	if status, got := send("POST /approval-requests/"+id+"/decide", allowIt); status != http.StatusForbidden || !strings.Contains(got, "comes from the agent") {
		t.Errorf("an agent's process: %d %s", status, got)
	}
	mustWait(t, b.Broker, id)
}

// No token counts whose minting is not on record.
func TestOnceTokenIsOnRecordFirst(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	failCommits(st, errors.New("the disk is full"))
	if _, err := b.MintOnce(r.ID); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("minted: %v", err)
	}
	failCommits(st, nil)
	if now, _ := b.Request(t.Context(), r.ID); now.OnceToken || b.OnceTokens() != 0 {
		t.Errorf("the call says %v, and there are %d tokens", now.OnceToken, b.OnceTokens())
	}
}
