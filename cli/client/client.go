// Package client is a command's side of the console's API: HTTP over its Unix socket.
//
// New finds the socket (--socket, AOCTL_SOCKET, or the usual place), and refuses one that
// belongs to another user, before anything is sent and again once it is connected. A Client
// can ask and refuse; what allows needs an operator's token, which NewOperator takes from a
// file or from the environment. Whatever goes wrong comes back as an exit.Error with a
// cure: no console is listening, it does not answer, it refused.
//
// Sessions and Pending are what nearly every command asks first. FindSession and
// FindRequest then pick the one that the user named, by an id or its beginning, a name or a
// folder; a name that fits several is an error that lists them. CompleteSessions and
// CompleteCalls offer the same names to the shell, and give up after a moment, so that a
// suspended console does not freeze the tab key.
//
// What the console sends is kept as it came (Session, Request), so that --json prints
// members that this version does not know yet.
//
// Programs that we start get an environment without the token (WithoutToken).
package client

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
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/paths"
)

const (
	// callTimeout is how long a command waits for the console's answer. A console
	// that is stopped (a signal, a debugger) accepts connections and never answers.
	callTimeout = 10 * time.Second
	// maxAnswer bounds an answer, bytes: 20,000 waiting calls of a usual size.
	maxAnswer = 512 << 20
)

// Client speaks to the console over its Unix socket. It can ask and refuse; what allows
// needs an operator's token. It may be used by several goroutines once Token and WaitFor
// are settled. Nothing has to be closed.
type Client struct {
	socket string
	Token  string // an operator's; empty for none
	http   *http.Client
}

// New finds the console's socket for cmd and checks that it is ours. It does not connect:
// that nobody listens shows with the first question. The token of the environment is taken
// along.
func New(cmd *cobra.Command) (*Client, error) {
	socket, err := SocketPath(cmd)
	if err != nil {
		return nil, err
	}
	if err := checkSocket(socket); err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return Dial(ctx, socket) },
		MaxIdleConnsPerHost: 16,
	}
	return &Client{socket: socket, Token: os.Getenv(TokenEnv), http: &http.Client{
		Transport: transport,
		Timeout:   callTimeout,
		// The console redirects nowhere. Following one could carry the token to another
		// path.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

// WaitFor changes how long an answer may take, for all that is asked afterwards. 0 is for
// ever.
func (c *Client) WaitFor(d time.Duration) { c.http.Timeout = d }

// SocketPath is the socket that cmd's --socket names, or the usual one. It is absolute and
// need not exist.
func SocketPath(cmd *cobra.Command) (string, error) {
	// A command without the flag gets an error here, and the usual socket.
	if s, err := cmd.Flags().GetString("socket"); err == nil && s != "" {
		return filepath.Abs(s)
	}
	s, err := paths.Socket()
	if err != nil {
		return "", exit.Error{Code: exit.Failed, Text: err.Error(), Cause: err}
	}
	return s, nil
}

// checkSocket refuses a path that is no socket of this user, before anything is sent there.
// A missing one means that no console listens. Links are not followed, since whoever made
// the link could turn it elsewhere. Root's own sockets are no exception.
func checkSocket(socket string) error {
	info, err := os.Lstat(socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NoConsole(socket, err)
	case err != nil:
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot look at the socket %s: %v", socket, errors.Unwrap(err)), Cause: err}
	case info.Mode().Type() != fs.ModeSocket:
		return exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("%s is not a socket", socket),
			Hint: `move it away and start a console with "aoctl"`,
		}
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return foreignSocket(socket, int(st.Uid))
	}
	return nil
}

// Dial connects to socket and checks who listens at the other end. The owner of the file is
// not enough: the kernel says whose process it is, and a peer whose user cannot be told is
// refused.
func Dial(ctx context.Context, socket string) (net.Conn, error) {
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

// foreignSocket is the error for a socket of another user, who could read what is asked and
// answer as if a call were allowed.
func foreignSocket(socket string, uid int) error {
	return exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("the socket %s belongs to user %d, not to you", socket, uid),
		Hint: "nothing was sent; remove it, or name your own with AOCTL_SOCKET",
	}
}

// NoConsole says that nobody listens on socket, with exit.NoConsole. cause may be nil.
func NoConsole(socket string, cause error) error {
	return exit.Error{
		Code: exit.NoConsole, Text: fmt.Sprintf("no console is listening on %s", socket),
		Hint: `start one with "aoctl"`, Cause: cause,
	}
}

// Get reads path into into, a pointer. path begins with a slash and is escaped; query may
// be nil.
func (c *Client) Get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.call(ctx, http.MethodGet, path, nil, into)
}

