package hookclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// created answers the create route with the caller's own id.
func created(c net.Conn, r heard) bool {
	return reply(200, fmt.Sprintf(`{"request_id":%q}`+"\n", requestID(r)))(c, r)
}

// decided answers the decision route; %s in body stands for the id.
func decided(status int, body string) step {
	return func(c net.Conn, r heard) bool {
		id := strings.Split(r.path, "/")[2]
		return reply(status, strings.ReplaceAll(body, "%s", id)+"\n")(c, r)
	}
}

func requestID(r heard) string {
	var body struct {
		RequestID string `json:"request_id"`
	}
	_ = json.Unmarshal(r.body, &body)
	return body.RequestID
}

func someRequest(b *fakeBroker) Request {
	return Request{
		SessionID: "s1", ToolName: "deploy", ToolInput: json.RawMessage(`{ "to":"<prod> & more" }`),
		CWD: "/srv", Agent: "bot", Timeout: time.Minute, Socket: b.socket,
	}
}

func TestAskIsAnswered(t *testing.T) {
	b := newBroker(t, created,
		decided(202, `{"status":"pending","request_id":"%s"}`),
		decided(200, `{"request_id":"%s","status":"allowed","decision":"allow","reason":"fine","decided_at":"2026-11-20T10:00:00Z","updated_input":{"to":"staging"},"by":{"kind":"operator"}}`))
	got, err := ask(t.Context(), someRequest(b), testLimits())
	must(t, err)
	post := <-b.requests
	id := requestID(post)
	if !got.Allowed || got.Reason != "fine" || string(got.UpdatedInput) != `{"to":"staging"}` || got.Status != "allowed" ||
		got.RequestID != id || !got.DecidedAt.Equal(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("the decision is %+v", got)
	}
	want := `{"request_id":"` + id + `","session_id":"s1","tool_name":"deploy","cwd":"/srv","agent":"bot","timeout":60,"tool_input":{ "to":"<prod> & more" }}`
	if post.method+post.path != "POST/create-approval-request" || string(post.body) != want {
		t.Errorf("asked with %s %s %s, want %s", post.method, post.path, post.body, want)
	}
	if !regexp.MustCompile(`^[0-9a-f-]{36}$`).MatchString(id) {
		t.Errorf("the request's id is %q", id)
	}
	for range 2 {
		if r := <-b.requests; r.path != "/approval-requests/"+id+"/decision?timeout=25" {
			t.Errorf("waited at %s", r.path)
		}
	}
}

func TestAskIsRefused(t *testing.T) {
	for _, status := range []string{"denied", "expired", "cancelled", "answered"} {
		b := newBroker(t, created, decided(200, `{"request_id":"%s","status":"`+status+`","decision":"deny","reason":"no","updated_input":null}`))
		got, err := ask(t.Context(), someRequest(b), testLimits())
		if err != nil || got.Allowed || got.Reason != "no" || got.Status != status || got.UpdatedInput != nil {
			t.Errorf("%s becomes %+v, %v", status, got, err)
		}
	}
}

