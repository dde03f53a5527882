package hookclient

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// A console that sends more is not ours, or is broken; reading on would only fill memory.
const (
	maxHead   = 32 << 10 // bytes of status line and headers
	maxAnswer = 8 << 20  // bytes of an answer's body: a changed input may be 1 MiB, escaped
)

// errNoByte marks a connection that ended, or stayed silent, before the first byte
// of an answer.
var errNoByte = errors.New("not a byte of an answer")

// response is one HTTP answer, complete. Every field is as the peer sent it. Nothing in it counts
// before checkOrigin and, over TCP, its proof have been looked at.
type response struct {
	status      int
	protocol    string
	correlation string
	requestID   string
	contentType string
	proof       string
	closes      bool // the connection ends with this answer
	trailing    bool // bytes came after the body
	body        []byte
}

// readResponse reads one HTTP/1.1 answer with a Content-Length. It returns an
// error that wraps errNoByte when nothing came at all, otherwise one that wraps
// ErrAnswer or the reader's own error.
func readResponse(r io.Reader) (response, error) {
	buf := make([]byte, 0, 4<<10)
	for {
		if end := bytes.Index(buf, []byte("\r\n\r\n")); end >= 0 {
			return finish(r, buf[:end], buf[end+4:])
		}
		if len(buf) >= maxHead {
			return response{}, unreadable("its headers are larger than " + strconv.Itoa(maxHead>>10) + " KiB")
		}
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		if n > 0 && len(buf) == 0 && !startsLikeHTTP(buf[:n]) {
			return response{}, unreadable("it is not HTTP")
		}
		buf = buf[:len(buf)+n]
		switch {
		case err == nil:
		case len(buf) == 0:
			return response{}, errors.Join(errNoByte, err)
		case errors.Is(err, io.EOF):
			if !bytes.Contains(buf, []byte("\r\n\r\n")) {
				return response{}, unreadable("it is cut off in its headers")
			}
		default:
			return response{}, err
		}
	}
}

// startsLikeHTTP looks at the very first bytes, so that a program of another protocol is named at
// once and not after a wait for a head that never ends.
func startsLikeHTTP(b []byte) bool {
	const want = "HTTP/1.1 "
	n := min(len(b), len(want))
	return string(b[:n]) == want[:n]
}