// Post sends body as JSON and reads the answer into into, a pointer. A refusal of the
// console is an exit.Error around an APIError.
func (c *Client) Post(ctx context.Context, path string, body, into any) error {
	return c.Send(ctx, http.MethodPost, path, body, into)
}

// Send is post with another method, and without a body when that is nil.
func (c *Client) Send(ctx context.Context, method, path string, body, into any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write the question: %w", err)
		}
	}
	return c.call(ctx, method, path, text, into)
}

// call makes one request and reads its JSON answer into into. The operator's token goes
// along with what changes something, and never with what only reads. Nothing is asked
// twice: a change whose answer was lost may have been made.
func (c *Client) call(ctx context.Context, method, path string, body []byte, into any) error {
	// The host is a name without a meaning; Dial goes to the socket whatever it says.
	req, err := http.NewRequestWithContext(ctx, method, "http://aoctl"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write the question: %w", err)
	}
	req.Header.Set(wire.HeaderProtocol, wire.Version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" && method != http.MethodGet {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Unanswered(c.socket, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return Unanswered(c.socket, err)
	case len(text) > maxAnswer:
		return exit.Error{Code: exit.Failed, Text: "the console's answer is too large"}
	case resp.StatusCode != http.StatusOK:
		return ReadError(resp.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("what listens on %s does not answer like aoctl", c.socket),
			Hint: "is it another version? compare with: aoctl version", Cause: err,
		}
	}
	return nil
}

// Unanswered explains why a call to the console on socket got no answer at all. An error
// that is explained already, such as one of Dial's, is returned as it is.
func Unanswered(socket string, err error) error {
	if f, ok := errors.AsType[exit.Error](err); ok {
		return f
	}
	var netErr net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return NoConsole(socket, err)
	case errors.Is(err, context.Canceled):
		return exit.Error{Code: exit.Failed, Text: "interrupted", Cause: err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return exit.Error{
			Code: exit.NoConsole, Text: fmt.Sprintf("the console on %s does not answer", socket),
			Hint: "is it suspended? bring it back with fg or kill -CONT, or end it and start another", Cause: err,
		}
	}
	return exit.Error{
		Code: exit.NoConsole, Text: fmt.Sprintf("the console on %s went away: %v", socket, exit.RootCause(err)),
		Hint: `start one with "aoctl"`, Cause: err,
	}
}

// APIError is the broker's refusal of a call. Code is for programs, the texts are for
// people; Status is that of HTTP.
type APIError struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (e APIError) Error() string { return e.Message }

// ReadError turns the broker's error object into an error with an exit code. That something
// is over or was decided by somebody else counts as not found. The texts are the console's
// own words.
func ReadError(status int, body []byte) error {
	var answer struct {
		Error APIError `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Message == "" {
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("the console answered with status %d and no explanation", status), Cause: err}
	}
	e := answer.Error
	e.Status = status
	code := exit.Failed
	switch status {
	case http.StatusNotFound, http.StatusConflict, http.StatusGone:
		code = exit.NotFound
	case http.StatusBadRequest:
		code = exit.Usage
	case http.StatusForbidden, http.StatusUnauthorized:
		code = exit.Forbidden
	}
	return exit.Error{Code: code, Text: e.Message, Hint: e.Hint, Cause: e}
}

// Code is the broker's error code in err, or "" when the broker said nothing.
func Code(err error) string {
	e, _ := errors.AsType[APIError](err)
	return e.Code
}
