package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// crowdArg makes this program the clients' process: crowdArg SOCKET FOLDER.
const crowdArg = "crowd"

// crowdSaid is what the clients' process says to one command, as a line of JSON.
type crowdSaid struct {
	Err    string             `json:"err,omitempty"`
	Values map[string]float64 `json:"values,omitempty"`
}

// clients are hooks that wait at one console.
type clients struct {
	api     ask.Client
	cwd     string
	rounds  int // of waiting, so that each has sessions of its own
	waiting sync.WaitGroup
	errs    chan error
}

// runCrowd does what the lines of its standard input say until that ends: "wait N" has N hooks
// wait, "decide D" has D deciders end all of their calls.
func runCrowd(socket, cwd string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &clients{api: ask.Client{Socket: socket}, cwd: cwd}
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		verb, n := "", 0
		_, err := fmt.Sscan(in.Text(), &verb, &n)
		values := map[string]float64{}
		switch {
		case err != nil:
		case verb == "wait":
			err = c.wait(ctx, n)
		default:
			values, err = c.decide(ctx, n)
		}
		said := crowdSaid{Values: values}
		if err != nil {
			said.Err = err.Error()
		}
		if out.Encode(said) != nil {
			return 1
		}
	}
	return 0
}

// wait returns once n hooks wait.
func (c *clients) wait(ctx context.Context, n int) error {
	c.rounds++
	c.errs = make(chan error, n)
	slots := make(chan struct{}, 128) // as many come at once
	for i := range n {
		c.waiting.Go(func() {
			slots <- struct{}{}
			free := sync.OnceFunc(func() { <-slots })
			defer free()
			go func() {
				time.Sleep(20 * time.Millisecond)
				free()
			}()
			_, err := c.api.Hook(ctx, ask.Call{
				Session: fmt.Sprintf("crowd-%d-%d", c.rounds, i/host.PerSession), ToolUse: fmt.Sprintf("toolu_%d_%d", c.rounds, i), Tool: "Bash", CWD: c.cwd,
				Input: map[string]any{"command": fmt.Sprintf("make target-%d", i), "description": "Build one target"},
			}, uuid.NewString())
			c.errs <- err
		})
	}
	for {
		ids, err := c.pending(ctx)
		switch {
		case err != nil:
			return err
		case len(ids) == n:
			return nil
		}
		select {
		case err := <-c.errs:
			return fmt.Errorf("with %d of %d waiting: %w", len(ids), n, err)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// pending are the ids of the calls that wait.
func (c *clients) pending(ctx context.Context) ([]string, error) {
	rep, err := c.api.Do(ctx, http.MethodGet, "/approval-requests?status=pending", nil)
	if err != nil {
		return nil, err
	}
	var list []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(rep.Body, &list); err != nil {
		return nil, fmt.Errorf("read the waiting calls: %w", err)
	}
	ids := make([]string, 0, len(list))
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids, nil
}

// decide has n deciders deny all calls that wait, each on a connection that it keeps, and
// returns the decisions a second and the clients' own processor time of one. It ends when every
// hook has its answer.
func (c *clients) decide(ctx context.Context, n int) (map[string]float64, error) {
	ids, err := c.pending(ctx)
	if err != nil {
		return nil, err
	}
	left := make(chan string, len(ids))
	for _, id := range ids {
		left <- id
	}
	close(left)
	errs := make(chan error, n)
	var deciders sync.WaitGroup
	began, used := time.Now(), ownTime()
	for range n {
		deciders.Go(func() { errs <- c.decider(ctx, left) })
	}
	deciders.Wait()
	took := time.Since(began)
	close(errs)
	if err := host.Join(errs); err != nil {
		return nil, err
	}
	c.waiting.Wait()
	used = ownTime() - used
	close(c.errs)
	decided := float64(len(ids))
	return map[string]float64{"per_second": decided / took.Seconds(), "clients_us": used.Seconds() * 1e6 / decided}, host.Join(c.errs)
}

// ownTime is what this process has used of the processors so far.
func ownTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// decider denies the calls that it takes out of ids. It reads no more of an answer than its
// length and status: the machine's processors are those of the console, too.
func (c *clients) decider(ctx context.Context, ids <-chan string) error {
	conn, err := c.api.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for id := range ids {
		if err := denyOn(conn, in, id); err != nil {
			return fmt.Errorf("deny %s: %w", id, err)
		}
	}
	return nil
}

func denyOn(conn net.Conn, in *bufio.Reader, id string) error {
	const body = `{"decision":"deny","reason":"bench"}`
	if _, err := fmt.Fprintf(conn, "POST /approval-requests/%s/decide HTTP/1.1\r\nHost: aoctl\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", id, len(body), body); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	status, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		if name, value, _ := strings.Cut(string(line), ":"); strings.EqualFold(name, "Content-Length") {
			if _, err := fmt.Sscan(value, &length); err != nil {
				return fmt.Errorf("read: %w", err)
			}
		}
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(length)))
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") {
		return fmt.Errorf("%s: %s", strings.TrimSpace(status), text)
	}
	return nil
}
