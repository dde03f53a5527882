package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/nonces"
	"github.com/aoctl/aoctl/broker/once"
	"github.com/aoctl/aoctl/broker/peers"
)

// Why a token does not help.
var (
	errBadToken  = errors.New("this token is not, or no longer, one of this console")
	errAskToken  = errors.New("this token may ask, and nothing else")
	errOperators = errors.New("operator tokens do not ask for agents: who has one could answer itself")
	errNoToken   = errors.New("a request over TCP needs a token")
	errOnceOnly  = errors.New("this token allows or denies its call as it is, or answers its question, and nothing else")
	errOnceRisky = errors.New("this call is dangerous, or became so: a single-use token can only deny it")
)

// agentsError turns down an operator's token that is shown by an agent's process, or by one
// that cannot be told from an agent's. It is an ErrForbidden in words of its own. The caller
// learns why, since most often it is the operator, who has started a shell inside an agent.
type agentsError struct{ why string }

func (e agentsError) Error() string { return "this process is no operator, token or not: " + e.why }
func (e agentsError) Is(target error) bool {
	return target == broker.ErrForbidden || target == errAgents
}

var errAgents = errors.New("a process of an agent is no operator")

// callers tells who is behind a request: a person with an operator's token, a program with a
// token for asking, or a process of the user, and whether an agent stands behind that. Whoever
// is turned away is on record. Nothing about a caller is remembered from one request to the next.
// A process may have become an agent's child since, and a token may have been revoked.
type callers struct {
	view            View
	records         Records
	once            *once.Tokens
	listenOperators bool          // take operator tokens over TCP also from processes that cannot be found here
	nonces          nonces.Memory // of requests with a proof
}