// finish parses the head and reads the rest of the body; rest is what was already
// read of it.
func finish(r io.Reader, head, rest []byte) (response, error) {
	resp, length, err := parseHead(string(head))
	if err != nil {
		return response{}, err
	}
	if len(rest) >= length {
		resp.body, resp.trailing = rest[:length:length], len(rest) > length
		return resp, nil
	}
	resp.body = make([]byte, length)
	n := copy(resp.body, rest)
	if _, err = io.ReadFull(r, resp.body[n:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return response{}, unreadable("it is cut off: fewer bytes than it announced")
	}
	return resp, err
}

// parseHead reads the first line and the headers of an answer, and how long its body is. It is
// stricter than HTTP: an answer that two readers could take in two ways is not an answer. A
// folded header line, which old HTTP allows, is malformed here.
func parseHead(head string) (response, int, error) {
	var resp response
	lines := strings.Split(head, "\r\n")
	status, ok := strings.CutPrefix(lines[0], "HTTP/1.1 ")
	if !ok || len(status) < 3 || (len(status) > 3 && status[3] != ' ') {
		return resp, 0, unreadable("it is not HTTP")
	}
	var err error
	if resp.status, err = strconv.Atoi(status[:3]); err != nil || resp.status < 100 {
		return resp, 0, unreadable("it has no status")
	}
	seen := map[string]string{}
	for _, line := range lines[1:] {
		name, value, found := strings.Cut(line, ":")
		if !found || name == "" || strings.ContainsAny(name, " \t") {
			return resp, 0, unreadable("a header is malformed")
		}
		name = strings.ToLower(name)
		if _, twice := seen[name]; twice && matters(name) {
			return resp, 0, unreadable("it has two " + name + " headers")
		}
		seen[name] = strings.Trim(value, " \t")
	}
	resp.protocol = seen[strings.ToLower(HeaderProtocol)]
	resp.correlation = seen[strings.ToLower(HeaderCorrelation)]
	resp.requestID = seen[strings.ToLower(HeaderRequestID)]
	resp.contentType = seen["content-type"]
	resp.proof = seen[strings.ToLower(HeaderProof)]
	resp.closes = strings.EqualFold(seen["connection"], "close")
	length, err := contentLength(seen)
	return resp, length, err
}

// matters names the headers that must not stand twice: two readers could follow
// one each.
func matters(lower string) bool {
	switch lower {
	case "content-length", "transfer-encoding", "content-type",
		"aoctl-protocol", "aoctl-correlation", "aoctl-request-id", "aoctl-proof":
		return true
	}
	return false
}

// contentLength is the length that the answer announces, in bytes. Without one nobody could tell
// a whole answer from one that was cut off.
func contentLength(seen map[string]string) (int, error) {
	if _, chunked := seen["transfer-encoding"]; chunked {
		return 0, unreadable("it does not say how long it is")
	}
	text, ok := seen["content-length"]
	if !ok {
		return 0, unreadable("it does not say how long it is")
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || strings.HasPrefix(text, "+") {
		return 0, unreadable("its length is not a number")
	}
	if n > maxAnswer {
		return 0, unreadable("it is larger than " + strconv.Itoa(maxAnswer>>20) + " MiB")
	}
	return int(n), nil
}

// checkOrigin makes sure that an aoctl broker of our protocol wrote resp, for the
// call with this correlation. strict is for answers that must echo it; a refusal
// may come from a place that does not know it.
func checkOrigin(resp response, correlation string, strict bool) error {
	switch {
	case resp.protocol == "":
		what := resp.contentType
		if what == "" {
			what = "no content type"
		}
		return unreadable("something other than aoctl wrote it (status " + strconv.Itoa(resp.status) + ", " + what + ")")
	case resp.protocol != Version:
		return &refusalError{
			kind: ErrAnswer, text: "the console speaks protocol " + strconv.Quote(resp.protocol) + ", this hook client " + strconv.Quote(Version),
			hint: "install both from the same release of aoctl",
		}
	case resp.correlation == correlation, resp.correlation == "" && !strict:
		return nil
	default:
		return unreadable("it is for another call")
	}
}

// checkAnswer makes sure that a 200 body is exactly one JSON object on its last
// line: anything else on stdout would let an agent run the call.
func checkAnswer(resp response) ([]byte, error) {
	body := resp.body
	switch {
	case len(body) == 0:
		return nil, unreadable("it is empty")
	case resp.trailing:
		return nil, unreadable("more bytes follow it")
	case !isJSON(resp.contentType):
		return nil, unreadable("it is not JSON but " + strconv.Quote(resp.contentType))
	case body[0] != '{' || !bytes.HasSuffix(body, []byte("}\n")):
		return nil, unreadable("it is not one JSON object with a newline")
	case !isJSONValue(body):
		return nil, unreadable("it is broken JSON")
	}
	return body, nil
}

// isJSON takes parameters such as a charset.
func isJSON(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

// shuttingDown is the error code of a console that is about to end; the question
// is asked again when it is back.
const shuttingDown = "shutting_down"

// notFound is the error code of a request that the console does not know.
const notFound = "not_found"

// brokerRefusal reads the error object of a 4xx or 5xx answer, with its code. An answer without a
// message is unreadable: the agent's user is to read a reason.
func brokerRefusal(resp response) (code string, err error) {
	object := member(resp.body, "error")
	message := textMember(object, "message")
	if !isJSON(resp.contentType) || message == "" {
		return "", unreadable("it has status " + strconv.Itoa(resp.status) + " and no explanation")
	}
	code = textMember(object, "code")
	return code, &refusalError{kind: ErrRefused, code: code, text: message, hint: textMember(object, "hint")}
}

// pendingID reads the request id of an answer that says wait.
func pendingID(resp response) (string, error) {
	id := textMember(resp.body, "request_id")
	if !isJSON(resp.contentType) || !onlyPlain(id) || len(id) > 128 {
		return "", unreadable("it says wait but names no request")
	}
	return id, nil
}

// pendingFor is how long an answer that says wait lets the call wait; 0 when it does not
// say so, or not in whole milliseconds up to the longest there is.
func pendingFor(resp response) time.Duration {
	ms, err := strconv.ParseInt(string(member(resp.body, "wait_ms")), 10, 64)
	if err != nil || ms < 0 || ms > maxTimeout.Milliseconds() {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// unreadable is an answer that is none. The hint is the same for all: two releases beside each
// other are the usual cause.
func unreadable(why string) error {
	return &refusalError{
		kind: ErrAnswer, text: "the console's answer cannot be used: " + why,
		hint: `the call is refused; restart the console, and install it and the hook from the same release ("aoctl version")`,
	}
}
