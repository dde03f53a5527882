package service_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// elsewhere runs one of the two programs of docs/elsewhere.md.
func elsewhere(t *testing.T, w *walk, file, verb string, env ...string) *exec.Cmd {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "docs", "examples", file))
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, "python3", path, verb)
	cmd.Env = append(os.Environ(), append(env, "AOCTL_SOCKET="+w.socket)...)
	cmd.Stderr = t.Output()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	return cmd
}

// listener is a program that listens; its lines come out.
func listener(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return bufio.NewScanner(out)
}

// tell runs the program that is told of a call, as --on-wait does.
func tell(t *testing.T, cmd *exec.Cmd, r broker.Request, token string) {
	t.Helper()
	card, err := json.Marshal(struct {
		broker.Request
		Token string `json:"token,omitempty"`
	}{r, token})
	must(t, err)
	cmd.Stdin = bytes.NewReader(card)
	must(t, cmd.Run())
}

// line is what the program says next.
func line(t *testing.T, s *bufio.Scanner) string {
	t.Helper()
	if !s.Scan() {
		t.Fatalf("it says nothing: %v", s.Err())
	}
	return s.Text()
}

func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
}

// The page's program for ntfy, with a server that stands in for ntfy's: it keeps what is published, and
// the test presses the buttons.
func TestElsewhereNtfy(t *testing.T) {
	needPython(t)
	w := newWalk(t)
	asked, replies := make(chan map[string]any, 4), make(chan string, 4)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", func(_ http.ResponseWriter, r *http.Request) {
		var m map[string]any
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		asked <- m
	})
	mux.HandleFunc("POST /back", func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		replies <- string(raw)
	})
	mux.HandleFunc("GET /back/json", func(rw http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(rw, `{"event":"open"}`)
		for {
			must(t, http.NewResponseController(rw).Flush())
			select {
			case text := <-replies:
				_ = json.NewEncoder(rw).Encode(map[string]string{"event": "message", "message": text})
			case <-r.Context().Done():
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	env := []string{"NTFY=" + server.URL, "NTFY_ASK=ask", "NTFY_REPLY=back"}
	said := listener(t, elsewhere(t, w, "elsewhere-ntfy.py", "listen", env...))
	press := func(action any) {
		a, _ := action.(map[string]any)
		resp, err := http.Post(fmt.Sprint(a["url"]), "text/plain", strings.NewReader(fmt.Sprint(a["body"])))
		must(t, err)
		must(t, resp.Body.Close())
	}
	for i, want := range []broker.State{broker.Allowed, broker.Denied} {
		r := submit(t, w.b, bash("s", fmt.Sprint(i), "make"))
		token, err := w.b.MintOnce(r.ID)
		must(t, err)
		tell(t, elsewhere(t, w, "elsewhere-ntfy.py", "ask", env...), r, token)
		m := <-asked
		buttons, _ := m["actions"].([]any)
		if m["topic"] != "ask" || m["message"] != `{"command": "make"}` || len(buttons) != 2 {
			t.Fatalf("published %v", m)
		}
		press(buttons[i])
		if got := line(t, said); got != r.ID+" "+string(want) {
			t.Errorf("it says %q", got)
		}
		if r, _ = w.b.Request(t.Context(), r.ID); r.State != want || !r.Outcome.By.Once() {
			t.Errorf("the call is %s by %+v", r.State, r.Outcome.By)
		}
		press(buttons[0]) // once more, when it is over
		if got := line(t, said); !strings.Contains(got, "no longer") {
			t.Errorf("pressed again it says %q", got)
		}
	}
	r := submit(t, w.b, bash("s", "danger", "rm -rf ~"))
	tell(t, elsewhere(t, w, "elsewhere-ntfy.py", "ask", env...), r, "")
	if m := <-asked; m["actions"] != nil {
		t.Errorf("a dangerous call has buttons: %v", m)
	}
}

// The page's program for Slack, with a server that stands in for Slack's. A press counts when Slack
// signed it, lately, and the right person pressed.
func TestElsewhereSlack(t *testing.T) {
	needPython(t)
	w := newWalk(t)
	asked := make(chan map[string]any, 4)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var m map[string]any
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.URL.Path != "/chat.postMessage" || r.Header.Get("Authorization") != "Bearer xoxb-1" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked <- m
		_, _ = io.WriteString(rw, `{"ok":true}`)
	}))
	t.Cleanup(server.Close)
	env := []string{"SLACK_API=" + server.URL, "SLACK_TOKEN=xoxb-1", "SLACK_CHANNEL=C1", "SLACK_SECRET=shh", "SLACK_USER=U1"}
	said := listener(t, elsewhere(t, w, "elsewhere-slack.py", "listen", env...))
	port := strings.TrimPrefix(line(t, said), "listening on ")

	r := submit(t, w.b, bash("s", "1", "make"))
	token, err := w.b.MintOnce(r.ID)
	must(t, err)
	tell(t, elsewhere(t, w, "elsewhere-slack.py", "ask", env...), r, token)
	m := <-asked
	blocks, _ := m["blocks"].([]any)
	if m["channel"] != "C1" || len(blocks) != 2 {
		t.Fatalf("posted %v", m)
	}
	actions, _ := blocks[1].(map[string]any)
	buttons, _ := actions["elements"].([]any)
	press := func(user, secret string, at time.Time) int {
		payload, err := json.Marshal(map[string]any{"user": map[string]string{"id": user}, "actions": buttons[:1]})
		must(t, err)
		body := url.Values{"payload": {string(payload)}}.Encode()
		stamp := strconv.FormatInt(at.Unix(), 10)
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = io.WriteString(mac, "v0:"+stamp+":"+body)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+port, strings.NewReader(body))
		must(t, err)
		req.Header.Set("X-Slack-Request-Timestamp", stamp)
		req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		must(t, resp.Body.Close())
		return resp.StatusCode
	}
	if code := press("U1", "guess", time.Now()); code != http.StatusUnauthorized {
		t.Errorf("signed by somebody else: %d", code)
	}
	if code := press("U1", "shh", time.Now().Add(-time.Hour)); code != http.StatusUnauthorized {
		t.Errorf("sent again an hour later: %d", code)
	}
	press("U2", "shh", time.Now())
	mustWait(t, w.b, r.ID)
	if code := press("U1", "shh", time.Now()); code != http.StatusOK {
		t.Errorf("pressed: %d", code)
	}
	if got := line(t, said); got != r.ID+" allowed" {
		t.Errorf("it says %q", got)
	}
	if r, _ = w.b.Request(t.Context(), r.ID); r.State != broker.Allowed || !r.Outcome.By.Once() {
		t.Errorf("the call is %s by %+v", r.State, r.Outcome.By)
	}
}
