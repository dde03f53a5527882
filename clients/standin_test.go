package clients

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aoctl/aoctl/broker/brokertest/operated"
)

// heard is one request that a stand-in hears, the n-th (from 0).
type heard struct {
	*http.Request

	n    int
	body []byte
	id   string // of the question that was asked
}

// standin listens where a console should and answers each request with the bytes that say returns;
// none closes the connection.
type standin struct {
	mu   sync.Mutex
	list []heard
	held []net.Conn // those that hang
}

// hang is the answer that never comes.
const hang = "hang"

func (s *standin) serve(t *testing.T, l net.Listener, say func(heard) string) {
	t.Helper()
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		for _, c := range s.held {
			_ = c.Close()
		}
	})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.answer(conn, say)
		}
	}()
}

func (s *standin) answer(conn net.Conn, say func(heard) string) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		_ = conn.Close()
		return
	}
	h := heard{Request: r, n: len(s.list)}
	h.body, _ = io.ReadAll(r.Body)
	var question struct {
		ID string `json:"request_id"`
	}
	if json.Unmarshal(h.body, &question) == nil {
		h.id = question.ID
	} else if parts := strings.Split(r.URL.Path, "/"); len(parts) > 2 {
		h.id = parts[2]
	}
	s.mu.Lock()
	s.list = append(s.list, h)
	s.mu.Unlock()
	text := say(h)
	if text == hang {
		s.held = append(s.held, conn)
		return
	}
	_, _ = io.WriteString(conn, text)
	_ = conn.Close()
}

// requests is what was heard until now.
func (s *standin) requests() []heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]heard(nil), s.list...)
}

// says is a whole answer as a console writes it, with more headers or in their place.
func (h heard) says(status int, body string, headers ...string) string {
	all := map[string]string{
		"Aoctl-Protocol": "1", "Aoctl-Correlation": h.Header.Get("Aoctl-Correlation"),
		"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body)), "Connection": "close",
	}
	var more strings.Builder
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		delete(all, name)
		if value != "" {
			more.WriteString(line + "\r\n")
		}
	}
	text := fmt.Sprintf("HTTP/1.1 %d X\r\n%s", status, more.String())
	for name, value := range all {
		text += name + ": " + value + "\r\n"
	}
	return text + "\r\n" + body
}

// allow is an answer that allows the call.
func (h heard) allow() string {
	return `{"request_id":"` + h.id + `","status":"allowed","decision":"allow","reason":"","decided_at":"2026-01-01T00:00:00Z"}`
}

// opened answers the post as it should be and everything else with then.
func opened(then func(heard) string) func(heard) string {
	return func(h heard) string {
		if h.Method == http.MethodPost && strings.HasPrefix(h.URL.Path, "/create") {
			return h.says(200, `{"request_id":"`+h.id+`"}`)
		}
		return then(h)
	}
}

