package hookclient

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
)

// challenge is what the answer to one request over TCP must prove: that a console wrote it
// which knows the token. Its zero value belongs to a request over the socket, where the
// system vouches for the other end.
type challenge struct {
	key string
	ask string // nonce, method and path, a line each
}

// keyOf is what token is known by at the console, which stores no token. It is the same hash that
// the console stores, so both sides have the key and neither sends the token.
func keyOf(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// newChallenge proves to the console that we know the token, without telling it to the program that
// listens there. shows is the value of Authorization.
func newChallenge(key, method, path string, body []byte) (q challenge, shows string) {
	// #nosec G404 -- as in newUUID it must be unique, not secret: who could guess it still
	// lacks the key, and the console takes no request without
	nonce := hex.EncodeToString(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(make([]byte, 0, NonceSize), rand.Uint64()), rand.Uint64()))
	sum := sumOf(body)
	q = challenge{key: key, ask: nonce + "\n" + method + "\n" + path}
	return q, AskScheme + ` nonce="` + nonce + `", body="` + sum + `", mac="` + macOf(key, "ask", q.ask, sum) + `"`
}

// provenBy returns an error unless a console that knows the token wrote resp for this very
// request. Before that nothing is taken from resp, not even why it refuses.
func (q challenge) provenBy(resp response, console address) error {
	if q.key == "" && !console.remote() {
		return nil
	}
	want := macOf(q.key, "answer", q.ask, strconv.Itoa(resp.status), resp.protocol, resp.correlation, resp.requestID, resp.contentType, sumOf(resp.body))
	if q.key != "" && hmac.Equal([]byte(want), []byte(resp.proof)) {
		return nil
	}
	status := "(status " + strconv.Itoa(resp.status) + ")"
	why, hint := "its answer "+status+" carries no proof", "see what listens there; a console of an earlier release cannot prove itself"
	switch {
	case resp.proof != "":
		why, hint = "the proof in its answer "+status+" does not fit", "see what listens there, and what forwards the port"
	case resp.status == 401:
		why, hint = "it turns the token down "+status+", so it is not your console, or your console does not know this token", mintOne
	}
	return &refusalError{kind: ErrAnswer, text: "whoever listens at http://" + console.String() + " did not prove to be your console: " + why, hint: hint}
}

// macOf is the code over lines, in lower-case hex. The console's own is broker/api's; they must
// agree byte for byte. Wire describes both.
func macOf(key string, lines ...string) string {
	h := hmac.New(sha256.New, []byte(key))
	_, _ = io.WriteString(h, strings.Join(lines, "\n")) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// sumOf is the SHA-256 of a body in hex; no body is the sum of nothing.
func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
