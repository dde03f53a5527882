package service_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/shell"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/service"
)

// TestAPIDocument runs docs/api.md: every "$" line of its console blocks in order,
// with curl where there is one, and compares what comes out.
func TestAPIDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWalk(t)
	for i, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		w.run(fmt.Sprintf("block %d", i+1), block[1])
	}
	if w.commands < 15 {
		t.Errorf("only %d commands were found in the page", w.commands)
	}
}

// walk is a reader of the page who types what it says.
type walk struct {
	t          *testing.T
	b          *service.Broker
	socket     string
	token      string // an operator's
	background chan string
	commands   int
}

func newWalk(t *testing.T) *walk {
	t.Helper()
	socket := filepath.Join(shortDir(t), "b.sock")
	l, err := api.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Socket: socket})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		_ = l.Close()
	})
	token, err := b.MintToken(t.Context(), broker.OperatorToken, "page", operator)
	must(t, err)
	return &walk{t: t, b: b, socket: socket, token: token}
}

// run types one block. Lines that are neither a command nor the person's doing are
// what the command before them must print.
func (w *walk) run(name, block string) {
	var want []string
	var got string
	compare := func() {
		if len(want) > 0 {
			w.match(name, strings.Join(want, "\n"), got)
		}
		want = nil
	}
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "$ "):
			compare()
			got = w.command(strings.TrimPrefix(line, "$ "))
		case strings.HasPrefix(line, `# the person presses "a"`):
			compare()
			w.press()
		default:
			want = append(want, line)
		}
	}
	compare()
}

// press allows the oldest waiting call, as soon as there is one.
func (w *walk) press() {
	r := waiting(w.t, w.b, 1)[0]
	if r.Assessment.Class == risk.Dangerous {
		w.t.Errorf("%s is dangerous: no a allows that, it takes its digits", r.ToolInput)
	}
	_, err := w.b.Decide(w.t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	must(w.t, err)
}

func (w *walk) command(line string) string {
	switch {
	case strings.HasPrefix(line, "SOCKET="), strings.HasPrefix(line, "TOKEN="):
		return ""
	case line == "wait":
		return <-w.background
	}
	w.commands++
	background := strings.HasSuffix(line, "&")
	args, err := shell.Fields(strings.TrimSuffix(line, "&"), func(name string) string {
		return map[string]string{"SOCKET": w.socket, "TOKEN": w.token}[name]
	})
	if err != nil || args[0] != "curl" {
		w.t.Fatalf("not a curl command: %s (%v)", line, err)
	}
	run := w.fetch
	if path, err := exec.LookPath("curl"); err == nil {
		run = func(args []string) string {
			out, err := exec.CommandContext(w.t.Context(), path, args...).Output()
			if err != nil {
				return fmt.Sprintf("%s (%v)", out, err)
			}
			return string(out)
		}
	}
	if background {
		w.background = make(chan string, 1)
		go func() { w.background <- run(args[1:]) }()
		return ""
	}
	return run(args[1:])
}

// fetch does what curl would, on a machine without it.
func (w *walk) fetch(args []string) string {
	var socket, url, body, after, token string
	most := 0 // seconds; an answer that goes on is cut
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-s", "-sN":
		case "--unix-socket":
			i++
			socket = args[i]
		case "-d":
			i++
			body = args[i]
		case "-m":
			i++
			most, _ = strconv.Atoi(args[i])
		case "-H":
			i++
			token = strings.TrimPrefix(args[i], "Authorization: ")
		case "-w":
			i++
			after = args[i]
		default:
			url = args[i]
		}
	}
	c := http.Client{Timeout: time.Duration(most) * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	resp, err := c.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	var out bytes.Buffer
	_, _ = io.Copy(&out, resp.Body)
	if after != "" {
		_, _ = fmt.Fprint(&out, resp.StatusCode)
	}
	return out.String()
}

func (w *walk) match(name, want, got string) {
	w.t.Helper()
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(want)), "…", "(?s:.*)")
	if !regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimSpace(got)) {
		w.t.Errorf("%s:\nthe page says %s\nthe broker says %s", name, want, got)
	}
}