// listen is a socket as a console's: alone in its folder, with a lock file beside it.
func listen(t *testing.T) (net.Listener, string) {
	t.Helper()
	path := operated.Socket(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	must(t, err)
	must(t, os.WriteFile(path+".lock", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600))
	return l, path
}

// scene is one stand-in and what a program must say of it.
type scene struct {
	name string
	say  func(heard) string
	want string
}

// play asks q of all the stand-ins at once.
func play(t *testing.T, lang language, q question, scenes []scene) {
	t.Helper()
	questions := make([]question, len(scenes))
	for i, s := range scenes {
		l, path := listen(t)
		new(standin).serve(t, l, s.say)
		questions[i] = q
		questions[i].Options = map[string]any{"socket": path, "timeout": 3, "atMost": 3}
	}
	for i, got := range lang.hasty().ask(t, questions).answers() {
		t.Run(scenes[i].name, func(t *testing.T) { got.refused(t, scenes[i].want) })
	}
}

// No answer but the console's own whole allow of this very call lets it run.
func TestMisbehaving(t *testing.T) {
	decided := func(body string) func(heard) string {
		return opened(func(h heard) string { return h.says(200, strings.ReplaceAll(body, "ID", h.id)) })
	}
	scenes := []scene{
		{"closes at once", func(heard) string { return "" }, "again and again"},
		{"closes every poll", opened(func(heard) string { return "" }), "again and again"},
		{"says nothing", func(heard) string { return hang }, "does not answer"},
		{"no HTTP", func(heard) string { return "allow\r\n\r\n" }, "not HTTP"},
		{"error with an allow", opened(func(h heard) string { return h.says(500, h.allow()) }), "status 500"},
		{"refused with an allow", opened(func(h heard) string { return h.says(403, h.allow()) }), "status 403"},
		{"created with an allow", opened(func(h heard) string { return h.says(201, h.allow()) }), "status 201"},
		{"moved", func(h heard) string { return h.says(302, h.allow(), "Location: /") }, "status 302"},
		{"refused", func(h heard) string {
			return h.says(429, `{"error":{"code":"too_fast","message":"too fast","hint":"wait 5 s"}}`)
		}, "too fast; wait 5 s"},
		{"no decision", decided(`{"request_id":"ID","status":"allowed"}`), "cannot be used"},
		{"a list of allow", decided(`{"request_id":"ID","status":"allowed","decision":["allow"]}`), "cannot be used"},
		{"allow in capitals", decided(`{"request_id":"ID","status":"allowed","decision":"Allow"}`), "cannot be used"},
		{"allow but denied", decided(`{"request_id":"ID","status":"denied","decision":"allow"}`), "cannot be used"},
		{"for another request", decided(`{"request_id":"other","status":"allowed","decision":"allow"}`), "another request"},
		{"opens another", func(h heard) string { return h.says(200, `{"request_id":"other"}`) }, "another request"},
		{"input is no object", decided(`{"request_id":"ID","status":"allowed","decision":"allow","updated_input":"x"}`), "no object"},
		{"number too exact", decided(`{"request_id":"ID","status":"allowed","decision":"allow","updated_input":{"n":0.12345678901234567}}`), "cannot be used"},
		{"number too large", decided(`{"request_id":"ID","status":"allowed","decision":"allow","updated_input":{"n":1e999}}`), "cannot be used"},
		{"no JSON", opened(func(h heard) string { return h.says(200, "allow") }), "broken JSON"},
		{"a list", opened(func(h heard) string { return h.says(200, "["+h.allow()+"]") }), "not a JSON object"},
		{"bytes that are no text", opened(func(h heard) string {
			return h.says(200, strings.Replace(h.allow(), `"reason":"`, "\"reason\":\"\xff", 1))
		}), "broken JSON"},
		{"another type", opened(func(h heard) string { return h.says(200, h.allow(), "Content-Type: text/html") }), "not JSON"},
		{"another program", opened(func(h heard) string { return h.says(200, h.allow(), "Aoctl-Protocol: ") }), "other than aoctl"},
		{"another protocol", opened(func(h heard) string { return h.says(200, h.allow(), "Aoctl-Protocol: 2") }), `protocol`},
		{"another call", opened(func(h heard) string { return h.says(200, h.allow(), "Aoctl-Correlation: x") }), "another call"},
		{"no call", opened(func(h heard) string { return h.says(200, h.allow(), "Aoctl-Correlation: ") }), "another call"},
		{"cut off", opened(func(h heard) string { return h.says(200, h.allow(), "Content-Length: 9999") }), "cut off"},
		{"cut off in its head", opened(func(h heard) string { return h.says(200, "")[:40] }), "aoctl refused this call"},
		{"without length", opened(func(h heard) string { return h.says(200, h.allow(), "Content-Length: ") }), "how long"},
		{"chunked", opened(func(h heard) string {
			return h.says(200, "0\r\n\r\n", "Content-Length: ", "Transfer-Encoding: chunked")
		}), "how long"},
		{"two types", opened(func(h heard) string {
			return h.says(200, h.allow(), "Content-Type: text/html", "Content-type: application/json")
		}), "two content-type"},
		{"always wait", opened(func(h heard) string { return h.says(202, `{"request_id":"`+h.id+`"}`) }), "time ran out"},
		{"wait for another", opened(func(h heard) string { return h.says(202, `{"request_id":"other"}`) }), "another request"},
		{"wait for nothing", opened(func(h heard) string { return h.says(202, `{}`) }), "names no request"},
		{"too large", opened(func(h heard) string { return h.says(200, `{"x":"`+strings.Repeat("x", 9<<20)+`"}`) }), "too large"},
		{"unknown when asked", opened(func(h heard) string { return h.says(404, `{"error":{"code":"not_found","message":"no such request"}}`) }), "again and again"},
		{"shutting down", func(h heard) string {
			return h.says(503, `{"error":{"code":"shutting_down","message":"the console ends"}}`)
		}, "again and again"},
	}
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			play(t, lang, either(""), scenes)
		})
	}
}

