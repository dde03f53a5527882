package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient/paths"
)

const (
	// callTimeout is how long a command waits for the console's answer. A console
	// that is stopped (ctrl+z, a debugger) accepts connections and never answers.
	callTimeout = 10 * time.Second
	// maxAnswer bounds an answer, bytes: 20,000 waiting calls of a usual size.
	maxAnswer = 512 << 20
)

// client speaks to the console over its Unix socket. It can ask and refuse;
// what allows needs an operator's token.
type client struct {
	socket string
	token  string // an operator's; empty for none
	http   *http.Client
}

// newClient finds the console's socket for cmd and checks that it is ours.
func newClient(cmd *cobra.Command) (*client, error) {
	socket, err := socketPath(cmd)
	if err != nil {
		return nil, err
	}
	if err := checkSocket(socket); err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return dialOurs(ctx, socket) },
		MaxIdleConnsPerHost: 16,
	}
	return &client{socket: socket, token: os.Getenv(tokenEnv), http: &http.Client{
		Transport: transport,
		Timeout:   callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

// waitFor changes how long an answer may take.
func (c *client) waitFor(d time.Duration) { c.http.Timeout = d }

// socketPath is the socket that cmd's --socket names, or the usual one.
func socketPath(cmd *cobra.Command) (string, error) {
	if s, err := cmd.Flags().GetString("socket"); err == nil && s != "" {
		return filepath.Abs(s)
	}
	s, err := paths.Socket()
	if err != nil {
		return "", failure{code: exitError, text: err.Error(), cause: err}
	}
	return s, nil
}

// checkSocket refuses a path that is no socket of this user, before anything is
// sent there. A missing one means that no console listens.
func checkSocket(socket string) error {
	info, err := os.Lstat(socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noConsole(socket, err)
	case err != nil:
		return failure{code: exitError, text: fmt.Sprintf("cannot look at the socket %s: %v", socket, errors.Unwrap(err)), cause: err}
	case info.Mode().Type() != fs.ModeSocket:
		return failure{
			code: exitError, text: fmt.Sprintf("%s is not a socket", socket),
			hint: `move it away and start a console with "aoctl"`,
		}
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return foreignSocket(socket, int(st.Uid))
	}
	return nil
}

// dialOurs connects to socket and checks who listens at the other end.
func dialOurs(ctx context.Context, socket string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	uid, err := peerUID(conn)
	if err == nil && uid != os.Geteuid() {
		err = foreignSocket(socket, uid)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func foreignSocket(socket string, uid int) error {
	return failure{
		code: exitError, text: fmt.Sprintf("the socket %s belongs to user %d, not to you", socket, uid),
		hint: "nothing was sent; remove it, or name your own with AOCTL_SOCKET",
	}
}

func noConsole(socket string, cause error) error {
	return failure{
		code: exitNoConsole, text: fmt.Sprintf("no console is listening on %s", socket),
		hint: `start one with "aoctl"`, cause: cause,
	}
}

// get reads path into into.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.call(ctx, http.MethodGet, path, nil, into)
}

// post sends body as JSON and reads the answer into into.
func (c *client) post(ctx context.Context, path string, body, into any) error {
	return c.send(ctx, http.MethodPost, path, body, into)
}

// send is post with another method, and without a body when that is nil.
func (c *client) send(ctx context.Context, method, path string, body, into any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write the question: %w", err)
		}
	}
	return c.call(ctx, method, path, text, into)
}

func (c *client) call(ctx context.Context, method, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://aoctl"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write the question: %w", err)
	}
	req.Header.Set(wire.HeaderProtocol, wire.Version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" && method != http.MethodGet {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return unanswered(c.socket, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return unanswered(c.socket, err)
	case len(text) > maxAnswer:
		return failure{code: exitError, text: "the console's answer is too large"}
	case resp.StatusCode != http.StatusOK:
		return readAPIError(resp.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return failure{
			code: exitError, text: fmt.Sprintf("what listens on %s does not answer like aoctl", c.socket),
			hint: "is it another version? compare with: aoctl version", cause: err,
		}
	}
	return nil
}

// unanswered explains why a call to the console on socket got no answer at all.
func unanswered(socket string, err error) error {
	if f, ok := errors.AsType[failure](err); ok {
		return f
	}
	var netErr net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return noConsole(socket, err)
	case errors.Is(err, context.Canceled):
		return failure{code: exitError, text: "interrupted", cause: err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return failure{
			code: exitNoConsole, text: fmt.Sprintf("the console on %s does not answer", socket),
			hint: "is it suspended (ctrl+z)? bring it back with fg, or quit it and start another", cause: err,
		}
	}
	return failure{
		code: exitNoConsole, text: fmt.Sprintf("the console on %s went away: %v", socket, rootCause(err)),
		hint: `start one with "aoctl"`, cause: err,
	}
}

// apiError is the broker's refusal of a call.
type apiError struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (e apiError) Error() string { return e.Message }

// readAPIError turns the broker's error object into an error with an exit code.
func readAPIError(status int, body []byte) error {
	var answer struct {
		Error apiError `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Message == "" {
		return failure{code: exitError, text: fmt.Sprintf("the console answered with status %d and no explanation", status), cause: err}
	}
	e := answer.Error
	e.Status = status
	code := exitError
	switch status {
	case http.StatusNotFound, http.StatusConflict, http.StatusGone:
		code = exitNotFound
	case http.StatusBadRequest:
		code = exitUsage
	case http.StatusForbidden, http.StatusUnauthorized:
		code = exitForbidden
	}
	return failure{code: code, text: e.Message, hint: e.Hint, cause: e}
}

// apiCode is the broker's error code in err, or "".
func apiCode(err error) string {
	e, _ := errors.AsType[apiError](err)
	return e.Code
}
