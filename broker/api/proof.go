package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// proof lets an answer over TCP prove that a console wrote it which knows the client's token
// for asking. The client proved the same with its request, so the token itself never goes over
// TCP.
type proof struct {
	token broker.TokenData
	ask   string // nonce, method and path of the request, a line each
}

// of is the value of HeaderProof for an answer.
func (p *proof) of(status int, correlation, requestID string, body []byte) string {
	sum := sha256.Sum256(body)
	return macOf(p.token.Hash, "answer", p.ask, strconv.Itoa(status), wire.Version, correlation, requestID, "application/json", hex.EncodeToString(sum[:]))
}

// macOf is the code over lines in lower-case hex. The key is a token's hash as it is stored. No
// line may hold a newline of a peer's choice, or two lists of lines could read alike: lines are
// hexadecimal, or come from a request line and headers, which have none.
func macOf(key string, lines ...string) string {
	h := hmac.New(sha256.New, []byte(key))
	_, _ = io.WriteString(h, strings.Join(lines, "\n")) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// proofFor finds the token for asking with which r was made, and gives r a body that ends in
// an error unless it is the one that the client meant. It is nil when there is no such token,
// or when r came before.
//
// The nonce is taken only once the code is right. Otherwise anybody could fill the memory of
// nonces, or use up one that a client is about to send.
func (cl *callers) proofFor(r *http.Request) *proof {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return nil
	}
	nonce, sum, mac, ok := readAsk(values[0])
	if !ok {
		return nil
	}
	// RequestURI is the path as it came, byte for byte; a cleaned path might not be the one that
	// the client signed.
	ask := nonce + "\n" + r.Method + "\n" + r.RequestURI
	d, ok := cl.askerOf(ask+"\n"+sum, mac)
	if !ok || !cl.nonces.Take(d.ID, nonce) {
		return nil
	}
	// Nothing would ever be read of an empty body, so its sum is compared here.
	if r.Body == nil || r.Body == http.NoBody {
		if sum != sumOfNothing {
			return nil
		}
		return &proof{token: d, ask: ask}
	}
	r.Body = &provenBody{ReadCloser: r.Body, sum: sha256.New(), want: sum}
	return &proof{token: d, ask: ask}
}

// askerOf finds the token for asking whose code over ask is mac. All are compared, in
// constant time each.
func (cl *callers) askerOf(ask, mac string) (found broker.TokenData, ok bool) {
	for _, t := range cl.view.Tokens() {
		d := t.TokenData
		fits := subtle.ConstantTimeCompare([]byte(macOf(d.Hash, "ask", ask)), []byte(mac)) == 1
		if fits && d.KindOrOperator() == broker.AskingToken {
			found, ok = d, true
		}
	}
	return found, ok
}

// readAsk takes an Authorization header apart that a hook client wrote.
func readAsk(value string) (nonce, sum, mac string, ok bool) {
	rest, ours := strings.CutPrefix(value, wire.AskScheme+` nonce="`)
	nonce, rest, ok1 := strings.Cut(rest, `", body="`)
	sum, rest, ok2 := strings.Cut(rest, `", mac="`)
	mac, rest, ok3 := strings.Cut(rest, `"`)
	ok = ours && ok1 && ok2 && ok3 && rest == "" && len(nonce) == 2*wire.NonceSize && isHex(nonce+sum+mac)
	return nonce, sum, mac, ok
}

// sumOfNothing is the SHA-256 of no bytes.
const sumOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// provenBody reads a body and fails at its end when it is not the one that was meant. The sum is
// known only at the end, so a route that reads the body to its end is what is protected. All of
// them do (readBody).
type provenBody struct {
	io.ReadCloser
	sum  hash.Hash
	want string
}

var errOtherBody = errors.New("the body is not the one that was sent")

// Read notes what it reads. Together with the last bytes comes the error, so that a reader which
// stops at io.EOF cannot miss it.
func (p *provenBody) Read(buf []byte) (int, error) {
	n, err := p.ReadCloser.Read(buf)
	_, _ = p.sum.Write(buf[:n]) // a hash takes everything
	if errors.Is(err, io.EOF) && hex.EncodeToString(p.sum.Sum(nil)) != p.want {
		return n, errOtherBody
	}
	return n, err
}

// provenWriter answers with a proof; see write and whenAnswered.
type provenWriter struct {
	http.ResponseWriter
	proof *proof
}

// Unwrap is for http.ResponseController.
func (w *provenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// proofOf is what answers to w are proven with; nil when they are not. It looks at the writer
// that a handler was given. Whoever wraps that writer again must keep the proof.
func proofOf(w http.ResponseWriter) *proof {
	if pw, ok := w.(*provenWriter); ok {
		return pw.proof
	}
	return nil
}

type proofKey struct{}

// proven lets next answer with a proof to a client that came over TCP and can check it. A client
// that shows a bare token, or a proof that does not hold, gets no proof; admitTCP then says what
// is wrong with the token.
func (cl *callers) proven(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if peer := peers.From(r.Context()); peer.Err == nil && peer.TCP != nil {
			if p := cl.proofFor(r); p != nil {
				w, r = &provenWriter{w, p}, r.WithContext(context.WithValue(r.Context(), proofKey{}, p))
			}
		}
		next.ServeHTTP(w, r)
	})
}