// The stand-in's own allow is taken: the refusals above have no other reason.
func TestBehaving(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			l, path := listen(t)
			s := new(standin)
			s.serve(t, l, func(h heard) string {
				if h.n < 2 { // it is lost, and asked again
					return ""
				}
				return opened(func(h heard) string { return h.says(200, h.allow()) })(h)
			})
			a := lang.hasty().one(t, question{Call: call("Bash", making), Options: map[string]any{"socket": path}})
			if got := a.answer(); got.Behavior != "allow" || !sameJSON(got.UpdatedInput, []byte(making)) {
				t.Errorf("the answer is %+v %s", got, got.UpdatedInput)
			}
			list := s.requests()
			for _, h := range list {
				if h.id != list[0].id || h.Header.Get("Aoctl-Correlation") != list[0].Header.Get("Aoctl-Correlation") {
					t.Errorf("%s asks about %s, want %s", h.URL, h.id, list[0].id)
				}
			}
			if len(list) != 4 {
				t.Errorf("it asked %d times, want 4", len(list))
			}
		})
	}
}

// A hook without an answer says no in Claude Code's own words.
func TestHookMisbehaving(t *testing.T) {
	scenes := []scene{
		{"closes at once", func(heard) string { return "" }, "again and again"},
		{"refused", func(h heard) string {
			return h.says(400, `{"error":{"code":"bad_payload","message":"the payload cannot be read"}}`)
		}, "cannot be read"},
		{"no JSON", func(h heard) string { return h.says(200, "allow") }, "broken JSON"},
		{"number too exact", func(h heard) string {
			return h.says(200, `{"hookSpecificOutput":{"updatedInput":{"n":0.12345678901234567}}}`)
		}, "cannot be used"},
		{"always wait", func(h heard) string { return h.says(202, `{"request_id":"r-1"}`) }, "time ran out"},
	}
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			play(t, lang, either("PreToolUse"), scenes)
		})
	}
}

// Nothing is sent to a socket that others could have put there.
func TestUntrusted(t *testing.T) {
	cases := map[string]struct {
		spoil func(path string) error
		path  string // added to the socket's path
		want  string
	}{
		"nothing there": {nil, "x", "no console is listening"},
		"no folder":     {nil, "/../x/b.sock", "no console is listening"},
		"a long path":   {nil, strings.Repeat("x", 100), "longer than"},
		"open folder":   {func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) }, "", "chmod 700"},
		"linked folder": {func(path string) error { return os.Symlink(filepath.Dir(path), path+"-dir") }, "-dir/b.sock", "is a link"},
		"a file":        {func(path string) error { return os.WriteFile(path+"f", nil, 0o600) }, "f", "is no socket"},
		"a link":        {func(path string) error { return os.Symlink(path, path+"l") }, "l", "is no socket"},
		"no lock file":  {func(path string) error { return os.Remove(path + ".lock") }, "", "not aoctl"},
		"another's process": {
			func(path string) error { return os.WriteFile(path+".lock", []byte("1\n"), 0o600) }, "", "but the console there is process 1",
		},
	}
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			var names []string
			var questions []question
			var standins []*standin
			for name, tt := range cases {
				if name == "another's process" && lang.interpreter == "node" {
					continue // Node cannot ask whose process listens
				}
				l, path := listen(t)
				s := new(standin)
				s.serve(t, l, opened(func(h heard) string { return h.says(200, h.allow()) }))
				q := either("")
				if tt.spoil != nil {
					must(t, tt.spoil(path))
				}
				q.Options = map[string]any{"socket": path + tt.path}
				names, questions, standins = append(names, name), append(questions, q), append(standins, s)
			}
			for i, got := range lang.hasty().ask(t, questions).answers() {
				t.Run(names[i], func(t *testing.T) {
					got.refused(t, cases[names[i]].want)
					if list := standins[i].requests(); len(list) > 0 {
						t.Errorf("it sent %s", list[0].URL)
					}
				})
			}
		})
	}
}

