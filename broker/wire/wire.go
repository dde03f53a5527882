// Package wire names what passes between hook client and broker, and reads JSON
// strictly, so that rule, screen and digest never see two different calls.
//
// The hook client imports only the standard library and therefore has its own
// copy of these names (hookclient/transport.go); a test at the module's root
// keeps the two equal.
//
// One hook run is one conversation:
//
//	POST /hooks/claude            body: the agent's bytes, untouched
//	← 200  body: the agent's answer, printed as it is
//	← 202  {"request_id": …, "wait_ms": …}   nobody has answered yet; how long the call may wait from now on
//	GET /hooks/claude/{request_id}
//	← 200 or 202 as above
//	← 4xx, 5xx {"error": {"code", "message", "hint"}}   the client refuses the call with these words
//
// Every request and every answer carries HeaderProtocol and HeaderCorrelation; an
// answer with another correlation is not ours and is refused by the client.
//
// Over TCP each side proves to the other that it knows the token for asking, which is
// never sent. The key of both codes, HMAC-SHA256 in lower-case hex, is the token's SHA-256
// in lower-case hex, as the broker stores it:
//
//	Authorization: Aoctl nonce="N", body="S", mac="M"   M over "ask", N, method, path, S
//	Aoctl-Proof: P     P over "answer", N, method, path, status, protocol, correlation,
//	                   request id, content type, SHA-256 of the answer's body
//
// with a newline between two of these. N is NonceSize random bytes, and S the SHA-256 of
// the request's body, both in hex.
package wire

import "github.com/aoctl/aoctl/hookclient/profile"

// Version is the protocol's version. A client refuses an answer with another one.
const Version = "1"

// Header names.
const (
	HeaderProtocol    = "Aoctl-Protocol"    // Version
	HeaderCorrelation = "Aoctl-Correlation" // UUID of this hook run, kept over retries and echoed in the answer
	HeaderRequestID   = "Aoctl-Request-Id"  // answer: the request's id, when the event is a question
	HeaderClientPID   = "Aoctl-Pid"         // the hook client's pid
	HeaderParentPID   = "Aoctl-Ppid"        // its parent's pid
	HeaderTimeoutMS   = "Aoctl-Timeout-Ms"  // how long the client will still wait, milliseconds
	HeaderAtMostMS    = "Aoctl-At-Most-Ms"  // how long it would wait if the operator gave the call more time; without it, no longer
	HeaderEnv         = "Aoctl-Env"         // repeated: NAME=value of each tell-tale, value percent-encoded (url.QueryEscape)
	HeaderProof       = "Aoctl-Proof"       // answer over TCP: proof that a console wrote it which knows the token
)

// AskScheme is the Authorization scheme of hook clients over TCP, and NonceSize the size
// of its nonce in bytes.
const (
	AskScheme = "Aoctl"
	NonceSize = 16
)

// TellTales are the environment variables that a client passes on when set.
var TellTales = profile.TellTales()

// Size limits, in bytes, and the nesting limit for JSON from outside.
const (
	MaxBody     = 1 << 20  // any API body, and the call of a gate event
	MaxHookBody = 16 << 20 // a hook payload as a whole: tool results may be large
	MaxDepth    = 64
)