// tokenIn is the token that r shows: as a bearer's, or as the password of HTTP Basic. A WebSocket's
// client that can set no header names it as a subprotocol.
// given is false when there is none at all; the token is empty when it cannot be read. Two
// headers, or a scheme that is not known, give an empty token. That is not the same as no token:
// who shows something that cannot be read is refused, and does not pass as a process without one.
func tokenIn(r *http.Request) (token string, given bool) {
	values := r.Header.Values("Authorization")
	switch {
	case len(values) == 0:
		return tokenAsProtocol(r)
	case len(values) > 1:
		return "", true // two readers could take one each
	}
	if _, password, ok := r.BasicAuth(); ok {
		return password, true
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return token, true
}

// tokenOf finds a token by its hash. All hashes are compared, in constant time each. The loop
// goes on after a match, so that the time it takes says nothing about which token fits.
func (cl *callers) tokenOf(token string) (found broker.TokenData, ok bool) {
	hash := []byte(broker.HashToken(token))
	for _, t := range cl.view.Tokens() {
		// A console's key is public, so who knows it is nobody yet.
		if subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 && t.Kind != broker.ConsoleKey {
			found, ok = t.TokenData, true
		}
	}
	return found, ok
}

// callerOf is who acts: an operator when it shows an operator's token and nothing says
// that an agent stands behind it, else a process that may refuse and nothing more. A
// token that does not help is an error, and the attempt is on record.
//
// Over the socket a request without a token is that of a process of the user. Over TCP admitTCP
// has asked for a token already.
func (cl *callers) callerOf(r *http.Request) (broker.Actor, error) {
	by := peers.ActorOf(r)
	token, given := tokenIn(r)
	if !given {
		return by, nil
	}
	d, known := cl.tokenOf(token)
	switch {
	case !known:
		cl.refused(r, broker.BadToken, errBadToken.Error())
		return by, errBadToken
	case d.KindOrOperator() == broker.AskingToken:
		cl.refused(r, broker.AskToken, errAskToken.Error())
		return by, errAskToken
	}
	return cl.operator(r, d.ID)
}

// operator is who shows the token of this id, unless it may be an agent. The token alone is not
// enough. An agent may find the operator's token in a file or a variable, so the process that
// shows it must not be an agent's.
func (cl *callers) operator(r *http.Request, id string) (broker.Actor, error) {
	by, why := cl.behind(r.Context(), peers.ActorOf(r))
	if why != "" {
		cl.refused(r, broker.UnderAgent, why)
		return by, agentsError{why}
	}
	by.Kind, by.ID = broker.ByOperator, broker.TokenActorPrefix+id
	return by, nil
}

// onceRoutes are all that a token for one call opens.
var onceRoutes = map[string]bool{"POST /approval-requests/{id}/decide": true, "POST /sessions/{id}/answer": true}

// onceFor is the call that a token is for, while that waits and is the call that it was.
func (cl *callers) onceFor(token, pattern string) (broker.Request, bool) {
	c, ok := cl.once.Of(token)
	if !ok || !onceRoutes[pattern] {
		return broker.Request{}, false
	}
	req, ok := cl.view.Request(c.ID)
	return req, ok && req.State == broker.Pending && req.Checkpoint == nil && req.Digest == c.Digest
}

// decider is callerOf for the routes that a token for one call opens too. named is the call that
// the request names, "" when it names none. about is the call that the token is for, and has no
// id with any other token. A token of this kind that does not fit is answered late, as a wrong one is
// over TCP.
func (sv *Server) decider(r *http.Request, named string) (by broker.Actor, about broker.Request, err error) {
	token, _ := tokenIn(r)
	if !strings.HasPrefix(token, once.Prefix) {
		by, err = sv.callerOf(r)
		return by, about, err
	}
	about, ok := sv.onceFor(token, r.Pattern)
	if !ok || named != "" && named != about.ID {
		sv.refused(r, broker.BadToken, errBadToken.Error())
		if !sv.gate.delay(r.Context()) {
			panic(http.ErrAbortHandler)
		}
		return peers.ActorOf(r), broker.Request{}, errBadToken
	}
	by, err = sv.operator(r, broker.OnceTokenID)
	return by, about, err
}

// onceError says in words of its own that a token for one call does not allow what is dangerous.
func onceError(by broker.Actor, err error) error {
	if by.Once() && errors.Is(err, broker.ErrDangerous) {
		return errOnceRisky
	}
	return err
}

// behind completes by and says why the peer cannot be an operator; "" when it can.
//
// Over the socket the kernel names the process. Over TCP it is looked up by the two ends of the
// connection, which several processes may hold: none of them may be an agent's. A process in a
// container, or one that only forwards a port, cannot be judged, and is let through only where
// the operator said so at the start.
func (cl *callers) behind(ctx context.Context, by broker.Actor) (broker.Actor, string) {
	p := peers.From(ctx)
	if p.TCP == nil {
		why := cl.agentBehind(p)
		if name := peers.Forwarder(p.PID); why == "" && name != "" && !cl.listenOperators {
			why = forwards(p.PID, name)
		}
		return by, why
	}
	for range 3 {
		pids := peers.HoldersOf(*p.TCP)
		if len(pids) == 0 && cl.listenOperators {
			return by, ""
		}
		if len(pids) == 0 {
			return by, "its connection belongs to no process of yours on this machine that can be looked at; a console started with --listen-operators takes it all the same"
		}
		by.PID = pids[0]
		by.Exe, by.TTY = peers.Describe(by.PID)
		why := cl.anyBehind(pids)
		// A connection can be handed to another process while its holders are looked at, as to one that its holder is about
		// to start. When the two readings differ, the judgement was about somebody else, and is made anew.
		if slices.Equal(peers.HoldersOf(*p.TCP), pids) {
			return by, why
		}
	}
	return by, "its connection went to another process meanwhile"
}

// anyBehind says why one of the holders of a connection is no operator; "" when all may be.
func (cl *callers) anyBehind(pids []int) string {
	for _, pid := range pids {
		if why := cl.AgentAbove(pid); why != "" {
			return why
		}
		if name := peers.Forwarder(pid); name != "" && !cl.listenOperators {
			return forwards(pid, name)
		}
	}
	return ""
}

// forwards says why a process that passes a connection on is no operator.
func forwards(pid int, name string) string {
	return fmt.Sprintf("process %d (%s) only forwards its connection, so who is at the other end cannot be told; a console started with --listen-operators takes it all the same", pid, name)
}

// AgentAbove says why the process pid counts as an agent's, "" when it does not. A process
// whose ancestry cannot be followed to the top counts as an agent's. It names the reason in words
// that go into the log and to the caller. Two things are looked for: an agent that this console
// knows, and the marks that any agent leaves on what it starts.
func (cl *callers) AgentAbove(pid int) string {
	if pid <= 0 {
		return "its process cannot be seen from here, as one in a container"
	}
	chain, err := peers.SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	if why := cl.agentIn(chain); why != "" {
		return why
	}
	return peers.BornOfAgent(chain)
}

// agentBeside is AgentAbove for processes that this console may have started, directly or not:
// those have its environment, which says nothing of them. A runner that this console started
// descends from it. BornOfAgent would then read the console's own environment, which has an
// agent's marks when the operator started aoctl from one.
func (cl *callers) agentBeside(pid int) string {
	chain, err := peers.SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	why := cl.agentIn(chain)
	if why == "" && !slices.ContainsFunc(chain, func(k peers.Ancestor) bool { return k.PID == os.Getpid() }) {
		why = peers.BornOfAgent(chain)
	}
	return why
}

// agentIn names the known agent in an ancestry; "" when there is none. A pid alone may have been
// used again, so its start time must fit where it is known. A runner is no agent itself; only
// what is below it is one.
func (cl *callers) agentIn(chain []peers.Ancestor) string {
	for i, k := range chain {
		if run, ok := cl.view.Agent(k.PID); ok && (run.Start == 0 || run.Start == k.Start) && (i > 0 || !run.Runner) {
			return fmt.Sprintf("it comes from the agent of session %s (process %d)", broker.Clip(run.Session), run.PID)
		}
	}
	return ""
}

// agentBehind says why the peer counts as an agent's, "" when it does not. The peer's process
// is held on to meanwhile, so that no other process can take its pid.
//
// The process must still live when its ancestry is known. Otherwise the ancestry may be that of
// the process that took over its pid.
func (cl *callers) agentBehind(p peers.Peer) string {
	if p.PID <= 0 {
		return cl.AgentAbove(0)
	}
	alive, release, err := p.Hold()
	if err != nil {
		return "its process cannot be held on to: " + err.Error()
	}
	defer release()
	why := cl.AgentAbove(p.PID)
	if why == "" && !alive() {
		return fmt.Sprintf("process %d ended before its ancestry was known", p.PID)
	}
	return why
}
