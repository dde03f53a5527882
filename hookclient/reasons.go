package hookclient

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// Why there is no answer. Ask wraps one of these; whichever it is, the call is
// not allowed.
var (
	ErrNoConsole = errors.New("no console is listening")          // nobody to ask, or it went away and stayed away
	ErrSocket    = errors.New("the socket cannot be trusted")     // wrong kind of file, foreign owner, open folder, no permission
	ErrSilent    = errors.New("the console does not answer")      // connected, but not a byte came back
	ErrAnswer    = errors.New("unreadable answer")                // not aoctl's protocol, cut off, or for another call
	ErrTimeout   = errors.New("time ran out")                     // nobody decided
	ErrRefused   = errors.New("the console refused the question") // it said why
	ErrObserving = errors.New("the console only observes")        // it holds no call, so nobody there can allow one
	ErrInput     = errors.New("bad input")                        // arguments, environment or payload
	ErrStopped   = errors.New("the wait was ended")               // a signal, or the agent is gone
)

// refusalError is an error a person can act on: what is wrong, then what helps. Both
// are one line; hint may be empty. Unwrap gives both the sentinel and the cause, so errors.Is
// finds either.
type refusalError struct {
	kind  error  // one of the sentinels above
	code  string // the console's, of an ErrRefused
	text  string
	hint  string
	cause error // may be nil
	down  bool  // no console took the connection
}

func (r *refusalError) Error() string {
	if r.hint == "" {
		return r.text
	}
	return r.text + "; " + r.hint
}

func (r *refusalError) Unwrap() []error {
	if r.cause == nil {
		return []error{r.kind}
	}
	return []error{r.kind, r.cause}
}

// refuse writes the one sentence of a run that ends without an answer, and
// returns the exit code with which every agent blocks the call.
func refuse(stderr io.Writer, err error) int {
	// Nothing can be done about a stderr that is gone; the exit code still blocks.
	_, _ = io.WriteString(stderr, sentence(err)+"\n")
	return exitRefused
}

// sentence is what the agent, and through it the model, reads of err.
func sentence(err error) string { return "aoctl: " + oneLine(err.Error()) }

// maxReason keeps a reason to what an agent shows its model, in bytes.
const maxReason = 4 << 10

// oneLine makes s safe for a terminal: what does not print becomes a visible
// escape, and a long text is cut with a mark. The text may hold a path, a console's message or an
// agent's words, and is printed on a terminal.
func oneLine(s string) string {
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + " …"
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// panicked turns a recovered value into a refusal.
func panicked(v any) error {
	text := "unknown cause"
	switch v := v.(type) {
	case error:
		text = v.Error()
	case string:
		text = v
	}
	return &refusalError{kind: ErrStopped, text: "the hook client has a defect: " + text, hint: "please report it"}
}

// shortDuration writes d without empty parts: 10m, not 10m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