// A program that takes the console's port cannot allow anything, nor can one that changes an answer on
// its way, and it does not learn the token.
func TestPortTaken(t *testing.T) {
	const token = "aoctl_ask_secret"
	key := sumOf(token)
	prove := func(h heard, path, body string) string {
		nonce := strings.Split(h.Header.Get("Authorization"), `"`)[1]
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = fmt.Fprintf(mac, "answer\n%s\n%s\n%s\n200\n1\n%s\n\napplication/json\n%s", nonce, h.Method, path, h.Header.Get("Aoctl-Correlation"), sumOf(body))
		return "Aoctl-Proof: " + hex.EncodeToString(mac.Sum(nil))
	}
	cases := map[string]struct {
		say  func(h heard, body string) string
		want string // empty: it is allowed
	}{
		"proven":         {func(h heard, body string) string { return h.says(200, body, prove(h, h.RequestURI, body)) }, ""},
		"no proof":       {func(h heard, body string) string { return h.says(200, body) }, "carries no proof"},
		"an empty proof": {func(h heard, body string) string { return h.says(200, body, "Aoctl-Proof: x") }, "does not fit"},
		"two proofs": {func(h heard, body string) string {
			return h.says(200, body, "Aoctl-Proof: x", prove(h, h.RequestURI, body))
		}, "two aoctl-proof"},
		"changed":         {func(h heard, body string) string { return h.says(200, body, prove(h, h.RequestURI, body+" ")) }, "does not fit"},
		"of another path": {func(h heard, body string) string { return h.says(200, body, prove(h, "/x", body)) }, "does not fit"},
		"another status":  {func(h heard, body string) string { return h.says(202, body, prove(h, h.RequestURI, body)) }, "does not fit"},
		"a refusal": {func(h heard, _ string) string {
			return h.says(403, `{"error":{"code":"x","message":"run it nevertheless"}}`)
		}, "carries no proof"},
	}
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			var names []string
			var questions []question
			var standins []*standin
			for name, tt := range cases {
				l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
				must(t, err)
				s := new(standin)
				s.serve(t, l, func(h heard) string {
					if h.Method == http.MethodPost {
						return tt.say(h, `{"request_id":"`+h.id+`"}`)
					}
					return tt.say(h, h.allow())
				})
				q := either("")
				q.Options = map[string]any{"url": "http://" + l.Addr().String(), "token": token}
				names, questions, standins = append(names, name), append(questions, q), append(standins, s)
			}
			for i, got := range lang.hasty().ask(t, questions).answers() {
				t.Run(names[i], func(t *testing.T) {
					if want := cases[names[i]].want; want != "" {
						got.refused(t, want)
					} else if got.Behavior != "allow" {
						t.Errorf("the answer is %+v", got)
					}
					for _, h := range standins[i].requests() {
						if all := fmt.Sprint(h.Header, string(h.body)); strings.Contains(all, "secret") || strings.Contains(all, key) {
							t.Errorf("it told the token: %s", all)
						}
					}
				})
			}
		})
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// What cannot be right is said before anything is sent.
func TestBadOptions(t *testing.T) {
	cases := map[string]struct {
		options map[string]any
		want    string
	}{
		"socket and url":    {map[string]any{"socket": "/x", "url": "http://localhost:1", "token": "aoctl_ask_x"}, "give one of them"},
		"far away":          {map[string]any{"url": "http://example.com:80", "token": "aoctl_ask_x"}, "is not an address"},
		"with a path":       {map[string]any{"url": "http://localhost:80/x", "token": "aoctl_ask_x"}, "is not an address"},
		"port too large":    {map[string]any{"url": "http://localhost:70000", "token": "aoctl_ask_x"}, "is not an address"},
		"no token":          {map[string]any{"url": "http://localhost:1"}, "no token for asking"},
		"operator token":    {map[string]any{"url": "http://localhost:1", "token": "aoctl_op_x"}, "an operator's"},
		"token with a line": {map[string]any{"url": "http://localhost:1", "token": "aoctl_ask_x\r\ny"}, "no token for asking"},
		"nobody listens":    {map[string]any{"url": "http://localhost:1", "token": "aoctl_ask_x"}, "no console is listening"},
		"no time":           {map[string]any{"timeout": 0}, "is not between"},
		"too much time":     {map[string]any{"atMost": 1e9}, "is not between"},
		"no home":           {nil, "cannot tell where"},
	}
	for _, lang := range languages {
		t.Run(lang.interpreter, func(t *testing.T) {
			lang.needed(t)
			var names []string
			var questions []question
			for name, tt := range cases {
				q := either("")
				q.Options = tt.options
				names, questions = append(names, name), append(questions, q)
			}
			for i, got := range lang.hasty().ask(t, questions).answers() {
				t.Run(names[i], func(t *testing.T) { got.refused(t, cases[names[i]].want) })
			}
		})
	}
}
