package hookclient

import (
	"os"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// The protocol's names and limits. They are a copy of broker/wire, which the hook
// client does not import because it keeps to the standard library; a test at the
// module's root keeps the two equal.
const (
	Version = "1"

	HeaderProtocol    = "Aoctl-Protocol"
	HeaderCorrelation = "Aoctl-Correlation"
	HeaderRequestID   = "Aoctl-Request-Id"
	HeaderClientPID   = "Aoctl-Pid"
	HeaderParentPID   = "Aoctl-Ppid"
	HeaderTimeoutMS   = "Aoctl-Timeout-Ms"
	HeaderAtMostMS    = "Aoctl-At-Most-Ms"
	HeaderEnv         = "Aoctl-Env"
	HeaderProof       = "Aoctl-Proof"

	AskScheme = "Aoctl" // of Authorization over TCP
	NonceSize = 16      // bytes

	MaxHookBody = 16 << 20 // bytes of a hook payload
)

// TellTales lists the environment variables that are passed on when set, because
// they tell which agent is asking.
func TellTales() []string { return profile.TellTales() }

// maxEnvValue bounds one passed-on value, in bytes. A longer one is left out: cut
// off, it would name something else.
const maxEnvValue = 4 << 10

// caller is the client as it shows itself to the console: the header lines that stay the same
// through one conversation.
type caller struct {
	correlation string
	host        string
	lines       []byte
	key         string // what both sides prove over TCP that they know; empty over the socket
}

// newCaller is a caller whose variables are this process's.
func newCaller(to address) caller { return newCallerIn(to, os.LookupEnv) }

// newCallerIn is a caller whose environment is env. The correlation is made here, once for a
// conversation: all of its requests carry it.
func newCallerIn(to address, env func(name string) (value string, set bool)) caller {
	id := newUUID(time.Now())
	b := make([]byte, 0, 1<<10)
	b = header(b, HeaderProtocol, Version)
	b = header(b, HeaderCorrelation, id)
	b = header(b, HeaderClientPID, strconv.Itoa(os.Getpid()))
	b = header(b, HeaderParentPID, strconv.Itoa(os.Getppid()))
	for _, name := range TellTales() {
		if value, set := env(name); set && len(value) <= maxEnvValue {
			b = append(b, HeaderEnv...)
			b = append(b, ": "...)
			b = append(b, name...)
			b = append(b, '=')
			b = queryEscape(b, value)
			b = append(b, "\r\n"...)
		}
	}
	return caller{correlation: id, host: to.host(), lines: b, key: keyOf(to.token)}
}

// request writes one whole HTTP request; body is nil for GET. Its answer must meet the
// challenge.
func (c caller) request(path string, body []byte, wait deadline) (request []byte, must challenge) {
	method := "GET"
	if body != nil {
		method = "POST"
	}
	b := make([]byte, 0, len(c.lines)+len(path)+len(body)+256)
	b = append(b, method...)
	b = append(b, ' ')
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\n"...)
	b = header(b, "Host", c.host)
	b = append(b, c.lines...)
	if c.key != "" {
		var shows string
		must, shows = newChallenge(c.key, method, path, body)
		b = header(b, "Authorization", shows)
	}
	b = header(b, HeaderTimeoutMS, strconv.FormatInt(max(time.Until(wait.until).Milliseconds(), 0), 10))
	if !wait.most.IsZero() {
		b = header(b, HeaderAtMostMS, strconv.FormatInt(max(time.Until(wait.most).Milliseconds(), 0), 10))
	}
	if body != nil {
		b = header(b, "Content-Type", "application/json")
		b = header(b, "Content-Length", strconv.Itoa(len(body)))
	}
	b = append(b, "\r\n"...)
	return append(b, body...), must
}

// header appends one header line. Names and values are ours and hold no line ends.
func header(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}

// queryEscape appends s as net/url's QueryEscape writes it, which is not imported
// because it slows the start.
func queryEscape(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~':
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return b
}