// Only an answer that is right in every part allows anything.
func TestAskTrustsNothingElse(t *testing.T) {
	const ok = `{"request_id":"%s","status":"allowed","decision":"allow"}`
	elsewhere := strings.ReplaceAll(ok, "%s", "01901234-5678-7000-8000-000000000001") + "\n"
	for name, c := range map[string]struct {
		steps []step
		want  error
	}{
		"another request":       {[]step{created, reply(200, elsewhere)}, ErrAnswer},
		"created another":       {[]step{reply(200, `{"request_id":"other"}`)}, ErrAnswer},
		"waits for another":     {[]step{created, reply(202, `{"request_id":"other"}`)}, ErrAnswer},
		"created without id":    {[]step{reply(200, `{}`)}, ErrAnswer},
		"no status":             {[]step{created, decided(200, `{"request_id":"%s","decision":"allow"}`)}, ErrAnswer},
		"observed":              {[]step{created, decided(200, `{"request_id":"%s","status":"answered","decision":"allow","by":{"kind":"observe"}}`)}, ErrObserving},
		"answered by nobody":    {[]step{created, decided(200, `{"request_id":"%s","status":"answered","decision":"allow"}`)}, ErrAnswer},
		"left to its agent":     {[]step{created, decided(200, `{"request_id":"%s","status":"answered","decision":"ask","by":{"kind":"operator"}}`)}, ErrAnswer},
		"allow, but denied":     {[]step{created, decided(200, `{"request_id":"%s","status":"denied","decision":"allow"}`)}, ErrAnswer},
		"deny, but allowed":     {[]step{created, decided(200, `{"request_id":"%s","status":"allowed","decision":"deny"}`)}, ErrAnswer},
		"no decision":           {[]step{created, decided(200, `{"request_id":"%s","status":"denied"}`)}, ErrAnswer},
		"wrong type":            {[]step{created, decided(200, `{"request_id":"%s","status":"allowed","decision":["allow"]}`)}, ErrAnswer},
		"refused":               {[]step{reply(400, `{"error":{"code":"bad_request","message":"session_id is missing"}}`)}, ErrRefused},
		"gone":                  {[]step{created, decided(404, `{"error":{"code":"not_found","message":"not found"}}`)}, ErrRefused},
		"allow in place of 202": {[]step{decidedAtOnce}, ErrAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, c.steps...)
			got, err := ask(t.Context(), someRequest(b), testLimits())
			if !errors.Is(err, c.want) || got.Allowed || got.RequestID != "" {
				t.Errorf("got %+v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestAskOfASilentBroker(t *testing.T) {
	got, err := ask(t.Context(), someRequest(newBroker(t, silent)), impatient())
	if !errors.Is(err, ErrSilent) || got.Allowed || got.RequestID != "" {
		t.Errorf("got %+v, %v; want %v", got, err, ErrSilent)
	}
}

// decidedAtOnce puts a decision where only an id belongs, for another request.
func decidedAtOnce(c net.Conn, r heard) bool {
	return reply(200, `{"request_id":"x","status":"allowed","decision":"allow"}`+"\n")(c, r)
}

func TestAskSurvivesARestart(t *testing.T) {
	b := newBroker(t, created, silent)
	l := testLimits()
	l.silence = 5 * time.Second
	type result struct {
		d   Decision
		err error
	}
	done := make(chan result)
	go func() {
		d, err := ask(context.Background(), someRequest(b), l)
		done <- result{d, err}
	}()
	first := <-b.requests
	<-b.requests
	b.kill()
	next := listenAt(t, b.socket, created, decided(200, `{"request_id":"%s","status":"allowed","decision":"allow"}`))
	if got := <-done; got.err != nil || !got.d.Allowed {
		t.Fatalf("got %+v", got)
	}
	if again := <-next.requests; string(again.body) != string(first.body) {
		t.Errorf("asked again with %s, want %s", again.body, first.body)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBroker(t, created, silent)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-b.requests; <-b.requests; cancel() }()
	if got, err := Ask(ctx, someRequest(b)); !errors.Is(err, context.Canceled) || got.Allowed {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAskChecksItsInput(t *testing.T) {
	nowhere := filepath.Join(privateDir(t), "broker.sock")
	good := Request{SessionID: "s", ToolName: "t", ToolInput: json.RawMessage(`{}`), Socket: nowhere}
	for name, c := range map[string]struct {
		edit func(*Request)
		want error
	}{
		"nobody there":     {func(*Request) {}, ErrNoConsole},
		"no input":         {func(r *Request) { r.ToolInput = nil }, ErrInput},
		"broken input":     {func(r *Request) { r.ToolInput = json.RawMessage(`{"a":1}, "session_id":"x"`) }, ErrInput},
		"input no object":  {func(r *Request) { r.ToolInput = json.RawMessage(`[]`) }, ErrInput},
		"negative timeout": {func(r *Request) { r.Timeout = -1 }, ErrInput},
		"endless timeout":  {func(r *Request) { r.Timeout = 25 * time.Hour }, ErrInput},
	} {
		t.Run(name, func(t *testing.T) {
			r := good
			c.edit(&r)
			if got, err := Ask(t.Context(), r); !errors.Is(err, c.want) || got.Allowed {
				t.Errorf("got %+v, %v; want %v", got, err, c.want)
			}
		})
	}
}
